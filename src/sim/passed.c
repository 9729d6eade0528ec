// Accesses that a GPU would let pass: counted by each worker, put together by source line.
#include <stdarg.h>
#include <stdlib.h>

#include "sim/flow/block.h"
#include "sim/launch.h"

static struct sim_passed *find(struct sim_worker *worker, const struct sim_instr *instr) {
    for (size_t i = 0; i < worker->passed.length; i++)
        if (worker->passed.data[i].instr == instr)
            return &worker->passed.data[i];
    return NULL;
}

bool sim_count_passed(const struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_worker *worker = warp->block->worker;
    struct sim_passed *found = find(worker, instr);
    if (!found) {
        vec_push(&worker->passed, (struct sim_passed){.instr = instr, .order = UINT64_MAX});
        found = &worker->passed.data[worker->passed.length - 1];
    }
    found->count++;
    return warp->block->order < found->order;
}

void sim_describe_passed(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                         uint64_t address, const char *format, ...) {
    struct sim_worker *worker = warp->block->worker;
    struct sim_passed *found = find(worker, instr);
    va_list arguments;
    va_start(arguments, format);
    sim_result_free(&found->first);
    found->first =
        sim_describe(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address, format, arguments);
    va_end(arguments);
    found->order = warp->block->order;
    found->number = worker->passed_number++;
}

// ---- Together -----------------------------------------------------------------------------

// Where no line is known each instruction is one of its own.
static bool is_same_line(const struct sim_passed *a, const struct sim_passed *b) {
    const struct ptx_location *x =
        ir_program_location(a->first.function, ir_location(a->first.function, a->first.location));
    const struct ptx_location *y =
        ir_program_location(b->first.function, ir_location(b->first.function, b->first.location));
    return x && y && x->line ? x->file == y->file && x->line == y->line : a->instr == b->instr;
}

static bool is_earlier(const struct sim_passed *a, const struct sim_passed *b) {
    return a->order != b->order ? a->order < b->order : a->number < b->number;
}

static void add(struct sim_result *result, struct sim_passed *passed) {
    struct sim_passed *same = NULL;
    for (size_t i = 0; i < result->passed_count && !same; i++)
        if (is_same_line(&result->passed[i], passed))
            same = &result->passed[i];
    if (!same) {
        result->passed =
            base_realloc(result->passed, (result->passed_count + 1) * sizeof *result->passed);
        result->passed[result->passed_count++] = *passed;
        return;
    }
    const uint64_t count = same->count + passed->count;
    if (is_earlier(passed, same)) {
        const struct sim_passed later = *same;
        *same = *passed;
        *passed = later;
    }
    same->count = count;
    sim_result_free(&passed->first);
}

static int by_order(const void *a, const void *b) {
    return is_earlier(a, b) ? -1 : is_earlier(b, a);
}

void sim_take_passed(struct sim_worker *worker, struct sim_result *result) {
    for (size_t i = 0; i < worker->passed.length; i++)
        add(result, &worker->passed.data[i]);
    if (result->passed_count)
        qsort(result->passed, result->passed_count, sizeof *result->passed, by_order);
    vec_free(&worker->passed);
}

void sim_free_passed(struct sim_result *result) {
    for (size_t i = 0; i < result->passed_count; i++)
        free(result->passed[i].first.message);
    free(result->passed);
    result->passed = NULL;
    result->passed_count = 0;
}
