// bankrun diff: what changed between two saved profiles.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "report/diff.h"

static void help(void) {
    fputs("Usage: bankrun diff [OPTIONS] OLD NEW\n"
          "\n"
          "Shows what changed between two profiles that were saved with --format json, by kernel\n"
          "and source line: what became worse, what better, what is new, what is gone. Lines are\n"
          "found again by their text where they moved to. One of the two may be -, the standard\n"
          "input. Ends with status 0 unless something is wrong, or --fail-on says otherwise.\n"
          "\n"
          "    bankrun --format json -o old.json transpose.cu\n"
          "    bankrun --format json -o new.json transpose.cu       # after an edit\n"
          "    bankrun diff old.json new.json\n"
          "    bankrun diff --fail-on regression=5% old.json new.json\n"
          "\n",
          stdout);
    options_print_help(CLI_DIFF, stdout);
}

static void write_diff(const struct diff *diff, const struct diff_names *names,
                       const struct cli_options *options, struct strbuf *out) {
    const struct answer_look look = answer_look(options);
    char folder[4096];
    const struct report_options how = {.color = look.has_color,
                                       .width = look.width,
                                       .verbose = options->verbose,
                                       .source_root = getcwd(folder, sizeof folder)};
    if (options->format == REPORT_JSON)
        diff_json(diff, names, out);
    else if (options->format == REPORT_CSV)
        diff_csv(diff, out);
    else
        diff_text(diff, names, &how, out);
}

// --fail-on compares with OLD, too.
static int compare(const struct profile *old, const struct profile *now,
                   const struct diff_names *names, const struct cli_options *options) {
    const char *problem = diff_problem(old, now);
    if (problem) {
        cli_error("%s and %s %s", names->old, names->now, problem);
        return CLI_USAGE;
    }
    struct strbuf text = {0};
    struct diff *diff = diff_create(old, now);
    write_diff(diff, names, options, &text);
    const bool is_written = show_answer(&text, options->format == REPORT_TEXT, options);
    strbuf_free(&text);
    diff_free(diff);
    return is_written ? gate_status(now, options) : CLI_USAGE;
}

static int diff(char **paths, struct cli_options *options) {
    const struct diff_names names = {paths[0], paths[1]};
    struct profile *now = NULL;
    int status = CLI_USAGE;
    options->baseline_path = paths[0];
    options->baseline = read_saved(paths[0], options);
    if (options->baseline && (now = read_saved(paths[1], options)) != NULL) {
        accept(now, options);
        if (narrow(now, options))
            status = compare(options->baseline, now, &names, options);
    }
    profile_free(now);
    return status;
}

static int run(char **paths, int count, struct cli_options *options) {
    if (count != 2)
        cli_error("which two profiles? bankrun diff OLD NEW");
    else if (!strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
        cli_error("both profiles cannot be the standard input");
    else if (options->output && (output_is(options, paths[0]) || output_is(options, paths[1])))
        cli_error("-o %s would write over the input", options->output);
    else
        return diff(paths, options);
    return CLI_USAGE;
}

int cmd_diff(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE, at = 0, count = 0;
    char *paths[2];
    while ((at = options_parse(&options, CLI_DIFF, argc, argv, at)) >= 0 && at < argc) {
        if (count < 2)
            paths[count] = argv[at];
        count++;
        at++;
    }
    if (at >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (at >= 0 && accept_by_default(&options)) {
        status = run(paths, count, &options);
    }
    options_free(&options);
    return status;
}
