#include "toolchain/sources.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"

// FNV-1a: texts of one name are told apart.
static uint64_t hash(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static void make_folders(char *path) {
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

// Caller frees. NULL: there is no place, or it cannot be written.
static char *keep(const char *name, const char *source) {
    const char *folder = getenv("BANKRUN_SOURCES");
    if (!folder || !*folder)
        return NULL;
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%016llx/%s", folder, (unsigned long long)hash(source),
                  text_file_name(name));
    make_folders(path.data);
    if (access(path.data, R_OK) != 0 && !file_write(path.data, source, strlen(source))) {
        strbuf_free(&path);
        return NULL;
    }
    return strbuf_take(&path);
}

char *toolchain_keep_text(const char *name, const char *text) {
    return keep(name, text);
}

// Whether the quoted path [begin, end) is the compiler's name for a text called `name`: that,
// behind the folder that it runs in.
static bool names(const char *begin, const char *end, const char *name) {
    size_t length = (size_t)(end - begin), own = strlen(name);
    if (own > length || memcmp(end - own, name, own) != 0 ||
        (own < length && end[-1 - (long)own] != '/'))
        return false;
    char *path = base_strndup(begin, length);
    bool is_there = access(path, F_OK) == 0;
    free(path);
    return !is_there;
}

// The next `.file N "PATH"`, past `at`: [*begin, *end) is PATH.
static bool next_file(const char *at, const char **begin, const char **end) {
    while ((at = strstr(at, ".file"))) {
        at += strlen(".file");
        const char *quote = at + strspn(at, " \t0123456789");
        if (*quote != '"')
            continue;
        *begin = quote + 1;
        *end = strchr(*begin, '"');
        return *end != NULL;
    }
    return false;
}

char *toolchain_name_source(const char *ptx, const char *name, const char *source) {
    struct strbuf made = {0};
    const char *rest = ptx, *begin, *end;
    char *kept = NULL;
    while (next_file(rest, &begin, &end)) {
        if (!names(begin, end, name) || (!kept && !(kept = keep(name, source)))) {
            strbuf_append(&made, rest, (size_t)(end - rest));
        } else {
            strbuf_append(&made, rest, (size_t)(begin - rest));
            strbuf_puts(&made, kept);
        }
        rest = end;
    }
    free(kept);
    strbuf_puts(&made, rest);
    return strbuf_take(&made);
}

// Whether the file is likely to be gone before a report is made.
static bool is_temporary(const char *path) {
    const char *temporary = getenv("TMPDIR");
    const char *const folders[] = {temporary && *temporary == '/' ? temporary : "/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 &&
            path[length - (length > 1 && folders[i][length - 1] == '/')] == '/')
            return true;
    }
    return false;
}

// Caller frees. NULL: the file stays where it is.
static char *keep_file(const char *path) {
    char *text, *kept = NULL;
    size_t length;
    if (!is_temporary(path) || !file_read_regular(path, &text, &length))
        return NULL;
    if (strlen(text) == length)
        kept = keep(path, text);
    free(text);
    return kept;
}

char *toolchain_keep_sources(const char *ptx) {
    struct strbuf made = {0};
    const char *rest = ptx, *begin, *end;
    while (next_file(rest, &begin, &end)) {
        char *path = base_strndup(begin, (size_t)(end - begin)), *kept = keep_file(path);
        strbuf_append(&made, rest, (size_t)((kept ? begin : end) - rest));
        if (kept)
            strbuf_puts(&made, kept);
        free(kept);
        free(path);
        rest = end;
    }
    strbuf_puts(&made, rest);
    return strbuf_take(&made);
}
