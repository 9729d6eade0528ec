// --suppressions, and the file .bankrun of the working directory: what is accepted.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/commands.h"
#include "profile/suppress.h"

bool accept_from(struct cli_options *options, const char *path) {
    struct diag_list diags = {0};
    struct source source = {.name = path};
    char *text = NULL;
    profile_free_suppressions(options->accepted);
    options->accepted = NULL;
    if (!*path)
        return true;
    if (file_read_regular(path, &text, &source.length)) {
        source.text = text;
        options->accepted = profile_read_suppressions(&source, &diags);
    } else {
        cli_error("%s: %s", path, strerror(errno));
    }
    print_diags(&diags, options);
    free(text);
    return options->accepted != NULL;
}

bool accept_by_default(struct cli_options *options) {
    static const char usual[] = ".bankrun";
    struct stat info;
    if (options->suppressions || options->accepted || stat(usual, &info) || !S_ISREG(info.st_mode))
        return true;
    return accept_from(options, usual);
}

void accept(struct profile *profile, const struct cli_options *options) {
    if (!options->accepted)
        return;
    profile_suppress(profile, options->accepted);
    size_t at = 0;
    for (char *unused; (unused = profile_unused_suppression(options->accepted, profile, &at));
         free(unused))
        if (!options->quiet)
            cli_error("note: %s: nothing is like it any more", unused);
}
