// What the options set: from the text of a value to a value that is checked.
#include "cli/option_rows.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bankrun/banks.h"
#include "base/strbuf.h"
#include "cli/commands.h"
#include "explain/explain.h"
#include "profile/finding.h"
#include "sim/sim.h"

static void *field_of(struct cli_options *options, const struct option_row *row) {
    return (char *)options + row->offset;
}

// Numbers, enums and flags are unsigned fields of 1, 4 or 8 bytes.
static void store(struct cli_options *options, const struct option_row *row, uint64_t value) {
    void *field = field_of(options, row);
    assert(row->size == sizeof(bool) || row->size == 4 || row->size == 8);
    if (row->size == sizeof(bool))
        *(bool *)field = value != 0;
    else if (row->size == 4)
        *(uint32_t *)field = (uint32_t)value;
    else
        *(uint64_t *)field = value;
}

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

// "is neither A nor B" of two words, "is none of A, B, C" of more.
static void print_no_choice(const struct option_row *row, const char *text) {
    const struct option_choice *choices = row->choices;
    if (!choices[1].word) {
        cli_error("--%s: '%s' is not %s", row->name, text, choices[0].word);
        return;
    }
    if (!choices[2].word) {
        cli_error("--%s: '%s' is neither %s nor %s", row->name, text, choices[0].word,
                  choices[1].word);
        return;
    }
    struct strbuf list = {0};
    for (const struct option_choice *choice = choices; choice->word; choice++)
        strbuf_printf(&list, "%s %s", choice == choices ? "" : ",", choice->word);
    cli_error("--%s: '%s' is none of%s", row->name, text, strbuf_string(&list));
    strbuf_free(&list);
}

static bool apply_choice(struct cli_options *options, const struct option_row *row,
                         const char *value) {
    for (const struct option_choice *choice = row->choices; choice->word; choice++)
        if (!strcmp(value, choice->word)) {
            store(options, row, choice->value);
            return true;
        }
    print_no_choice(row, value);
    return false;
}

bool options_apply(struct cli_options *options, const struct option_row *row, const char *value) {
    uint64_t number = row->number;
    switch (row->kind) {
    case OPTION_NUMBER:
        if (!parse_count(row->name, value, row->number, &number))
            return false;
        store(options, row, number);
        return true;
    case OPTION_SET:
        store(options, row, number);
        return true;
    case OPTION_CHOICE:
        return apply_choice(options, row, value);
    case OPTION_TEXT:
        *(const char **)field_of(options, row) = value;
        return true;
    case OPTION_LIST:
        vec_push((cli_strings *)field_of(options, row), value);
        return true;
    case OPTION_READ:
        return row->read(options, row, value);
    case OPTION_PASS: // handled where it is read
        break;
    }
    return true;
}

// ---- Those that are read in ways of their own
// ----------------------------------------------------

bool option_access(struct cli_options *options, const struct option_row *row, const char *value) {
    static const char *const words[] = {"load", "store", "atomic"};
    struct bankrun_request request;
    options->explain.instruction = value;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(row->name, words[i]))
            options->explain.access = i;
    const char *wrong = value ? explain_instruction(value, strlen(value), &request) : NULL;
    if (wrong)
        cli_error("--access: '%s': %s", value, wrong);
    return !wrong;
}

bool option_arch(struct cli_options *options, const struct option_row *row, const char *value) {
    options->arch = 0;
    options->arch_features = 0;
    if (row->commands & CLI_EXPLAIN && !strcmp(value, "all"))
        return true;
    if (isalpha((unsigned char)value[strlen(value) - (*value != 0)]))
        options->arch_features = value[strlen(value) - 1];
    options->arch = options_arch(value);
    if (!options->arch) {
        cli_error("--arch: '%s' is no architecture; write it like sm_90, 90 or 9.0", value);
        return false;
    }
    if (bankrun_limits_of(options->arch))
        return true;
    fprintf(stderr, "bankrun: --arch: no model for sm_%u; known are", options->arch);
    for (const unsigned *known = bankrun_architectures(); *known; known++)
        fprintf(stderr, " %u", *known);
    fputc('\n', stderr);
    return false;
}

bool option_blocks(struct cli_options *options, const struct option_row *row, const char *value) {
    options->blocks = value;
    if (sim_sample_parse(value, &options->sample))
        return true;
    cli_error("--%s: '%s' is neither a number of blocks nor a percentage, nor auto", row->name,
              value);
    return false;
}

bool option_fill(struct cli_options *options, const struct option_row *row, const char *value) {
    options->fill_text = value;
    if (sim_fill_parse(value, &options->fill))
        return true;
    cli_error("--%s: '%s' is neither zero nor pattern nor random[:SEED]", row->name, value);
    return false;
}

bool option_schedule(struct cli_options *options, const struct option_row *row, const char *value) {
    options->schedule_text = value;
    options->checks |= profile_check_bit(PROFILE_CHECK_SCHEDULE);
    if (run_schedule_parse(value, &options->schedule))
        return true;
    cli_error("--%s: '%s' is not of the form SEED[:N], with N from 1 to %d", row->name, value,
              RUN_MOST_ORDERS);
    return false;
}

// Words between commas: the sum of their values.
static bool read_words(const struct option_row *row, const char *value, uint64_t *sum) {
    for (;; value++) {
        const size_t length = strcspn(value, ",");
        const struct option_choice *choice = row->choices;
        while (choice->word &&
               (strlen(choice->word) != length || strncmp(choice->word, value, length)))
            choice++;
        if (!choice->word) {
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)length, value);
            print_no_choice(row, name);
            return false;
        }
        *sum |= choice->value;
        value += length;
        if (!*value)
            return true;
    }
}

bool option_check(struct cli_options *options, const struct option_row *row, const char *value) {
    uint64_t checks = 0;
    if (!read_words(row, value, &checks))
        return false;
    // --schedule is not in the list.
    options->checks =
        (options->checks & profile_check_bit(PROFILE_CHECK_SCHEDULE)) | (unsigned)checks;
    return true;
}

bool option_fail_on_proof(struct cli_options *options, const struct option_row *row,
                          const char *value) {
    uint64_t kinds = 0;
    if (!read_words(row, value, &kinds))
        return false;
    options->fail_on_excess |= (kinds & CLI_PROVE_EXCESS) != 0;
    options->prove.fail_on_bounds |= (kinds & CLI_PROVE_BOUNDS) != 0;
    options->prove.fail_on_race |= (kinds & CLI_PROVE_RACE) != 0;
    return true;
}

bool option_prove_shared(struct cli_options *options, const struct option_row *row,
                         const char *value) {
    options->prove.has_shared = true;
    return parse_count(row->name, value, 1 << 20, &options->prove.shared);
}

bool option_devices(struct cli_options *options, const struct option_row *row, const char *value) {
    uint64_t number;
    if (!parse_count(row->name, value, SIM_DEVICES, &number))
        return false;
    options->devices = (int)number;
    if (!number)
        cli_error("--%s: a program needs one at least", row->name);
    return number > 0;
}

bool option_dump(struct cli_options *options, const struct option_row *row, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1]) {
        cli_error("--%s: '%s' is not of the form ARG=FILE", row->name, value);
        return false;
    }
    vec_push(&options->dumps, value);
    return true;
}

bool option_suppressions(struct cli_options *options, const struct option_row *row,
                         const char *value) {
    (void)row;
    options->suppressions = value;
    return accept_from(options, value);
}

bool option_kernel(struct cli_options *options, const struct option_row *row, const char *value) {
    struct strbuf problem = {0};
    const bool is_pattern = profile_is_pattern(value, &problem);
    if (!is_pattern)
        cli_error("--%s: '%s': %s", row->name, value, strbuf_string(&problem));
    strbuf_free(&problem);
    options->only.kernel = value;
    return is_pattern;
}

bool option_line(struct cli_options *options, const struct option_row *row, const char *value) {
    const char *colon = strrchr(value, ':');
    if (!colon || colon == value || !colon[1]) {
        cli_error("--%s: '%s' is not of the form FILE:LINE", row->name, value);
        return false;
    }
    options->only.line = value;
    return true;
}

bool option_baseline(struct cli_options *options, const struct option_row *row, const char *value) {
    (void)row;
    profile_free(options->baseline);
    options->baseline_path = value;
    options->baseline = read_saved(value, options);
    return options->baseline != NULL;
}

bool option_warp(struct cli_options *options, const struct option_row *row, const char *value) {
    (void)row;
    options->explain.warp = strcmp(value, "all") ? value : NULL;
    return true;
}
