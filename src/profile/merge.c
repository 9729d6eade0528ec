// Many workers' counters become the rows of a launch. Instructions that are one access to the user
// are one row: a loop that the compiler unrolled 16 times has 16 of them at its place.
// The result depends on the events alone, not on which worker saw them.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/hint_global.h"
#include "profile/hint_launch.h"
#include "profile/hint_words.h"
#include "profile/recorder.h"

struct merged_site {
    struct profile_site site;
    struct candidate worst;
    VEC(uint32_t) numbers; // of the recorded sites, the first one first
    uint64_t array_offset; // of the array; UINT64_MAX: none
    const struct ir_variable *array;
    struct profile_proof proof;
};
typedef VEC(struct merged_site) merged_list;

// ---- Over workers -----------------------------------------------------------------------------

struct sum { // of one site, space and array
    const struct ir_variable *array;
    struct counter total;
};
typedef VEC(struct sum) sum_list;

static void add_counter(struct counter *to, const struct counter *from, bool is_scaled) {
    const struct counter_scaled *scaled = is_scaled ? from->scaled : NULL;
    const struct profile_counts *counts = scaled ? &scaled->counts : &from->counts;
    const uint64_t *degrees = scaled ? scaled->degrees : from->degrees;
    profile_add_counts(&to->counts, counts, 1);
    for (int degree = 0; degree <= PROFILE_MAX_DEGREE; degree++)
        to->degrees[degree] += degrees[degree];
    to->is_estimate |= from->is_estimate;
    if (candidate_precedes(&from->worst, &to->worst))
        to->worst = from->worst;
}

static void add_to_sums(sum_list *sums, struct counter *counter, bool is_scaled) {
    counter_flush(counter);
    size_t i = 0;
    while (i < sums->length && sums->data[i].array != counter->array)
        i++;
    if (i == sums->length)
        vec_push(sums, (struct sum){.array = counter->array});
    add_counter(&sums->data[i].total, counter, is_scaled);
}

static void add_row(merged_list *rows, const struct recorded_site *recorded, uint32_t number,
                    enum site_space space, const struct sum *sum) {
    struct merged_site row = {.worst = sum->total.worst,
                              .array_offset = sum->array ? sum->array->offset : UINT64_MAX,
                              .array = sum->array};
    row.site.space = space;
    row.site.op = recorded->op;
    row.site.width = recorded->site->width;
    row.site.counts = sum->total.counts;
    row.site.is_estimate = sum->total.is_estimate;
    row.site.knows_array_offset = space == SITE_SHARED && sum->array;
    row.site.array_offset = sum->array ? sum->array->offset : 0;
    if (space == SITE_SHARED) {
        const struct counter_rule *rule = &recorded->rules[SITE_SHARED];
        row.site.is_modelled = !rule->is_estimate;
        row.site.request = rule->request;
        memcpy(row.site.degrees, sum->total.degrees, sizeof row.site.degrees);
    }
    profile_describe_site(recorded, sum->array, &row.site);
    vec_push(&row.numbers, number);
    vec_push(rows, row);
}

static struct profile_proof proof_of(const struct profile_launch_result *result,
                                     const struct recorded_site *site, uint32_t number) {
    if (site->is_wider) {
        const uint32_t written = number % result->proof_count;
        return (struct profile_proof){.why = "the code generator made one access of several",
                                      .moved_behind = result->proofs[written].moved_behind};
    }
    struct profile_proof proof = result->proofs[number];
    proof.may_merge &= !result->is_as_compiled;
    return proof;
}

static void sum_site(struct profile_recorder *recorder, uint32_t number, enum site_space space,
                     const struct profile_launch_result *result, merged_list *rows) {
    sum_list sums = {0};
    for (unsigned w = 0; w < recorder->info.workers; w++) {
        if (!recorder->workers[w])
            continue;
        struct counter *counter = recorder->workers[w]->counters[number][space];
        for (; counter; counter = counter->next)
            add_to_sums(&sums, counter, result->blocks.is_proved);
    }
    const struct recorded_site *site = &recorder->sites[number];
    for (size_t i = 0; i < sums.length; i++) {
        if (space == SITE_SHARED && site->site->is_retried)
            sums.data[i].total.is_estimate |= profile_is_contended(recorder, sums.data[i].array);
        if (space == SITE_GLOBAL && result->has_other_sectors)
            sums.data[i].total.is_estimate |= result->has_other_sectors[number];
        if (sums.data[i].total.counts.requests == 0)
            continue;
        add_row(rows, site, number, space, &sums.data[i]);
        if (result->proofs && space == SITE_SHARED)
            rows->data[rows->length - 1].proof = proof_of(result, site, number);
    }
    vec_free(&sums);
}

// ---- Over instructions ------------------------------------------------------------------------

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_texts(const char *a, const char *b) { // the unknown one last
    if (!a || !b)
        return (a == NULL) - (b == NULL);
    return strcmp(a, b);
}

static int compare_chains(const struct profile_site *a, const struct profile_site *b) {
    for (uint32_t i = 0; i < a->inlined_count && i < b->inlined_count; i++) {
        int order = compare_texts(a->inlined_at[i].file, b->inlined_at[i].file);
        if (order == 0)
            order = compare_numbers(a->inlined_at[i].line, b->inlined_at[i].line);
        if (order != 0)
            return order;
    }
    return compare_numbers(a->inlined_count, b->inlined_count);
}

static int compare_requests(const struct profile_request *a, const struct profile_request *b) {
    int order = compare_numbers(a->access, b->access);
    order = order ? order : compare_numbers(a->matrices, b->matrices);
    order = order ? order : compare_numbers(a->is_scanned, b->is_scanned);
    return order ? order : compare_numbers(a->is_copy, b->is_copy);
}

static bool has_excess(const struct profile_site *site) {
    return site->counts.units > site->counts.ideal;
}

// What makes two rows different accesses to the user. Compilers often name the first column of a
// statement for all of it: of `a[x][0] + a[0][x]` the one access conflicts, the other does not.
static int compare_identities(const struct profile_site *a, const struct profile_site *b) {
    int order = compare_numbers(a->space, b->space);
    order = order ? order : compare_texts(a->file, b->file);
    order = order ? order : compare_numbers(a->line, b->line);
    order = order ? order : compare_numbers(a->column, b->column);
    order = order ? order : compare_texts(a->instruction, b->instruction);
    order = order ? order : compare_texts(a->array, b->array);
    order = order ? order : compare_numbers(a->op, b->op);
    order = order ? order : compare_numbers(a->width, b->width);
    order = order ? order : compare_chains(a, b);
    order = order ? order : compare_requests(&a->request, &b->request);
    return order ? order : compare_numbers(has_excess(b), has_excess(a));
}

static int by_identity(const void *left, const void *right) {
    const struct merged_site *a = left, *b = right;
    int order = compare_identities(&a->site, &b->site);
    order = order ? order : compare_numbers(a->numbers.data[0], b->numbers.data[0]);
    return order ? order : compare_numbers(a->array_offset, b->array_offset);
}

// Rows come in the order of their numbers, so that of equal requests the first instruction's stays.
static void join(struct merged_site *to, struct merged_site *from) {
    profile_add_counts(&to->site.counts, &from->site.counts, 1);
    for (int degree = 0; degree <= PROFILE_MAX_DEGREE; degree++)
        to->site.degrees[degree] += from->site.degrees[degree];
    to->site.is_estimate |= from->site.is_estimate;
    if (candidate_precedes(&from->worst, &to->worst)) {
        to->worst = from->worst;
        to->site.array_offset = from->site.array_offset;
    }
    profile_join_proofs(&to->proof, &from->proof);
    for (size_t i = 0; i < from->numbers.length; i++)
        vec_push(&to->numbers, from->numbers.data[i]);
    vec_free(&from->numbers);
    profile_free_site(&from->site);
}

static void join_rows(merged_list *rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->length; i++) {
        if (kept > 0 && compare_identities(&rows->data[kept - 1].site, &rows->data[i].site) == 0)
            join(&rows->data[kept - 1], &rows->data[i]);
        else
            rows->data[kept++] = rows->data[i];
    }
    rows->length = kept;
}

// ---- The launch -------------------------------------------------------------------------------

struct cured { // an array that was looked at
    const struct ir_variable *array;
    size_t before; // cures of the launch that come before its own
    struct profile_cures found;
};

struct finish {
    const struct profile_recorder *recorder;
    const uint8_t *parameters; // NULL: nothing is known
    struct profile_launch *launch;
    VEC(struct cured) cured;
};

static const struct cured *look_at(struct finish *finish, const struct ir_variable *array) {
    struct profile_launch *launch = finish->launch;
    for (size_t i = 0; i < finish->cured.length; i++)
        if (finish->cured.data[i].array == array)
            return &finish->cured.data[i];
    struct profile_cures found = profile_find_cures(finish->recorder, array);
    vec_push(&finish->cured, (struct cured){array, launch->cure_count, found});
    launch->cures =
        base_realloc(launch->cures, (launch->cure_count + found.count + 1) * sizeof *launch->cures);
    for (size_t i = 0; i < found.count; i++)
        launch->cures[launch->cure_count++] = found.list[i];
    return &finish->cured.data[finish->cured.length - 1];
}

static void add_hints(struct profile_site *site, const struct profile_cures *found,
                      uint32_t number) {
    for (size_t i = 0; i < found->hint_count; i++) {
        const struct profile_hints *hints = &found->hints[i].hints;
        if (found->hints[i].site != number)
            continue;
        site->hints.excess += hints->excess;
        site->hints.stride = hints->stride;
        for (int hint = 0; hint < PROFILE_HINTS; hint++)
            site->hints.gains[hint] += hints->gains[hint];
    }
}

// Where lanes go by what memory holds, no order of theirs is a better one; and only there they go
// at random. Which lanes have which elements of a fragment is not for a program to choose.
static void settle_hints(const struct finish *finish, struct merged_site *row) {
    const struct profile_recorder *recorder = finish->recorder;
    uint64_t *gains = row->site.hints.gains;
    const char *why = row->proof.why;
    const bool is_loaded = why && strcmp(why, PROFILE_LOADED) == 0;
    if (!is_loaded)
        gains[PROFILE_HINT_RANDOM] = 0;
    if (is_loaded || recorder->sites[row->numbers.data[0]].site->is_fragment)
        gains[PROFILE_HINT_ORDER] = 0;
    const struct hint_launch launch = {recorder->info.kernel, finish->parameters,
                                       recorder->info.block[0]};
    if (hint_launch(&launch, &row->proof.choice, &row->site.hints.parameter))
        gains[PROFILE_HINT_LAUNCH] = row->site.hints.excess;
}

static void help(struct finish *finish, struct merged_site *row) {
    struct profile_site *site = &row->site;
    const struct cured *cured = look_at(finish, row->array);
    const uint32_t number = cured->found.of_site ? cured->found.of_site[row->numbers.data[0]] : 0;
    struct strbuf text = {0};
    site->cure = number ? (uint32_t)cured->before + number : 0;
    for (size_t i = 0; i < row->numbers.length; i++)
        add_hints(site, &cured->found, row->numbers.data[i]);
    settle_hints(finish, row);
    const struct profile_cure *cure = site->cure ? &finish->launch->cures[site->cure - 1] : NULL;
    const bool has_layout = cure && !cure->reason;
    if (!has_layout) // what does help comes first
        profile_put_hints(&text, site);
    if (cure) {
        char *layouts = profile_cure_text(cure);
        strbuf_printf(&text, "%s%s", text.length ? "\n" : "", layouts);
        free(layouts);
    }
    if (has_layout)
        profile_put_hints(&text, site);
    site->help = text.length ? strbuf_take(&text) : NULL;
}

static void finish_row(struct finish *finish, struct merged_site *row) {
    const struct profile_recorder *recorder = finish->recorder;
    struct profile_site *site = &row->site;
    const struct candidate *worst = &row->worst;
    profile_say_proof(site, &row->proof);
    if (site->space != SITE_SHARED) {
        site->shape = hint_global_shape(worst->mask, worst->offsets);
        site->shape.bytes = site->width * (unsigned)row->numbers.length;
        return;
    }
    site->worst_degree = worst->degree;
    site->worst_warp = worst->warp;
    site->worst_mask = worst->mask;
    memcpy(site->worst_block, worst->block, sizeof site->worst_block);
    memcpy(site->worst_offsets, worst->offsets, sizeof site->worst_offsets);
    if (has_excess(site)) {
        struct bankrun_request request =
            profile_bank_request(&site->request, worst->mask, worst->offsets);
        const struct recorded_site *recorded = &recorder->sites[row->numbers.data[0]];
        if (row->array)
            site->elements = profile_find_elements(recorded->function, row->array, site->width);
        const struct profile_named named = {site->array, site->array_offset, site->elements};
        site->why = profile_why(recorder->info.arch, &request, recorded->site->is_sum,
                                row->array ? &named : NULL);
        help(finish, row);
    }
}

void profile_merge(struct profile_recorder *recorder, struct profile_launch *launch,
                   const struct profile_launch_result *result) {
    merged_list rows = {0};
    for (uint32_t number = 0; number < recorder->site_count; number++)
        for (int space = 0; space < SITE_SPACES; space++)
            sum_site(recorder, number, (enum site_space)space, result, &rows);
    if (rows.length > 0) {
        qsort(rows.data, rows.length, sizeof *rows.data, by_identity);
        join_rows(&rows);
    }
    launch->sites = base_alloc((rows.length + 1) * sizeof *launch->sites);
    launch->site_count = rows.length;
    struct finish finish = {
        .recorder = recorder, .parameters = result->parameters, .launch = launch};
    for (size_t i = 0; i < rows.length; i++) {
        finish_row(&finish, &rows.data[i]);
        launch->sites[i] = rows.data[i].site;
        vec_free(&rows.data[i].numbers);
        const struct profile_site *site = &launch->sites[i];
        profile_add_counts(&launch->totals[site->space][site->op], &site->counts, 1);
    }
    for (size_t i = 0; i < finish.cured.length; i++)
        profile_free_cures(&finish.cured.data[i].found);
    vec_free(&finish.cured);
    vec_free(&rows);
}
