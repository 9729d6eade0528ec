// What kind of input a file is.
#define _GNU_SOURCE // memmem
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"

static bool has_ending(const char *path, const char *const *endings) {
    const char *dot = strrchr(path, '.');
    for (; dot && *endings; endings++)
        if (!strcmp(dot, *endings))
            return true;
    return false;
}

// Skips blanks and comments.
static size_t skip_blanks(const char *data, size_t length, size_t at) {
    while (at < length) {
        if (isspace((unsigned char)data[at])) {
            at++;
        } else if (at + 1 < length && data[at] == '/' && data[at + 1] == '/') {
            while (at < length && data[at] != '\n')
                at++;
        } else if (at + 1 < length && data[at] == '/' && data[at + 1] == '*') {
            const char *end = memmem(data + at + 2, length - at - 2, "*/", 2);
            at = end ? (size_t)(end - data) + 2 : length;
        } else {
            break;
        }
    }
    return at;
}

static bool starts_with(const char *data, size_t length, size_t at, const char *text) {
    return length - at >= strlen(text) && !memcmp(data + at, text, strlen(text));
}

long cli_read_head(const char *path, char *head, size_t size) {
    struct stat status;
    FILE *file = NULL;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
    else
        file = fopen(path, "rb");
    if (!file && errno == ESPIPE) {
        cli_error("%s: not a regular file; a program is read more than once", path);
        return -1;
    }
    if (!file) {
        cli_error("%s: %s", path, strerror(errno));
        return -1;
    }
    size_t length = fread(head, 1, size, file);
    bool has_failed = ferror(file);
    fclose(file);
    if (has_failed)
        cli_error("%s: cannot be read", path);
    return has_failed ? -1 : (long)length;
}

enum cli_kind cli_kind_of(const char *path, const char *data, size_t length) {
    if (starts_with(data, length, 0, "\177ELF"))
        return CLI_KIND_ELF;
    size_t at = skip_blanks(data, length, 0);
    if (starts_with(data, length, at, ".version"))
        return CLI_KIND_PTX;
    if (starts_with(data, length, at, "{") && memmem(data, length, "\"bankrun\"", 9))
        return CLI_KIND_PROFILE;
    if (has_ending(path, (const char *const[]){".ptx", NULL}))
        return CLI_KIND_PTX; // broken, which the parser says better
    if (has_ending(path, (const char *const[]){".cu", ".cpp", ".cxx", ".cc", ".C", NULL}))
        return CLI_KIND_CUDA;
    return CLI_KIND_OTHER;
}
