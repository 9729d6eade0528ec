// Environment variables by which Python packages are told to run under bankrun.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "cli/environment.h"

enum kind { STANDIN, FRONT, CACHE, MADE, RUN, MORE, FLAGS, MOVED, TEXT, DEFAULT };

static const struct row {
    const char *name, *value;
    enum kind kind;
} rows[] = {
#define VARIABLE(name, kind, value) {#name, value, kind},
#include "cli/package_variables.def"
#undef VARIABLE
};

// Where packages keep what they compile. Without a cache it goes with the run.
static char *cache_folder(struct environment_libraries *libraries,
                          const struct cli_options *options) {
    struct strbuf path = {0};
    char *own = environment_cache_folder(options);
    libraries->kept = file_private_folder(environment_temporary_folder());
    if (own || libraries->kept)
        strbuf_printf(&path, "%s/packages", own ? own : libraries->kept);
    free(own);
    return path.data ? strbuf_take(&path) : NULL;
}

// XLA takes what does not begin with a dash for the name of a file with flags. Caller frees; NULL:
// it cannot be read, which XLA says.
static char *users_flags(const char *old) {
    char *text;
    size_t length;
    old += strspn(old, " \t\n");
    if (!*old || *old == '-')
        return base_strdup(old);
    return file_read_regular(old, &text, &length) ? text : NULL;
}

static void put_flags(struct strbuf *value, const char *ours, const char *old) {
    const char *behind = strchr(ours, '|');
    char *users = users_flags(old ? old : "");
    if (users)
        strbuf_printf(value, "%.*s %s %s", (int)(behind - ours), ours, users, behind + 1);
    else
        strbuf_puts(value, old);
    free(users);
}

static void put_value(struct strbuf *value, const struct row *row,
                      const struct environment_libraries *libraries, const char *caches) {
    const char *old = getenv(row->name);
    switch (row->kind) {
    case STANDIN:
    case FRONT:
        strbuf_printf(value, "%s/standin/%s", libraries->folder, row->value);
        if (row->kind == FRONT && old && *old)
            strbuf_printf(value, ":%s", old);
        else if (row->kind == FRONT && strcmp(row->name, "PATH") == 0)
            strbuf_puts(value, ":/bin:/usr/bin"); // which is meant then
        break;
    case FLAGS:
        put_flags(value, row->value, old);
        break;
    case CACHE:
    case MOVED:
    case MADE:
        strbuf_printf(value, "%s/%s", caches, row->value);
        if (row->kind == MADE)
            file_make_folders(strbuf_string(value)); // or the package meets that it is not there
        break;
    case RUN:
        strbuf_printf(value, "%s/%s", libraries->kept, row->value);
        mkdir(strbuf_string(value), 0700); // packages take it to be there
        break;
    case MORE:
        strbuf_printf(value, "%s%s%s", old ? old : "", old && *old ? "," : "", row->value);
        break;
    case TEXT:
    case DEFAULT:
        strbuf_puts(value, row->value);
        break;
    }
}

static bool is_forced(const struct row *row) {
    return row->kind != DEFAULT && row->kind != RUN;
}

void environment_tell_packages(struct environment_libraries *libraries,
                               const struct cli_options *options) {
    char *caches = cache_folder(libraries, options);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct strbuf value = {0};
        const bool is_kept =
            row->kind == RUN || row->kind == MORE; // nothing is kept without a place
        const bool is_cache = row->kind == CACHE || row->kind == MADE || row->kind == MOVED;
        if (row->kind == MOVED && !getenv(row->name))
            continue;
        if ((is_cache && !caches) || (is_kept && !libraries->kept))
            continue; // no place can be written to: the package meets that, too
        put_value(&value, row, libraries, caches);
        if (setenv(row->name, strbuf_string(&value), is_forced(row)) != 0)
            base_out_of_memory(0);
        strbuf_free(&value);
    }
    free(caches);
}
