// Saved profiles as the command line names them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/commands.h"

static struct profile *read_stdin(struct diag_list *diags) {
    char *text;
    size_t length;
    if (!file_read("/dev/stdin", &text, &length)) {
        cli_error("standard input: %s", strerror(errno));
        return NULL;
    }
    struct profile *profile = profile_parse("<stdin>", text, length, diags);
    free(text);
    return profile;
}

struct profile *read_saved(const char *path, const struct cli_options *options) {
    struct diag_list diags = {0};
    struct profile *profile =
        strcmp(path, "-") != 0 ? profile_read(path, &diags) : read_stdin(&diags);
    print_diags(&diags, options);
    return profile;
}
