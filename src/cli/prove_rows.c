// What was found of a kernel's accesses, as rows: those that say the same of one line are one.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/prove.h"
#include "ir/address.h"
#include "profile/recorder.h"
#include "ptx/ptx.h"

// Inlined into the same lines.
static bool same_calls(const struct profile_site *a, const struct profile_site *b) {
    bool is_same = a->inlined_count == b->inlined_count;
    for (uint32_t i = 0; is_same && i < a->inlined_count; i++)
        is_same = a->inlined_at[i].line == b->inlined_at[i].line &&
                  text_is_same(a->inlined_at[i].file, b->inlined_at[i].file);
    return is_same;
}

static bool is_same(const struct prove_row *a, const struct prove_row *b) {
    return a->about.line == b->about.line && text_is_same(a->about.file, b->about.file) &&
           text_is_same(a->about.instruction, b->about.instruction) &&
           text_is_same(a->about.array, b->about.array) && text_is_same(a->verdict, b->verdict) &&
           text_is_same(a->detail, b->detail) && text_is_same(a->bounds, b->bounds) &&
           text_is_same(a->alignment, b->alignment) &&
           (!a->site.has_excess || same_calls(&a->about, &b->about));
}

static void add_column(struct prove_row *row, uint32_t column) {
    for (uint32_t i = 0; i < row->column_count; i++)
        if (row->columns[i] == column)
            return;
    if (column && row->column_count < PROVE_COLUMNS)
        row->columns[row->column_count++] = column;
}

static const char *take(struct arena *arena, struct strbuf *text) {
    const char *kept = text->length ? arena_strndup(arena, text->data, text->length) : NULL;
    strbuf_free(text);
    return kept;
}

// Where the instruction stands in the PTX, of a module that does not say what it was made of.
static void place_in_ptx(const struct source *source, const struct ir_kernel_site *site,
                         struct profile_site *about) {
    const struct ir_instruction *instruction =
        &site->function->instructions[site->site->instruction];
    source_position(source, instruction->ptx->range.begin, &about->line, &about->column);
    about->file = base_strdup(source->name);
}

// The module is gone when the row is shown.
static void forget_module(struct prove_report *report, struct prove_row *row) {
    const struct ir_variable *into = row->site.bounds.into;
    char *name = into ? profile_array_name(into->name) : NULL;
    row->into = name ? arena_strndup(report->arena, name, strlen(name)) : NULL;
    free(name);
    row->site.function = row->site.bounds.function = row->site.alignment.function = NULL;
    row->site.bounds.array = row->site.bounds.into = NULL;
    row->site.bounds.kernel = NULL;
}

static struct prove_row row_of(struct prove_report *report, const struct source *source,
                               const struct ir_kernel_site *site, const struct ir_variable *array,
                               const struct prove_site *found) {
    const struct recorded_site recorded = {
        .function = site->function, .site = site->site, .is_wider = site->is_wider};
    struct prove_row row = {.site = *found, .count = 1};
    struct strbuf verdict = {0}, detail = {0}, bounds = {0}, alignment = {0};
    row.about.op = profile_op_of(site->site->op);
    row.about.width = site->site->width;
    profile_describe_site(&recorded, array, &row.about);
    if (!row.about.file && source->name == report->name)
        place_in_ptx(source, site, &row.about);
    prove_put_verdict(&verdict, found);
    prove_put_detail(&detail, found);
    row.verdict = take(report->arena, &verdict);
    row.detail = take(report->arena, &detail);
    row.reason_line = prove_line(found->function, found->instruction);
    prove_put_bounds(&bounds, found, row.about.width);
    prove_put_alignment(&alignment, found, row.about.width);
    row.bounds = take(report->arena, &bounds);
    row.alignment = take(report->arena, &alignment);
    row.bounds_line = prove_line(found->bounds.function, found->bounds.instruction);
    row.alignment_line = prove_line(found->alignment.function, found->alignment.instruction);
    forget_module(report, &row);
    add_column(&row, row.about.column);
    return row;
}

// Of two accesses of which the same is said.
static void join_reach(struct prove_bounds *bounds, const struct prove_bounds *more) {
    bounds->has_reach &= more->has_reach;
    bounds->low = more->low < bounds->low ? more->low : bounds->low;
    bounds->high = more->high > bounds->high ? more->high : bounds->high;
}

static void add_row(struct prove_proof *proof, struct prove_row *row, bool is_seen) {
    const size_t count = is_seen ? proof->rows.length : proof->unseen.length;
    for (size_t i = 0; i < count; i++) {
        struct prove_row *other = is_seen ? &proof->rows.data[i] : &proof->unseen.data[i];
        if (!is_same(other, row))
            continue;
        other->count++;
        join_reach(&other->site.bounds, &row->site.bounds);
        add_column(other, row->about.column);
        profile_free_site(&row->about);
        return;
    }
    if (is_seen)
        vec_push(&proof->rows, *row);
    else
        vec_push(&proof->unseen, *row);
}

// ---- Order ----------------------------------------------------------------------------------

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

bool prove_is_misfit(const struct prove_row *row) {
    return row->site.bounds.fit == PROVE_MISFITS || row->site.alignment.fit == PROVE_MISFITS;
}

// What leaves its array first. What may conflict before what does not, more before less, what is
// sure before what is not.
static int by_weight(const void *left, const void *right) {
    const struct prove_row *a = left, *b = right;
    int order = compare_numbers(prove_is_misfit(b), prove_is_misfit(a));
    if (!order)
        order = compare_numbers(b->site.has_excess, a->site.has_excess);
    if (!order && a->site.has_excess)
        order = compare_numbers(b->site.degree, a->site.degree);
    if (!order && a->site.has_excess)
        order = compare_numbers(a->site.verdict, b->site.verdict);
    if (!order)
        order = strcmp(a->about.file ? a->about.file : "", b->about.file ? b->about.file : "");
    if (!order)
        order = compare_numbers(a->about.line, b->about.line);
    if (!order)
        order = compare_numbers(a->about.column, b->about.column);
    if (!order)
        order = strcmp(a->about.instruction, b->about.instruction);
    return order ? order : strcmp(a->verdict, b->verdict);
}

// The memory that the prover looks at: of copies from one into the other the first that is named.
static bool names_shared(const struct ir_function *kernel, const struct ir_kernel_site *site) {
    const struct ir_instruction *instruction =
        &site->function->instructions[site->site->instruction];
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        if (instruction->operands[o].kind == IR_OPERAND_ADDRESS)
            return ir_access_place(site->function, ir_shared_layout(kernel), instruction,
                                   &instruction->operands[o])
                       .space == PTX_SPACE_SHARED;
    return false;
}

void prove_fill(struct prove_report *report, const struct source *source,
                const struct ir_function *kernel, const struct prove_result *result,
                struct prove_proof *proof) {
    uint32_t count;
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &count);
    const struct ir_variable **arrays = ir_shared_origins(kernel);
    proof->trouble = result->trouble;
    for (uint32_t s = 0; s < count; s++) {
        const struct prove_site *found = &result->sites[s];
        const bool is_seen =
            found->verdict != PROVE_NOT_REACHED || found->bounds.fit != PROVE_FIT_NONE;
        if (!is_seen && !names_shared(kernel, &sites[s])) // but global memory, or either
            continue;
        struct prove_row row = row_of(report, source, &sites[s], arrays[s], found);
        add_row(proof, &row, is_seen);
    }
    if (proof->rows.length)
        qsort(proof->rows.data, proof->rows.length, sizeof *proof->rows.data, by_weight);
    free(arrays);
    free(sites);
}

bool prove_says_same(const struct prove_proof *a, const struct prove_proof *b) {
    if (strcmp(a->symbol, b->symbol) || a->rows.length != b->rows.length ||
        a->unseen.length != b->unseen.length || !text_is_same(a->trouble, b->trouble) ||
        !prove_races_say_same(&a->races, &b->races))
        return false;
    for (size_t i = 0; i < a->rows.length; i++)
        if (!is_same(&a->rows.data[i], &b->rows.data[i]) ||
            a->rows.data[i].count != b->rows.data[i].count)
            return false;
    return true;
}

struct prove_sums prove_sums_of(const struct prove_proof *proof) {
    struct prove_sums sums = {0};
    for (size_t i = 0; i < proof->rows.length; i++) {
        const struct prove_row *row = &proof->rows.data[i];
        const enum prove_fit bounds = row->site.bounds.fit,
                             alignment =
                                 row->about.width > 1 ? row->site.alignment.fit : PROVE_FITS;
        sums.all += row->count;
        sums.excess += row->site.has_excess ? row->count : 0;
        sums.misfits += bounds == PROVE_MISFITS ? row->count : 0;
        sums.conditional += bounds == PROVE_FITS_IF ? row->count : 0;
        sums.not_placed += bounds == PROVE_FIT_UNKNOWN ? row->count : 0;
        if (row->site.bounds.lacks_size) {
            sums.no_size += row->count;
            if (row->site.bounds.high >= (int64_t)sums.wanted_bytes)
                sums.wanted_bytes = (uint64_t)row->site.bounds.high + 1;
        }
        sums.misplaced += bounds > PROVE_FITS || alignment > PROVE_FITS ? row->count : 0;
        sums.misaligned += alignment == PROVE_MISFITS ? row->count : 0;
        sums.not_aligned += alignment == PROVE_FIT_UNKNOWN ? row->count : 0;
    }
    return sums;
}

void prove_proof_free(struct prove_proof *proof) {
    for (size_t i = 0; i < proof->rows.length; i++)
        profile_free_site(&proof->rows.data[i].about);
    for (size_t i = 0; i < proof->unseen.length; i++)
        profile_free_site(&proof->unseen.data[i].about);
    vec_free(&proof->rows);
    vec_free(&proof->unseen);
    vec_free(&proof->shapes);
}

void prove_report_free(struct prove_report *report) {
    for (size_t i = 0; i < report->proofs.length; i++)
        prove_proof_free(&report->proofs.data[i]);
    vec_free(&report->proofs);
    arena_destroy(report->arena);
}
