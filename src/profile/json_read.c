// The saved profile, read and checked. Every error names the file and the value concerned:
// "run.json: launches[0].sites[2].line: expected a whole number from 0 to 4294967295".
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "profile/json.h"
#include "profile/json_check.h"
#include "profile/json_cures.h"
#include "profile/json_failures.h"
#include "profile/json_findings.h"
#include "profile/quotes.h"
#include "profile/recorder.h"

enum { MOST_DEVICES = 16, MOST_CURES = 1 << 16 };

// ---- Sites --------------------------------------------------------------------------------------

static void read_counts(struct profile_reader *reader, const json_t *object, enum site_space space,
                        struct profile_counts *counts) {
    counts->requests = profile_read_number(reader, object, "requests", INT64_MAX);
    counts->units = profile_read_number(reader, object, profile_units_key(space), INT64_MAX);
    counts->ideal = profile_read_number(reader, object, profile_ideal_key(space), INT64_MAX);
}

static void read_frames(struct profile_reader *reader, const json_t *object,
                        struct profile_site *site) {
    const json_t *frames = profile_read_array(reader, object, "inlined_at", 0);
    size_t count = json_array_size(frames);
    site->inlined_at = base_alloc((count + 1) * sizeof *site->inlined_at);
    site->inlined_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        size_t here = profile_enter(reader, "inlined_at[%zu]", i);
        const json_t *frame = profile_read_element(reader, frames, i);
        site->inlined_at[i] = (struct profile_frame){
            .file = profile_read_text(reader, frame, "file", true),
            .line = (uint32_t)profile_read_number(reader, frame, "line", UINT32_MAX),
            .function = profile_read_text(reader, frame, "function", true)};
        profile_leave(reader, here);
    }
}

static void read_degrees(struct profile_reader *reader, const json_t *object,
                         struct profile_site *site) {
    json_t *degrees = (json_t *)profile_read_object(reader, object, "degrees");
    size_t here = profile_enter(reader, "degrees");
    uint64_t sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach(degrees, key, value) {
        char *end;
        unsigned long degree = strtoul(key, &end, 10);
        if (key[0] < '1' || key[0] > '9' || *end || degree > PROFILE_MAX_DEGREE) {
            profile_fail(reader, ": \"%s\" is no degree (1 to %d)", key, PROFILE_MAX_DEGREE);
            break;
        }
        site->degrees[degree] = profile_read_number(reader, degrees, key, INT64_MAX);
        sum += site->degrees[degree];
    }
    if (sum != site->counts.requests)
        profile_fail(reader, ": the sum %llu is not the number of requests %llu",
                     (unsigned long long)sum, (unsigned long long)site->counts.requests);
    profile_leave(reader, here);
}

static void read_worst(struct profile_reader *reader, const json_t *object,
                       struct profile_site *site) {
    if (site->worst_degree == 0)
        return;
    const json_t *worst = profile_read_object(reader, object, "worst");
    size_t here = profile_enter(reader, "worst");
    profile_read_triple(reader, worst, "block", site->worst_block);
    site->worst_warp = (uint32_t)profile_read_number(reader, worst, "warp", UINT32_MAX);
    site->worst_mask = (uint32_t)profile_read_number(reader, worst, "mask", UINT32_MAX);
    site->why = profile_read_text(reader, worst, "why", true);
    if (json_object_get(worst, "help"))
        site->help = profile_read_text(reader, worst, "help", false);
    const json_t *offsets = profile_read_array(reader, worst, "offsets", WARP_LANES);
    for (size_t lane = 0; lane < WARP_LANES; lane++) {
        const json_t *offset = json_array_get(offsets, lane);
        if (site->worst_mask >> lane & 1)
            site->worst_offsets[lane] =
                (uint32_t)profile_check_number(reader, "offsets", offset, UINT32_MAX);
        else if (!json_is_null(offset))
            profile_fail(reader, "offsets: lane %zu is not in the mask, expected null", lane);
    }
    profile_leave(reader, here);
}

static void check_request(struct profile_reader *reader, const struct profile_request *asked) {
    static const uint32_t zeros[WARP_LANES];
    struct bankrun_request request = profile_bank_request(asked, 1, zeros);
    struct bankrun_cost cost;
    enum bankrun_status status = bankrun_count(reader->arch, &request, &cost);
    if (status == BANKRUN_BAD_WIDTH)
        profile_fail(reader, ": %s", bankrun_status_text(status));
}

// Profiles of before it was kept have none: what is not said is not guessed.
// Indices are quotients by these numbers: all but the first extent have a product that is no 0.
static void read_elements(struct profile_reader *reader, const json_t *object,
                          struct profile_elements *elements) {
    if (!json_object_get(object, "elements")) // not known, or an older profile
        return;
    const size_t here = profile_enter(reader, "elements");
    const json_t *inside = json_object_get(object, "elements");
    const json_t *extents = profile_read_array(reader, inside, "extents", 0);
    const size_t rank = json_array_size(extents);
    uint64_t product = 1;
    elements->bytes = profile_read_number(reader, inside, "bytes", UINT32_MAX);
    if (rank > PROFILE_MOST_RANK)
        profile_fail(reader, "extents: more than %d", PROFILE_MOST_RANK);
    for (size_t i = 0; i < rank && i < PROFILE_MOST_RANK; i++) {
        const json_t *extent = json_array_get(extents, i);
        elements->extents[i] = profile_check_number(reader, "extents", extent, UINT32_MAX);
        product *= i > 0 && product <= UINT32_MAX ? elements->extents[i] : 1;
    }
    if (!elements->bytes || !product || product > UINT32_MAX)
        profile_fail(reader, ": no array has such elements");
    elements->rank = reader->failed ? 0 : (unsigned)rank;
    profile_leave(reader, here);
}

static void read_request(struct profile_reader *reader, const json_t *object,
                         struct profile_site *site) {
    const char *names[BANKRUN_ACCESSES];
    const json_t *value = json_object_get(object, "request");
    site->is_modelled = value && !json_is_null(value);
    if (!site->is_modelled)
        return;
    for (int i = 0; i < BANKRUN_ACCESSES; i++)
        names[i] = bankrun_access_text((enum bankrun_access)i);
    value = profile_read_object(reader, object, "request");
    size_t here = profile_enter(reader, "request");
    site->request = (struct profile_request){
        .access = (enum bankrun_access)profile_read_name(reader, value, "access", names,
                                                         BANKRUN_ACCESSES),
        .width = (unsigned)profile_read_number(reader, value, "width", 16),
        .matrices = (unsigned)profile_read_number(reader, value, "matrices", 4),
        .is_scanned = profile_read_boolean(reader, value, "scanned"),
        .is_copy = profile_read_boolean(reader, value, "source"),
    };
    check_request(reader, &site->request);
    profile_leave(reader, here);
}

// Of names of which the first one stands for nothing.
static int read_verdict(struct profile_reader *reader, const json_t *object, const char *key,
                        const char *const *names, int count) {
    return 1 + profile_read_name(reader, object, key, names + 1, count - 1);
}

static void read_site(struct profile_reader *reader, const json_t *object,
                      struct profile_site *site) {
    site->space = (enum site_space)profile_read_name(reader, object, "space", profile_space_text,
                                                     SITE_SPACES);
    site->op =
        (enum profile_op)profile_read_name(reader, object, "op", profile_op_text, PROFILE_OPS);
    site->file = profile_read_text(reader, object, "file", true);
    site->line = (uint32_t)profile_read_number(reader, object, "line", UINT32_MAX);
    site->column = (uint32_t)profile_read_number(reader, object, "column", UINT32_MAX);
    site->function = profile_read_text(reader, object, "function", true);
    site->instruction = profile_read_text(reader, object, "instruction", false);
    site->verdict = profile_read_text(reader, object, "verdict", false);
    if (json_object_get(object, "proof")) // since 0.2
        site->proof = profile_read_text(reader, object, "proof", true);
    if (json_object_get(object, "bounds")) {
        site->fit = (enum profile_fit)read_verdict(reader, object, "bounds", profile_fit_text,
                                                   PROFILE_FITS_COUNT);
        site->bounds = profile_read_text(reader, object, "bounds_proof", true);
    }
    site->width = (unsigned)profile_read_number(reader, object, "width", 64);
    read_counts(reader, object, site->space, &site->counts);
    read_frames(reader, object, site);
    uint64_t excess = profile_read_number(reader, object, "excess", INT64_MAX);
    if (excess != profile_excess_of(&site->counts))
        profile_fail(reader, "excess: is not %s - %s", profile_units_key(site->space),
                     profile_ideal_key(site->space));
    if (!profile_has_total(site->space, site->op))
        profile_fail(reader, "op: there is no %s in %s memory", profile_op_text[site->op],
                     profile_space_text[site->space]);
    if (site->space != SITE_SHARED) {
        site->is_estimate = json_is_true(json_object_get(object, "estimate"));
        if (json_object_get(object, "help"))
            site->help = profile_read_text(reader, object, "help", false);
        profile_read_hints(reader, object, &site->hints);
        return;
    }
    site->array = profile_read_text(reader, object, "array", true);
    site->knows_array_offset = json_object_get(object, "array_offset"); // older profiles have none
    if (site->knows_array_offset)
        site->array_offset = profile_read_number(reader, object, "array_offset", UINT32_MAX);
    read_elements(reader, object, &site->elements);
    site->is_estimate = profile_read_boolean(reader, object, "estimate");
    site->may_merge = json_is_true(json_object_get(object, "may_merge"));
    if (json_object_get(object, "moved_behind"))
        site->moved_behind =
            (uint32_t)profile_read_number(reader, object, "moved_behind", UINT32_MAX);
    read_request(reader, object, site);
    site->worst_degree =
        (uint32_t)profile_read_number(reader, object, "worst_degree", PROFILE_MAX_DEGREE);
    read_degrees(reader, object, site);
    read_worst(reader, object, site);
    profile_read_hints(reader, object, &site->hints);
    if (json_object_get(object, "suppressed"))
        site->suppressed = profile_read_text(reader, object, "suppressed", false);
    if (json_object_get(object, "cure"))
        site->cure = 1 + (uint32_t)profile_read_number(reader, object, "cure", MOST_CURES - 1);
}

// ---- Launches -----------------------------------------------------------------------------------

static bool counts_equal(const struct profile_counts *a, const struct profile_counts *b) {
    return a->requests == b->requests && a->units == b->units && a->ideal == b->ideal;
}

static void check_totals(struct profile_reader *reader, const struct profile_launch *launch) {
    struct profile_counts sums[SITE_SPACES][PROFILE_OPS] = {0};
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *site = &launch->sites[i];
        profile_add_counts(&sums[site->space][site->op], &site->counts, 1);
    }
    for (int space = 0; space < SITE_SPACES; space++)
        for (int op = 0; op < PROFILE_OPS; op++)
            if (!counts_equal(&sums[space][op], &launch->totals[space][op]))
                profile_fail(reader, "totals.%s.%s: is not the sum of the sites",
                             profile_space_text[space], profile_op_text[op]);
}

static void check_cures(struct profile_reader *reader, const struct profile_launch *launch) {
    for (size_t i = 0; i < launch->site_count; i++)
        if (launch->sites[i].cure > launch->cure_count)
            profile_fail(reader, "sites[%zu].cure: there is no such element of `cures`", i);
}

static void read_totals(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch) {
    const json_t *totals = profile_read_object(reader, object, "totals");
    size_t outer = profile_enter(reader, "totals");
    for (int space = 0; space < SITE_SPACES; space++) {
        const json_t *ops = profile_read_object(reader, totals, profile_space_text[space]);
        size_t middle = profile_enter(reader, "%s", profile_space_text[space]);
        for (int op = 0; op < PROFILE_OPS; op++) {
            if (!profile_has_total((enum site_space)space, (enum profile_op)op))
                continue;
            const json_t *counts = profile_read_object(reader, ops, profile_op_text[op]);
            size_t inner = profile_enter(reader, "%s", profile_op_text[op]);
            read_counts(reader, counts, (enum site_space)space, &launch->totals[space][op]);
            profile_leave(reader, inner);
        }
        profile_leave(reader, middle);
    }
    profile_leave(reader, outer);
}

static struct profile_run read_run(struct profile_reader *reader, const json_t *object) {
    return (struct profile_run){
        .first = (uint32_t)profile_read_number(reader, object, "first", UINT32_MAX),
        .count = (uint32_t)profile_read_number(reader, object, "count", UINT32_MAX),
        .step = (uint32_t)profile_read_number(reader, object, "step", UINT32_MAX),
    };
}

// Profiles of before launches were folded have none.
static void read_runs(struct profile_reader *reader, const json_t *object,
                      struct profile_launch *launch) {
    free(launch->runs);
    launch->run_count = 0;
    launch->repeats = 1;
    if (!json_object_get(object, "repeats")) {
        launch->runs = base_alloc(sizeof *launch->runs);
        launch->runs[launch->run_count++] = (struct profile_run){launch->index, 1, 1};
        return;
    }
    const json_t *runs = profile_read_array(reader, object, "repeated", 0);
    uint64_t sum = 0;
    launch->repeats = profile_read_number(reader, object, "repeats", INT64_MAX);
    launch->runs = base_alloc((json_array_size(runs) + 1) * sizeof *launch->runs);
    for (size_t i = 0; i < json_array_size(runs) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "repeated[%zu]", i);
        struct profile_run run = read_run(reader, profile_read_element(reader, runs, i));
        uint64_t last = run.first + ((uint64_t)run.count - 1) * run.step;
        if (run.count == 0 || run.step == 0 || last > UINT32_MAX ||
            (i ? run.first <= profile_last_index(launch) : run.first != launch->index))
            profile_fail(reader, "first: the indices do not ascend from the launch's own");
        launch->runs[launch->run_count++] = run;
        sum += run.count;
        profile_leave(reader, here);
    }
    if (sum != launch->repeats)
        profile_fail(reader, "repeats: %llu, but `repeated` lists %llu",
                     (unsigned long long)launch->repeats, (unsigned long long)sum);
}

static double read_part(struct profile_reader *reader, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value) || json_number_value(value) < 0)
        profile_fail(reader, "%s: expected a number that is not negative", key);
    return json_number_value(value);
}

static void read_sample(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch) {
    const json_t *sample = json_object_get(object, "sample");
    launch->is_sample = sample && !json_is_null(sample);
    if (!launch->is_sample)
        return;
    size_t here = profile_enter(reader, "sample");
    launch->error[SITE_SHARED] = read_part(reader, sample, "wavefronts_error");
    launch->error[SITE_GLOBAL] = read_part(reader, sample, "sectors_error");
    profile_leave(reader, here);
}

static void read_blocks(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch) {
    const json_t *blocks = json_object_get(object, "every_block");
    launch->blocks.is_asked = blocks != NULL;
    if (!blocks)
        return;
    size_t here = profile_enter(reader, "every_block");
    launch->blocks.is_proved = profile_read_boolean(reader, blocks, "proved");
    launch->blocks.is_work_estimate = profile_read_boolean(reader, blocks, "instructions_estimate");
    launch->blocks.is_sectors_estimate = profile_read_boolean(reader, blocks, "sectors_estimate");
    launch->blocks.has_partial_input = profile_read_boolean(reader, blocks, "partial_input");
    launch->whole_reason = profile_read_text(reader, blocks, "reason", true);
    profile_leave(reader, here);
}

static void read_launch(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch) {
    launch->index = (uint32_t)profile_read_number(reader, object, "index", UINT32_MAX);
    read_runs(reader, object, launch);
    launch->kernel = profile_read_text(reader, object, "kernel", false);
    launch->symbol = profile_read_text(reader, object, "symbol", false);
    profile_read_triple(reader, object, "grid", launch->grid);
    profile_read_triple(reader, object, "block", launch->block);
    launch->shared_bytes = profile_read_number(reader, object, "shared_bytes", INT64_MAX);
    launch->bank_bytes = 4;
    if (json_object_get(object, "bank_bytes"))
        launch->bank_bytes = (unsigned)profile_read_number(reader, object, "bank_bytes", 8);
    launch->is_of_several = json_object_get(object, "device") != NULL;
    if (launch->is_of_several)
        launch->device = (unsigned)profile_read_number(reader, object, "device", MOST_DEVICES - 1);
    if (json_object_get(object, "thread"))
        launch->thread = (uint32_t)profile_read_number(reader, object, "thread", UINT32_MAX);
    launch->may_differ = json_is_true(json_object_get(object, "may_differ"));
    launch->blocks_run = profile_read_number(reader, object, "blocks_run", INT64_MAX);
    launch->instructions = profile_read_number(reader, object, "instructions", INT64_MAX);
    launch->thread_instructions =
        profile_read_number(reader, object, "thread_instructions", INT64_MAX);
    if (json_object_get(object, "barriers")) // older profiles have none
        launch->barriers = profile_read_number(reader, object, "barriers", INT64_MAX);
    launch->fault = profile_read_text(reader, object, "fault", true);
    profile_read_faults(reader, object, launch);
    profile_read_findings(reader, object, &launch->findings);
    if (json_object_get(object, "races")) {
        launch->freedom = (enum profile_freedom)read_verdict(
            reader, object, "races", profile_freedom_text, PROFILE_FREEDOMS);
        launch->races = profile_read_text(reader, object, "races_proof", true);
    }
    read_sample(reader, object, launch);
    read_blocks(reader, object, launch);
    read_totals(reader, object, launch);
    const json_t *sites = profile_read_array(reader, object, "sites", 0);
    launch->site_count = json_array_size(sites);
    launch->sites = base_alloc((launch->site_count + 1) * sizeof *launch->sites);
    for (size_t i = 0; i < launch->site_count && !reader->failed; i++) {
        size_t here = profile_enter(reader, "sites[%zu]", i);
        read_site(reader, profile_read_element(reader, sites, i), &launch->sites[i]);
        profile_leave(reader, here);
    }
    check_totals(reader, launch);
    profile_read_cures(reader, object, launch);
    check_cures(reader, launch);
}

// ---- The file -----------------------------------------------------------------------------------

static unsigned read_arch(struct profile_reader *reader, const json_t *root) {
    char *arch = profile_read_text(reader, root, "arch", false), *end = NULL;
    unsigned long number = 0;
    if (arch && strncmp(arch, "sm_", 3) == 0 && arch[3] >= '1' && arch[3] <= '9')
        number = strtoul(arch + 3, &end, 10);
    if (!end || *end || number > 9999) {
        profile_fail(reader, "arch: expected \"sm_\" and a number");
        number = 0;
    }
    free(arch);
    return (unsigned)number;
}

// Profiles of version 0.1 say so of what the machine code accesses alone.
static void read_as(struct profile_reader *reader, const json_t *root, struct profile *profile) {
    if (!json_object_get(root, "as"))
        return;
    char *as = profile_read_text(reader, root, "as", false);
    profile->is_as_compiled = as && strcmp(as, "compiled") == 0;
    if (as && !profile->is_as_compiled && strcmp(as, "written") != 0)
        profile_fail(reader, "as: expected \"compiled\" or \"written\"");
    free(as);
    if (json_object_get(root, "compiled_by"))
        profile->compiled_by = profile_read_text(reader, root, "compiled_by", false);
    if (json_object_get(root, "as_reason"))
        profile->as_reason = profile_read_text(reader, root, "as_reason", false);
}

static void check_schema(struct profile_reader *reader, const json_t *root) {
    char *schema = profile_read_text(reader, root, "schema", false);
    if (schema && strcmp(schema, PROFILE_SCHEMA) != 0)
        profile_fail(reader,
                     "schema: \"%s\" is not \"" PROFILE_SCHEMA "\", which this bankrun reads",
                     schema);
    free(schema);
}

// Returns the texts, *count of them.
static char **read_program(struct profile_reader *reader, const json_t *object, size_t *count) {
    const json_t *program = profile_read_array(reader, object, "program", 0);
    char **texts = base_alloc((json_array_size(program) + 1) * sizeof(char *));
    *count = 0;
    for (size_t i = 0; i < json_array_size(program); i++) {
        const json_t *argument = json_array_get(program, i);
        if (!json_is_string(argument))
            profile_fail(reader, "program: expected strings");
        else
            texts[(*count)++] = base_strdup(json_string_value(argument));
    }
    return texts;
}

// Only a command whose processes were followed has them.
static void read_processes(struct profile_reader *reader, const json_t *root,
                           struct profile *profile) {
    uint64_t launches = 0;
    if (!json_object_get(root, "processes"))
        return;
    const json_t *processes = profile_read_array(reader, root, "processes", 0);
    for (size_t i = 0; i < json_array_size(processes) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "processes[%zu]", i);
        const json_t *object = profile_read_element(reader, processes, i);
        struct profile_process *process = profile_add_process(profile);
        process->program = read_program(reader, object, &process->program_count);
        process->launched = profile_read_number(reader, object, "launches", INT32_MAX);
        launches += process->launched;
        profile_leave(reader, here);
    }
    if (!reader->failed && launches != profile->launched && !profile->only)
        profile_fail(reader, "processes: they made %llu launches, but there are %llu",
                     (unsigned long long)launches, (unsigned long long)profile->launched);
}

static void check_order(struct profile_reader *reader, const struct profile *profile, size_t i) {
    const struct profile_launch *launch = &profile->launches[i];
    if (i == 0 && launch->index != 0 && !profile->only)
        profile_fail(reader, "index: expected 0");
    if (i > 0 && launch->index <= launch[-1].index)
        profile_fail(reader, "index: expected more than %u", launch[-1].index);
}

static uint32_t read_checks(struct profile_reader *reader, const json_t *root) {
    uint32_t checks = 0;
    if (reader->failed || !json_object_get(root, "checks"))
        return 0;
    const json_t *names = profile_read_array(reader, root, "checks", 0);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const uint32_t before = checks;
        for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
            if (name && strcmp(name, profile_check_text[check]) == 0)
                checks |= profile_check_bit(check);
        if (checks == before)
            profile_fail(reader, "checks[%zu]: expected the name of a checker", i);
    }
    return checks;
}

static void read_quotes(struct profile_reader *reader, const json_t *root,
                        struct profile *profile) {
    if (reader->failed || !json_object_get(root, "quotes"))
        return;
    const json_t *quotes = profile_read_array(reader, root, "quotes", 0);
    for (size_t i = 0; i < json_array_size(quotes) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "quotes[%zu]", i);
        const json_t *object = profile_read_element(reader, quotes, i);
        struct profile_quote quote = {
            .file = profile_read_text(reader, object, "file", false),
            .line = (uint32_t)profile_read_number(reader, object, "line", UINT32_MAX),
            .text = profile_read_text(reader, object, "text", false)};
        if (reader->failed) {
            free(quote.file);
            free(quote.text);
        } else {
            profile_push_quote(profile, quote);
        }
        profile_leave(reader, here);
    }
    profile_sort_quotes(profile);
}

static struct profile *read_profile(struct profile_reader *reader, const json_t *root) {
    if (!json_is_object(root)) {
        profile_fail(reader, ": expected a JSON object");
        return NULL;
    }
    check_schema(reader, root);
    if (reader->failed)
        return NULL;
    struct profile *profile = base_alloc(sizeof *profile);
    profile->arch = reader->arch = read_arch(reader, root);
    read_as(reader, root, profile);
    profile->is_uncounted = json_is_false(json_object_get(root, "counted"));
    profile->checks = read_checks(reader, root);
    if (json_object_get(root, "only"))
        profile->only = profile_read_text(reader, root, "only", false);
    profile->program = read_program(reader, root, &profile->program_count);
    const json_t *launches = profile_read_array(reader, root, "launches", 0);
    for (size_t i = 0; i < json_array_size(launches) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "launches[%zu]", i);
        struct profile_launch *launch = profile_add_launch(profile);
        read_launch(reader, profile_read_element(reader, launches, i), launch);
        check_order(reader, profile, i);
        profile_leave(reader, here);
    }
    profile->launched = 0;
    for (size_t i = 0; i < profile->launch_count; i++)
        profile->launched += profile->launches[i].repeats;
    read_processes(reader, root, profile);
    profile_read_failures(reader, root, profile);
    profile_read_findings(reader, root, &profile->findings);
    read_quotes(reader, root, profile);
    if (!reader->failed)
        return profile;
    profile_free(profile);
    return NULL;
}

// NULL: it is not JSON, which the reader's list says.
static json_t *parse(struct profile_reader *reader, const char *text, size_t length) {
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        diag_error(reader->diags, "%s:%d:%d: not JSON: %s", reader->file, error.line, error.column,
                   error.text);
    return root;
}

struct profile *profile_parse(const char *name, const char *text, size_t length,
                              struct diag_list *diags) {
    struct profile_reader reader = {.diags = diags, .file = name};
    json_t *root = parse(&reader, text, length);
    struct profile *profile = root ? read_profile(&reader, root) : NULL;
    json_decref(root);
    strbuf_free(&reader.where);
    return profile;
}

struct profile *profile_read(const char *path, struct diag_list *diags) {
    char *data;
    size_t length;
    if (!file_read(path, &data, &length)) {
        diag_error(diags, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct profile *profile = profile_parse(path, data, length, diags);
    free(data);
    return profile;
}

bool profile_parse_launch(struct profile *profile, const char *name, const char *text,
                          size_t length, struct diag_list *diags) {
    struct profile_reader reader = {.diags = diags, .file = name, .arch = profile->arch};
    json_t *root = parse(&reader, text, length);
    if (!root)
        return false;
    struct profile_launch *launch = profile_add_launch(profile);
    uint32_t index = launch->index;
    read_launch(&reader, root, launch);
    if (!reader.failed && (launch->index != index || launch->repeats != 1))
        profile_fail(&reader, "index: expected %u", index);
    if (reader.failed) {
        profile_free_launch(launch);
        profile->launch_count--;
        profile->launched--;
    }
    json_decref(root);
    strbuf_free(&reader.where);
    return !reader.failed;
}
