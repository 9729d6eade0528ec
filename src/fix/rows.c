// Takes requests apart into strides, and finds the one that is from row to row. See rows.h.
#include "fix/rows.h"

#include <stdlib.h>

enum { LEAST_ROW = 32, LEVELS = 3, MOST_STRIDES = 64, MOST_ROWS = 6, MOST_TRIED = 16 };

// ---- Runs of lanes --------------------------------------------------------------------------

struct run { // of so many places, each `stride` bytes behind the one before
    int64_t first, stride;
    unsigned count;
};

struct runs {
    struct run list[BANKRUN_LANES];
    unsigned count;
};

// Runs of equal strides, one after the other.
static void take_apart(const int64_t *places, unsigned count, struct runs *runs) {
    runs->count = 0;
    for (unsigned i = 0; i < count;) {
        struct run run = {places[i], 0, 1};
        if (i + 1 < count)
            run.stride = places[i + 1] - places[i];
        while (i + run.count < count &&
               places[i + run.count] - places[i + run.count - 1] == run.stride)
            run.count++;
        i += run.count;
        runs->list[runs->count++] = run;
    }
}

// The first run may have begun in the warp before, and the last may go on in the next one: these
// may be short, or single places.
static bool are_alike(const struct runs *runs) {
    for (unsigned i = 0; i < runs->count; i++) {
        const bool is_end = i == 0 || i + 1 == runs->count;
        const struct run *run = &runs->list[i], *model = &runs->list[runs->count > 2];
        if ((run->count > 1 && run->stride != model->stride) ||
            (is_end ? runs->count > 2 && run->count > model->count : run->count != model->count))
            return false;
    }
    return true;
}

struct level {
    uint64_t stride;
    struct runs runs;
};

// The levels of a request, the innermost first. Fewer than there are where it is irregular.
static unsigned find_levels(const struct bankrun_request *request, struct level levels[LEVELS]) {
    int64_t places[BANKRUN_LANES];
    unsigned count = 0, found = 0;
    for (uint32_t rest = request->mask; rest; rest &= rest - 1)
        places[count++] = request->offsets[__builtin_ctz(rest)];
    while (count > 1 && found < LEVELS) {
        struct level *level = &levels[found];
        struct runs *runs = &level->runs;
        take_apart(places, count, runs);
        if (!are_alike(runs))
            break;
        const struct run *model = &runs->list[runs->count > 2];
        level->stride = (uint64_t)llabs(model->stride);
        found++;
        // Where the first run is a rest, it does not begin where rows do.
        const unsigned skipped = runs->count > 2 && runs->list[0].count != runs->list[1].count;
        count = runs->count - skipped;
        for (unsigned i = 0; i < count; i++)
            places[i] = runs->list[i + skipped].first;
    }
    return found;
}

// ---- Strides --------------------------------------------------------------------------------

struct stride {
    uint64_t bytes, weight;
};

struct strides {
    struct stride list[MOST_STRIDES];
    unsigned count;
};

static bool may_be_row(const struct fix_array *array, uint64_t bytes, unsigned width) {
    return bytes >= LEAST_ROW && bytes > width && bytes % array->element_bytes == 0 &&
           2 * bytes <= array->bytes;
}

static void add_stride(struct strides *strides, uint64_t bytes, uint64_t weight) {
    for (unsigned i = 0; i < strides->count; i++)
        if (strides->list[i].bytes == bytes) {
            strides->list[i].weight += weight;
            return;
        }
    if (strides->count < MOST_STRIDES)
        strides->list[strides->count++] = (struct stride){bytes, weight};
}

static int by_weight(const void *a, const void *b) {
    const struct stride *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void collect(const struct fix_problem *problem, struct strides *strides) {
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct fix_request *request = &problem->requests[r];
        struct level levels[LEVELS];
        const unsigned count = find_levels(&request->banks, levels);
        for (unsigned i = 0; i < count; i++)
            if (may_be_row(&problem->array, levels[i].stride, request->banks.width))
                add_stride(strides, levels[i].stride, request->count);
    }
    qsort(strides->list, strides->count, sizeof *strides->list, by_weight);
}

static bool crosses(const struct run *run, uint64_t row) {
    const int64_t last = run->first + run->stride * ((int64_t)run->count - 1);
    return run->first / (int64_t)row != last / (int64_t)row;
}

// Whether no request speaks against it.
static bool is_row(const struct fix_problem *problem, uint64_t row) {
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct bankrun_request *request = &problem->requests[r].banks;
        struct level levels[LEVELS];
        const unsigned count = find_levels(request, levels);
        for (unsigned i = 0; i < count; i++)
            for (unsigned n = 0; n < levels[i].runs.count; n++)
                if (levels[i].stride < row && levels[i].stride > request->width &&
                    crosses(&levels[i].runs.list[n], row))
                    return false;
    }
    return true;
}

static uint64_t declared_row(const struct fix_problem *problem, const struct strides *strides) {
    uint64_t row = 0;
    for (unsigned i = 0; i < strides->count && i < MOST_TRIED; i++)
        if (strides->list[i].bytes > row && is_row(problem, strides->list[i].bytes))
            row = strides->list[i].bytes;
    return row;
}

uint64_t fix_declared_row(const struct fix_problem *problem) {
    struct strides strides = {0};
    collect(problem, &strides);
    return declared_row(problem, &strides);
}

void fix_find_rows(struct fix_problem *problem) {
    struct fix_array *array = &problem->array;
    struct strides strides = {0};
    collect(problem, &strides);
    const uint64_t row = array->knows_rows ? 0 : declared_row(problem, &strides);
    if (row)
        fix_add_rows(array, (struct fix_rows){row, array->element_bytes, 0});
    for (unsigned i = 0; i < strides.count && i < MOST_ROWS; i++) {
        const uint64_t bytes = strides.list[i].bytes;
        if (bytes != row && (bytes & (bytes - 1))) // powers of two come next
            fix_add_rows(array, (struct fix_rows){bytes, array->element_bytes, FIX_PAD_OPERATIONS});
    }
    fix_add_index_rows(array);
}
