// The private folder: the files of a source as they are, or with edits, side by side as they lie.
//
// A quoted #include is looked for beside the file that has it, by the name under which that one was
// opened. So each file gets the place below the private folder that it has below /, whatever of
// "sub/a.h" and "../b/c.h" leads from one to another then leads to its copy. This is more robust
// than to name the folders of the originals with -I, where the original of an edited file would be
// found from an unedited one that lies beside it, and than to change the directives, whose edits
// would have to be told apart from those of the arrays.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/repair.h"

static char *below(const struct repair *repair, const char *path) {
    struct strbuf out = {0};
    strbuf_printf(&out, "%s/files%s", repair->folder, path);
    return strbuf_take(&out);
}

char *repair_copy_path(const struct repair *repair, const struct repair_file *file) {
    return below(repair, file->path);
}

// All folders above the path; one that cannot be made is missed by who needs it.
static void make_folders_of(const struct repair *repair, const char *path) {
    char *copy = below(repair, path);
    for (char *slash = copy + strlen(repair->folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(copy, 0700);
        *slash = '/';
    }
    free(copy);
}

// "sub" of "sub/../a.h" must be there, too.
static void make_spelled_folders(const struct repair *repair, const struct repair_file *file) {
    char *folder = path_folder(file->path);
    for (size_t i = 0; i < file->includes.length; i++) {
        const char *name = file->includes.data[i].name;
        for (const char *slash = name; slash && (slash = strchr(slash, '/')); slash++) {
            char *way = base_strndup(name, (size_t)(slash - name));
            struct strbuf within = {0};
            char *full = path_resolve(folder, way);
            strbuf_printf(&within, "%s/", full);
            make_folders_of(repair, within.data);
            strbuf_free(&within);
            free(full);
            free(way);
        }
    }
    free(folder);
}

// What is not edited is a link, which the compiler takes for the same file as the original.
static bool put(const struct repair *repair, const struct repair_file *file, enum repair_text which,
                const char *path) {
    const patch_edits *edits = which == REPAIR_EDITED ? &file->edits : &file->questions;
    const bool is_first = file == repair->files.data;
    make_folders_of(repair, file->path);
    make_spelled_folders(repair, file);
    unlink(path);
    if (!is_first && (which == REPAIR_AS_IS || !edits->length))
        return symlink(file->path, path) == 0;
    char *text = repair_text_of(file, which);
    const bool is_put = file_write(path, text, strlen(text));
    free(text);
    return is_put;
}

char *repair_write(struct repair *repair, enum repair_text which) {
    char *first = NULL;
    for (size_t n = 0; n < repair->files.length; n++) {
        char *path = repair_copy_path(repair, &repair->files.data[n]);
        if (!put(repair, &repair->files.data[n], which, path)) {
            cli_error("%s: %s", path, strerror(errno));
            free(path);
            free(first);
            return NULL;
        }
        if (n == 0)
            first = path;
        else
            free(path);
    }
    return first;
}
