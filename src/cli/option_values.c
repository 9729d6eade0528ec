// What each option sets: from its text to a value that is checked.
#include "cli/option_rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bankrun/banks.h"
#include "sim/sim.h"

static bool parse_count(const char *option, const char *text, uint64_t most, uint64_t *value) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || number > most) {
        cli_error("--%s: '%s' is no number from 0 to %llu", option, text, (unsigned long long)most);
        return false;
    }
    *value = number;
    return true;
}

// Sets *index to the position of the text in the list.
static bool parse_choice(const char *option, const char *text, const char *const *choices,
                         int *index) {
    for (int i = 0; choices[i]; i++)
        if (!strcmp(text, choices[i])) {
            *index = i;
            return true;
        }
    fprintf(stderr, "bankrun: --%s: '%s' is none of", option, text);
    for (int i = 0; choices[i]; i++)
        fprintf(stderr, "%s %s", i ? "," : "", choices[i]);
    fputc('\n', stderr);
    return false;
}

static bool parse_arch(const char *text, unsigned *arch) {
    *arch = options_arch(text);
    if (!*arch) {
        cli_error("--arch: '%s' is no architecture; write it like sm_90, 90 or 9.0", text);
        return false;
    }
    if (bankrun_limits_of(*arch))
        return true;
    fprintf(stderr, "bankrun: --arch: no model for sm_%u; known are", *arch);
    for (const unsigned *known = bankrun_architectures(); *known; known++)
        fprintf(stderr, " %u", *known);
    fputc('\n', stderr);
    return false;
}

static bool parse_fail_on(struct cli_options *options, const char *text) {
    size_t word = strcspn(text, "=");
    if (word != strlen("excess") || strncmp(text, "excess", word)) {
        cli_error("--fail-on: '%s' is not excess or excess=N", text);
        return false;
    }
    options->fail_on_excess = true;
    return !text[word] ||
           parse_count("fail-on excess", text + word + 1, UINT64_MAX, &options->allowed_excess);
}

static bool parse_dump(struct cli_options *options, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        cli_error("--dump: '%s' is not of the form ARG=FILE", text);
        return false;
    }
    vec_push(&options->dumps, text);
    return true;
}

static bool apply_choice(struct cli_options *options, const struct option_row *row,
                         const char *value) {
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const colors[] = {"auto", "always", "never", NULL};
    int index = 0;
    if (!parse_choice(row->name, value, row->id == OPTION_FORMAT ? formats : colors, &index))
        return false;
    if (row->id == OPTION_FORMAT)
        options->format = (enum cli_format)index;
    else
        options->color = (enum cli_color)index;
    return true;
}

static bool parse_width(const char *text, unsigned *width) {
    static const char *const widths[] = {"1", "2", "4", "8", "16", NULL};
    int index = 0;
    if (!parse_choice("width", text, widths, &index))
        return false;
    *width = 1u << index;
    return true;
}

// What only bankrun explain has.
static bool apply_explain(struct cli_explain *explain, const struct option_row *row,
                          const char *value) {
    switch (row->id) {
    case OPTION_SHARED:
        explain->shared = value;
        return true;
    case OPTION_BLOCK:
        explain->block = value;
        return true;
    case OPTION_GRID:
        explain->grid = value;
        return true;
    case OPTION_BLOCK_INDEX:
        explain->block_index = value;
        return true;
    case OPTION_IF:
        explain->condition = value;
        return true;
    case OPTION_LET:
        vec_push(&explain->lets, value);
        return true;
    case OPTION_LOAD:
        explain->access = CLI_LOAD;
        return true;
    case OPTION_STORE:
        explain->access = CLI_STORE;
        return true;
    case OPTION_ATOMIC:
        explain->access = CLI_ATOMIC;
        return true;
    case OPTION_WIDTH:
        return parse_width(value, &explain->width);
    case OPTION_BANK_MODE:
        explain->bank_mode = !strcmp(value, "8") ? 8 : 4;
        if (strcmp(value, "8") && strcmp(value, "4"))
            cli_error("--bank-mode: '%s' is neither 4 nor 8", value);
        return !strcmp(value, "8") || !strcmp(value, "4");
    case OPTION_BASE:
        return parse_count(row->name, value, 1 << 20, &explain->base);
    case OPTION_WARP:
        explain->warp = strcmp(value, "all") ? value : NULL;
        return true;
    case OPTION_REQUESTS:
        explain->requests = value;
        return true;
    case OPTION_KEEP_GOING:
        explain->keep_going = true;
        return true;
    default:
        return false;
    }
}

// What only bankrun calibrate has.
static bool apply_calibrate(struct cli_calibrate *calibrate, const struct option_row *row,
                            const char *value) {
    if (row->id == OPTION_PATTERNS)
        return parse_count(row->name, value, 1 << 20, &calibrate->patterns);
    if (row->id == OPTION_SAVE)
        calibrate->save = value;
    else
        calibrate->instruction = value;
    return true;
}

bool options_apply(struct cli_options *options, const struct option_row *row, const char *value) {
    uint64_t number = 0;
    switch (row->id) {
    case OPTION_ARCH:
        if (row->commands & CLI_EXPLAIN && !strcmp(value, "all")) {
            options->arch = 0;
            return true;
        }
        options->arch_features = 0;
        if (isalpha((unsigned char)value[strlen(value) - (*value != 0)]))
            options->arch_features = value[strlen(value) - 1];
        return parse_arch(value, &options->arch);
    case OPTION_DEVICES:
        if (!parse_count(row->name, value, SIM_DEVICES, &number))
            return false;
        options->devices = (int)number;
        if (!number)
            cli_error("--devices: a program needs one at least");
        return number > 0;
    case OPTION_THREADS:
        if (!parse_count(row->name, value, 1024, &number))
            return false;
        options->threads = (int)number;
        return true;
    case OPTION_LAUNCH:
        options->launch = value;
        return true;
    case OPTION_DUMP:
        return parse_dump(options, value);
    case OPTION_FORMAT:
    case OPTION_COLOR:
        return apply_choice(options, row, value);
    case OPTION_OUTPUT:
        options->output = value;
        return true;
    case OPTION_FAIL_ON:
        return parse_fail_on(options, value);
    case OPTION_TRACE:
        options->trace = value;
        return true;
    case OPTION_TRACE_OUTPUT:
        options->trace_output = value;
        return true;
    case OPTION_METRICS:
        options->metrics = true;
        return true;
    case OPTION_MAX_INSTRUCTIONS:
        return parse_count(row->name, value, UINT64_MAX, &options->max_instructions);
    case OPTION_BLOCKS:
        options->blocks = value;
        if (sim_sample_parse(value, &options->sample))
            return true;
        cli_error("--blocks: '%s' is neither a number of blocks nor a percentage", value);
        return false;
    case OPTION_AS:
        options->as_compiled = strcmp(value, "compiled") == 0;
        if (options->as_compiled || strcmp(value, "written") == 0)
            return true;
        cli_error("--as: '%s' is neither written nor compiled", value);
        return false;
    case OPTION_NVCC:
        options->nvcc = value;
        return true;
    case OPTION_NO_CACHE:
        options->no_cache = true;
        return true;
    case OPTION_NO_COUNT:
        options->no_count = true;
        return true;
    case OPTION_FOLLOW:
        options->follow = true;
        return true;
    case OPTION_NVCC_FLAG:
        vec_push(&options->nvcc_flags, value);
        return true;
    case OPTION_PASS: // handled where it is read: it is handed on as written
        return true;
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_VERBOSE:
        options->verbose = true;
        return true;
    case OPTION_HELP:
        options->help = true;
        return true;
    default:
        return row->commands == CLI_CALIBRATE ? apply_calibrate(&options->calibrate, row, value)
                                              : apply_explain(&options->explain, row, value);
    }
}
