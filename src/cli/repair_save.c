// bankrun fix --write: the edited files, all of them or none.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/repair.h"

static char *kept_path(const struct repair_file *file) {
    struct strbuf kept = {0};
    strbuf_printf(&kept, "%s.orig", file->name);
    return strbuf_take(&kept);
}

static bool is_as_it_was(const struct repair_file *file) {
    char *now = NULL, *kept = kept_path(file);
    size_t length;
    bool is_good = false;
    if (!file_read_regular(file->name, &now, &length))
        cli_error("%s: %s", file->name, strerror(errno));
    else if (length != file->length || memcmp(now, file->text, length) != 0)
        cli_error("%s was changed meanwhile: nothing is written", file->name);
    else if (access(kept, F_OK) == 0)
        cli_error("%s is there already: nothing is written", kept);
    else
        is_good = true;
    free(now);
    free(kept);
    return is_good;
}

static bool keep(const struct repair_file *file) {
    char *kept = kept_path(file);
    const bool is_kept = file_write(kept, file->text, file->length);
    if (!is_kept)
        cli_error("%s: %s", kept, strerror(errno));
    free(kept);
    return is_kept;
}

static bool replace(const struct repair_file *file) {
    char *text = repair_text_of(file, REPAIR_EDITED);
    const bool is_written = file_write(file->name, text, strlen(text));
    if (!is_written)
        cli_error("%s: %s: nothing is written", file->name, strerror(errno));
    free(text);
    return is_written;
}

// The copy beside a file goes where the file is what it was.
static void put_back(const struct repair_file *file, bool is_replaced) {
    char *kept = kept_path(file);
    if (!is_replaced || file_write(file->name, file->text, file->length))
        unlink(kept);
    else
        cli_error("%s: %s: what it was is %s", file->name, strerror(errno), kept);
    free(kept);
}

bool repair_save(const struct repair *repair) {
    VEC(const struct repair_file *) edited = {0};
    size_t kept = 0, replaced = 0;
    bool is_good = true;
    for (size_t n = repair->files.length; n-- > 0;) // what is included before who includes it
        if (repair->files.data[n].edits.length)
            vec_push(&edited, &repair->files.data[n]);
    for (size_t i = 0; i < edited.length && is_good; i++)
        is_good = is_as_it_was(edited.data[i]);
    for (; kept < edited.length && is_good; kept += is_good)
        is_good = keep(edited.data[kept]);
    for (; replaced < edited.length && is_good; replaced += is_good)
        is_good = replace(edited.data[replaced]);
    for (size_t i = 0; i < kept && !is_good; i++)
        put_back(edited.data[i], i < replaced);
    vec_free(&edited);
    return is_good;
}
