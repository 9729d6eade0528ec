#include "cuda/module/kept.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "toolchain/cubin.h"

// The variables by which packages are told where to keep it (cli/package_variables.def). What is
// there is believed only where it is the same code.
static const char *const folders[] = {"CUTE_DSL_DUMP_DIR", "CUTE_EXPERIMENTAL_DSL_DUMP_DIR"};

struct newest {
    const char *wanted;
    char *text; // NULL: none yet
    struct timespec changed;
};

static bool is_ptx(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".ptx") == 0;
}

static bool is_later(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

// The same code may have been compiled for several places: the last one is meant.
static void look_at(const char *path, struct newest *newest) {
    struct stat status;
    size_t length;
    char *text;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        (newest->text && !is_later(status.st_mtim, newest->changed)) ||
        !file_read_regular(path, &text, &length))
        return;
    if (!toolchain_same_ptx(text, newest->wanted)) {
        free(text);
        return;
    }
    free(newest->text);
    newest->text = text;
    newest->changed = status.st_mtim;
}

static void look_in(const char *folder, struct newest *newest) {
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/%s", folder, entry->d_name);
        if (is_ptx(entry->d_name))
            look_at(strbuf_string(&path), newest);
        strbuf_free(&path);
    }
    if (entries)
        closedir(entries);
}

char *cuda_kept_ptx(const char *text) {
    struct newest newest = {.wanted = text};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *folder = getenv(folders[i]);
        if (folder && *folder)
            look_in(folder, &newest);
    }
    return newest.text;
}
