// bankrun report: shows saved profiles, several of them as one.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "report/against.h"

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
          "    bankrun report run.json --against ncu.csv\n"
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

// ---- Against a GPU's counts ---------------------------------------------------------------------

// False: it cannot be read, which was printed.
static bool read_export(const char *path, ncu_launches *launches) {
    struct strbuf problem = {0};
    char *data;
    size_t length;
    if (!file_read_regular(path, &data, &length)) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    const bool is_read = ncu_read(data, length, launches, &problem);
    if (!is_read)
        cli_error("%s: %s", path, strbuf_string(&problem));
    strbuf_free(&problem);
    free(data);
    return is_read;
}

static int write_against(const struct against *against, const struct cli_options *options) {
    const struct answer_look look = answer_look(options);
    const struct report_options how = {.color = look.has_color, .width = look.width};
    struct strbuf text = {0};
    if (options->format == REPORT_JSON)
        against_write_json(against, options->against, &text);
    else if (options->format == REPORT_CSV)
        against_write_csv(against, &text);
    else
        against_write_text(against, options->against, &how, &text);
    const bool is_written = show_answer(&text, options->format == REPORT_TEXT, options);
    strbuf_free(&text);
    return is_written ? CLI_OK : CLI_USAGE;
}

static const char *against_problem(const struct profile *profile, const ncu_launches *launches,
                                   const struct cli_options *options) {
    if (options->format != REPORT_TEXT && options->format != REPORT_JSON &&
        options->format != REPORT_CSV)
        return "--against has the formats text, json and csv";
    if (profile->is_uncounted)
        return "the launches of the profile were checked, not counted";
    for (size_t i = 0; i < launches->length; i++)
        if (launches->data[i].arch != profile->arch)
            return "the GPU is of another architecture than the profile (--arch)";
    return NULL;
}

static int hold_against(const struct profile *profile, const struct cli_options *options) {
    ncu_launches launches = {0};
    int status = CLI_USAGE;
    if (read_export(options->against, &launches)) {
        const char *problem = against_problem(profile, &launches, options);
        if (problem) {
            cli_error("%s: %s", options->against, problem);
        } else {
            struct against *against = against_create(profile, &launches);
            status = write_against(against, options);
            against_free(against);
        }
    }
    ncu_free(&launches);
    return status;
}

static int report(const path_list *paths, const struct cli_options *options) {
    struct profile *profile = read_saved(paths->data[0], options);
    if (profile && paths->length > 1)
        profile = add_up(paths, profile, options);
    if (!profile)
        return CLI_USAGE;
    int status = CLI_USAGE;
    accept(profile, options);
    if (narrow(profile, options))
        status = options->against ? hold_against(profile, options)
                                  : write_report(profile, options, stdout);
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
