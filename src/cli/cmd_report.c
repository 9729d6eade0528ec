// bankrun report: shows a saved profile.
#include "cli/commands.h"

static void help(void) {
    fputs("Usage: bankrun report [OPTIONS] PROFILE\n"
          "\n"
          "Shows a profile that was saved with --format json, on stdout or in a file.\n"
          "\n"
          "    bankrun run --format json -o run.json transpose.cu\n"
          "    bankrun report run.json\n"
          "    bankrun report run.json --format csv -o run.csv\n"
          "    bankrun report --fail-on excess=1000 run.json\n"
          "\n",
          stdout);
    options_print_help(CLI_REPORT, stdout);
}

static int report(const char *path, const struct cli_options *options) {
    struct diag_list diags = {0};
    struct profile *profile = profile_read(path, &diags);
    print_diags(&diags, options);
    if (!profile)
        return CLI_USAGE;
    int status = write_report(profile, options, stdout);
    profile_free(profile);
    return status;
}

int cmd_report(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE;
    const char *path = NULL;
    int at = 0;
    while ((at = options_parse(&options, CLI_REPORT, argc, argv, at)) >= 0 && at < argc) {
        if (path) {
            cli_error("one profile at a time: '%s' and '%s'", path, argv[at]);
            at = -1;
            break;
        }
        path = argv[at++];
    }
    if (at >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (at >= 0 && !path) {
        cli_error("which profile? bankrun report PROFILE");
    } else if (at >= 0) {
        status = report(path, &options);
        output_discard(&options, path);
    }
    options_free(&options);
    return status;
}
