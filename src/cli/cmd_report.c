// bankrun report: shows saved profiles, several of them as one.
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/commands.h"

typedef VEC(char *) path_list; // borrowed

static void help(void) {
    fputs("Usage: bankrun report [OPTIONS] PROFILE...\n"
          "\n"
          "Shows a profile that was saved with --format json, on stdout or in a file. - is the\n"
          "standard input. Several profiles are added up: of what launches of all runs have in\n"
          "common there is one row.\n"
          "\n"
          "    bankrun run --format json -o run.json transpose.cu\n"
          "    bankrun report run.json\n"
          "    bankrun report run.json --format csv -o run.csv\n"
          "    bankrun report run.json --format html -o run.html\n"
          "    bankrun report --fail-on excess=1000 run.json\n"
          "    bankrun report small.json large.json --format json -o both.json\n"
          "\n",
          stdout);
    options_print_help(CLI_REPORT, stdout);
}

// Why the counts of both make no sum. NULL: they make one.
static const char *difference(const struct profile *a, const struct profile *b) {
    if (a->arch != b->arch)
        return "is of another architecture";
    return a->is_uncounted != b->is_uncounted || a->is_as_compiled != b->is_as_compiled
               ? "was counted otherwise"
               : NULL;
}

static struct profile *add_up(const path_list *paths, struct profile *first,
                              const struct cli_options *options) {
    struct profile *sum = profile_create(first->arch, paths->data, paths->length);
    sum->is_as_compiled = first->is_as_compiled;
    profile_append(sum, first);
    for (size_t i = 1; i < paths->length; i++) {
        struct profile *next = read_saved(paths->data[i], options);
        const char *why = next ? difference(sum, next) : NULL;
        if (why)
            cli_error("%s %s than %s: their counts are not added up", paths->data[i], why,
                      paths->data[0]);
        if (!next || why) {
            profile_free(next);
            profile_free(sum);
            return NULL;
        }
        profile_append(sum, next);
    }
    return sum;
}

static int report(const path_list *paths, const struct cli_options *options) {
    struct profile *profile = read_saved(paths->data[0], options);
    if (profile && paths->length > 1)
        profile = add_up(paths, profile, options);
    if (!profile)
        return CLI_USAGE;
    int status = write_report(profile, options, stdout);
    profile_free(profile);
    return status;
}

// Of several inputs the one that would be written over, which is not to be thrown away.
static const char *input_of(const path_list *paths, const struct cli_options *options) {
    for (size_t i = 0; i < paths->length; i++)
        if (output_is(options, paths->data[i]))
            return paths->data[i];
    return paths->data[0];
}

int cmd_report(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE, at = 0;
    path_list paths = {0};
    while ((at = options_parse(&options, CLI_REPORT, argc, argv, at)) >= 0 && at < argc)
        vec_push(&paths, argv[at++]);
    if (at >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (at >= 0 && paths.length == 0) {
        cli_error("which profile? bankrun report PROFILE");
    } else if (at >= 0 && gate_is_ready(&options) && accept_by_default(&options)) {
        status = report(&paths, &options);
        output_discard(&options, input_of(&paths, &options));
    }
    vec_free(&paths);
    options_free(&options);
    return status;
}
