// Tries every layout, and keeps those that are the best in some respect. See search.h.
#include "fix/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    LEAST_PITCH = 32, // bytes after which the index of an array without rows is padded
    // What an index takes more than it did: a declaration does the padding of rows itself.
    PAD_OPERATIONS = 2,
    SWIZZLE_OPERATIONS = 3,
};

bool fix_is_atomic(const struct fix_request *request) {
    switch (request->banks.access) {
    case BANKRUN_LOAD:
    case BANKRUN_GENERIC_LOAD:
    case BANKRUN_STORE:
    case BANKRUN_MATRIX_LOAD:
    case BANKRUN_MATRIX_STORE:
    case BANKRUN_ASYNC_COPY:
        return false;
    default:
        return true;
    }
}

// ---- One layout -----------------------------------------------------------------------------

static void add_cost(struct fix_cost *cost, uint64_t count, const struct bankrun_cost *banks) {
    cost->requests += count;
    cost->wavefronts += count * banks->wavefronts;
    cost->ideal += count * banks->ideal;
    cost->degree = banks->degree > cost->degree ? banks->degree : cost->degree;
}

// Offsets of the lanes in the layout. False: a lane's bytes would be torn apart or misaligned.
static bool move(const struct bankrun_request *request, const struct fix_layout *layout,
                 uint32_t offsets[BANKRUN_LANES]) {
    for (uint32_t rest = request->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (!fix_keeps(layout, request->offsets[lane], request->width))
            return false;
        offsets[lane] = (uint32_t)fix_place(layout, request->offsets[lane]);
    }
    return true;
}

static uint64_t count_requests(const struct fix_problem *problem) {
    uint64_t count = 0;
    for (size_t r = 0; r < problem->request_count; r++)
        count += problem->requests[r].count;
    return count;
}

// False, too: it takes `limit` wavefronts or more, which is known as soon as each of the requests
// that are left would need less than one.
static bool try_below(const struct fix_problem *problem, const struct fix_layout *layout,
                      uint64_t limit, struct fix_answer *answer) {
    struct fix_cost *sites = answer->sites;
    uint64_t left = count_requests(problem);
    memset(sites, 0, problem->site_count * sizeof *sites);
    *answer = (struct fix_answer){
        .layout = *layout, .bytes = fix_bytes(layout, problem->array.bytes), .sites = sites};
    if (!fix_fits(layout, problem->array.bytes))
        return false;
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct fix_request *request = &problem->requests[r];
        struct bankrun_request moved = request->banks;
        uint32_t offsets[BANKRUN_LANES] = {0};
        struct bankrun_cost cost;
        moved.offsets = offsets;
        if (!move(&request->banks, layout, offsets) ||
            bankrun_count(problem->arch, &moved, &cost) != BANKRUN_OK)
            return false;
        add_cost(&answer->total, request->count, &cost);
        add_cost(&sites[request->site], request->count, &cost);
        left -= request->count;
        if (answer->total.wavefronts + left >= limit)
            return false;
    }
    return true;
}

bool fix_try(const struct fix_problem *problem, const struct fix_layout *layout,
             struct fix_answer *answer) {
    return try_below(problem, layout, UINT64_MAX, answer);
}

// ---- All layouts ----------------------------------------------------------------------------

struct search {
    const struct fix_problem *problem;
    fix_answers *answers;
    struct fix_cost *sites; // of the layout that is being tried
    unsigned widest;        // bytes a lane, of all requests
    unsigned period;        // bytes that all banks hold side by side: 1 << period_bits
    unsigned period_bits;
};

static bool is_as_good(const struct fix_answer *a, const struct fix_answer *b) {
    return a->total.wavefronts <= b->total.wavefronts && a->bytes <= b->bytes &&
           a->operations <= b->operations;
}

static void drop(fix_answers *answers, size_t at) {
    free(answers->data[at].sites);
    memmove(&answers->data[at], &answers->data[at + 1],
            (answers->length - at - 1) * sizeof *answers->data);
    answers->length--;
}

// The wavefronts below which a layout of so many bytes and operations is worth something.
static uint64_t limit_of(const fix_answers *answers, uint64_t bytes, unsigned operations) {
    uint64_t limit = UINT64_MAX;
    for (size_t i = 0; i < answers->length; i++) {
        const struct fix_answer *known = &answers->data[i];
        if (known->bytes <= bytes && known->operations <= operations &&
            known->total.wavefronts < limit)
            limit = known->total.wavefronts;
    }
    return limit;
}

// The first answer is the layout as it is, which stays. Of equals the one that came first does.
static void offer(struct search *search, const struct fix_layout *layout, unsigned operations) {
    const struct fix_problem *problem = search->problem;
    fix_answers *answers = search->answers;
    struct fix_answer answer = {.sites = search->sites};
    const uint64_t limit = limit_of(answers, fix_bytes(layout, problem->array.bytes), operations);
    if (!try_below(problem, layout, limit, &answer))
        return;
    answer.operations = operations;
    for (size_t i = answers->length; i-- > 1;)
        if (is_as_good(&answer, &answers->data[i]))
            drop(answers, i);
    const size_t bytes = problem->site_count * sizeof *answer.sites;
    answer.sites = base_alloc(bytes);
    memcpy(answer.sites, search->sites, bytes);
    vec_push(answers, answer);
}

// Up to where the banks of a row's start repeat themselves.
static void offer_pads(struct search *search, const struct fix_rows *rows) {
    for (uint64_t pad = rows->step; pad % search->period != 0; pad += rows->step)
        offer(search,
              &(struct fix_layout){
                  .kind = FIX_PAD, .pitch = (uint32_t)rows->pitch, .pad = (uint32_t)pad},
              rows->operations);
}

static void offer_swizzles(struct search *search) {
    unsigned least = 0;
    while (1u << least < search->widest)
        least++;
    for (unsigned bits = 1; bits <= search->period_bits; bits++)
        for (unsigned base = least; base + bits <= search->period_bits; base++)
            for (unsigned shift = base + bits; (uint64_t)1 << shift < search->problem->array.bytes;
                 shift++)
                offer(search,
                      &(struct fix_layout){
                          .kind = FIX_SWIZZLE, .bits = bits, .base = base, .shift = shift},
                      SWIZZLE_OPERATIONS);
}

static int by_wavefronts(const void *a, const void *b) {
    const struct fix_answer *x = a, *y = b;
    if (x->total.wavefronts != y->total.wavefronts)
        return x->total.wavefronts < y->total.wavefronts ? -1 : 1;
    if (x->operations != y->operations)
        return x->operations < y->operations ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

void fix_add_rows(struct fix_array *array, struct fix_rows rows) {
    if (array->row_count < FIX_MOST_ROWS)
        array->rows[array->row_count++] = rows;
}

void fix_add_index_rows(struct fix_array *array) {
    for (uint64_t pitch = LEAST_PITCH; 2 * pitch <= array->bytes; pitch *= 2)
        if (pitch % array->element_bytes == 0)
            fix_add_rows(array, (struct fix_rows){pitch, array->element_bytes, PAD_OPERATIONS});
}

static struct search search_of(const struct fix_problem *problem, fix_answers *answers) {
    struct search search = {
        .problem = problem, .answers = answers, .widest = problem->array.element_bytes};
    for (size_t r = 0; r < problem->request_count; r++) {
        const unsigned width = problem->requests[r].banks.width;
        search.widest = width > search.widest ? width : search.widest;
    }
    search.period = bankrun_banks(problem->arch) * bankrun_bank_bytes(problem->arch);
    while (1u << search.period_bits < search.period)
        search.period_bits++;
    search.sites = base_alloc(problem->site_count * sizeof *search.sites);
    return search;
}

bool fix_search(const struct fix_problem *problem, fix_answers *answers) {
    const unsigned element = problem->array.element_bytes;
    struct search search = search_of(problem, answers);
    offer(&search, &(struct fix_layout){.kind = FIX_AS_IS}, 0);
    const bool has_cost = answers->length > 0;
    if (has_cost && answers->data[0].total.wavefronts > answers->data[0].total.ideal) {
        for (unsigned i = 0; i < problem->array.row_count; i++)
            offer_pads(&search, &problem->array.rows[i]);
        if ((element & (element - 1)) == 0)
            offer_swizzles(&search);
        qsort(answers->data + 1, answers->length - 1, sizeof *answers->data, by_wavefronts);
    }
    free(search.sites);
    return has_cost;
}

uint64_t fix_steps(const struct fix_problem *problem) {
    uint64_t layouts = 1;
    for (unsigned i = 0; i < problem->array.row_count; i++)
        layouts += bankrun_banks(problem->arch);
    for (uint64_t bytes = 2; bytes < problem->array.bytes; bytes *= 2)
        layouts += 2 * bankrun_banks(problem->arch) / 3; // those that shift so far
    return layouts * problem->request_count;
}

void fix_answers_free(fix_answers *answers) {
    for (size_t i = 0; i < answers->length; i++)
        free(answers->data[i].sites);
    vec_free(answers);
}
