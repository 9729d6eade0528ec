// Tries every layout, and keeps those that are the best in some respect. See search.h.
#include "fix/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    LEAST_PITCH = 32, // bytes after which the index of an array without rows is padded
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

// False: it is none that the architecture has.
static bool add_request(const struct fix_problem *problem, const struct fix_request *request,
                        const uint32_t offsets[BANKRUN_LANES], struct fix_answer *answer) {
    struct bankrun_request moved = request->banks;
    struct bankrun_cost cost;
    moved.offsets = offsets;
    if (bankrun_count(problem->arch, &moved, &cost) != BANKRUN_OK)
        return false;
    add_cost(&answer->total, request->count, &cost);
    add_cost(&answer->sites[request->site], request->count, &cost);
    return true;
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

static void start(const struct fix_problem *problem, const struct fix_layout *layout,
                  struct fix_answer *answer) {
    struct fix_cost *sites = answer->sites;
    memset(sites, 0, problem->site_count * sizeof *sites);
    *answer = (struct fix_answer){
        .layout = *layout, .bytes = fix_bytes(layout, problem->array.bytes), .sites = sites};
}

bool fix_try(const struct fix_problem *problem, const struct fix_layout *layout,
             struct fix_answer *answer) {
    start(problem, layout, answer);
    if (!fix_fits(layout, problem->array.bytes))
        return false;
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct fix_request *request = &problem->requests[r];
        uint32_t offsets[BANKRUN_LANES] = {0};
        if (!move(&request->banks, layout, offsets) ||
            !add_request(problem, request, offsets, answer))
            return false;
    }
    return true;
}

// ---- All layouts ----------------------------------------------------------------------------

// A request of the problem, in the order in which they are tried.
struct tried {
    const struct fix_request *request;
    uint64_t excess; // wavefronts over the ideal as it is
    uint64_t least;  // wavefronts that it and all behind it take at least
    uint32_t lanes[BANKRUN_LANES];
    uint32_t rows[BANKRUN_LANES]; // in which the lanes are: of the pitch that is being tried
};

struct search {
    const struct fix_problem *problem;
    fix_answers *answers;
    struct fix_cost *sites; // of the layout that is being tried
    struct tried *tried;    // all requests
    uint64_t limit;         // wavefronts that a layout of interest stays below
    unsigned widest;        // bytes a lane, of all requests
    unsigned period;        // bytes that all banks hold side by side: 1 << period_bits
    unsigned period_bits;
};

static int by_excess(const void *a, const void *b) {
    const struct tried *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    return x->request < y->request ? -1 : x->request > y->request;
}

// The worst requests come first, so that a layout that is none is soon known as such. Ideals do not
// depend on the layout: lanes that meet in one place do so in each.
static bool prepare(struct search *search) {
    const struct fix_problem *problem = search->problem;
    uint64_t least = 0;
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct fix_request *request = &problem->requests[r];
        struct bankrun_cost cost;
        if (bankrun_count(problem->arch, &request->banks, &cost) != BANKRUN_OK)
            return false;
        search->tried[r] = (struct tried){.request = request,
                                          .excess = request->count * (cost.wavefronts - cost.ideal),
                                          .least = request->count * cost.ideal};
        for (uint32_t rest = request->banks.mask; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(rest);
            search->tried[r].lanes[lane] = request->banks.offsets[lane];
        }
    }
    qsort(search->tried, problem->request_count, sizeof *search->tried, by_excess);
    for (size_t r = problem->request_count; r-- > 0;)
        least = search->tried[r].least += least;
    return true;
}

// As fix_place, but all lanes at once, and without a division for each. Where no row ends within a
// lane's bytes and swizzles are of whole accesses, all bytes of a lane stay together.
static void place(const struct tried *tried, const struct fix_layout *layout,
                  uint32_t offsets[BANKRUN_LANES]) {
    const uint32_t ones = (1u << layout->bits) - 1;
    switch (layout->kind) {
    case FIX_PAD:
        for (unsigned l = 0; l < BANKRUN_LANES; l++)
            offsets[l] = tried->lanes[l] + tried->rows[l] * layout->pad;
        return;
    case FIX_SWIZZLE:
        for (unsigned l = 0; l < BANKRUN_LANES; l++)
            offsets[l] = tried->lanes[l] ^ (tried->lanes[l] >> layout->shift & ones)
                                               << layout->base;
        return;
    case FIX_MIRROR:
        for (unsigned l = 0; l < BANKRUN_LANES; l++)
            offsets[l] = tried->lanes[l] ^ (tried->lanes[l] >> layout->shift & 1) * ones
                                               << layout->base;
        return;
    case FIX_AS_IS:
        break;
    }
    memcpy(offsets, tried->lanes, sizeof tried->lanes);
}

// False, too: it takes `limit` wavefronts or more.
static bool try_below(const struct search *search, const struct fix_layout *layout, uint64_t limit,
                      struct fix_answer *answer) {
    const struct fix_problem *problem = search->problem;
    start(problem, layout, answer);
    if (!fix_fits(layout, problem->array.bytes))
        return false;
    for (size_t r = 0; r < problem->request_count; r++) {
        const struct tried *tried = &search->tried[r];
        uint32_t offsets[BANKRUN_LANES];
        if (answer->total.wavefronts + tried->least >= limit)
            return false;
        place(tried, layout, offsets);
        if (!add_request(problem, tried->request, offsets, answer))
            return false;
    }
    return answer->total.wavefronts < limit;
}

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
static uint64_t limit_of(const struct search *search, uint64_t bytes, unsigned operations) {
    uint64_t limit = search->limit;
    for (size_t i = 0; i < search->answers->length; i++) {
        const struct fix_answer *known = &search->answers->data[i];
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
    const uint64_t limit = limit_of(search, fix_bytes(layout, problem->array.bytes), operations);
    if (!try_below(search, layout, limit, &answer))
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

// False: a row ends within a lane's bytes.
static bool find_rows(struct search *search, uint32_t pitch) {
    for (size_t r = 0; r < search->problem->request_count; r++) {
        struct tried *tried = &search->tried[r];
        for (unsigned l = 0; l < BANKRUN_LANES; l++) {
            tried->rows[l] = tried->lanes[l] / pitch;
            if (tried->lanes[l] % pitch + tried->request->banks.width > pitch)
                return false;
        }
    }
    return true;
}

// Up to where the banks of a row's start repeat themselves.
static void offer_pads(struct search *search, const struct fix_rows *rows) {
    if (!find_rows(search, (uint32_t)rows->pitch))
        return;
    for (uint64_t pad = rows->step; pad % search->period != 0; pad += rows->step)
        offer(search,
              &(struct fix_layout){
                  .kind = FIX_PAD, .pitch = (uint32_t)rows->pitch, .pad = (uint32_t)pad},
              rows->operations);
}

// All swizzles or all mirrors. (A mirror of one bit is a swizzle.)
static void offer_xors(struct search *search, enum fix_kind kind, unsigned operations) {
    unsigned least = 0;
    while (1u << least < search->widest)
        least++;
    for (unsigned bits = kind == FIX_MIRROR ? 2 : 1; bits <= search->period_bits; bits++)
        for (unsigned base = least; base + bits <= search->period_bits; base++)
            for (unsigned shift = base + bits; (uint64_t)1 << shift < search->problem->array.bytes;
                 shift++)
                offer(
                    search,
                    &(struct fix_layout){.kind = kind, .bits = bits, .base = base, .shift = shift},
                    operations);
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
            fix_add_rows(array, (struct fix_rows){pitch, array->element_bytes, FIX_PAD_OPERATIONS});
}

static struct search search_of(const struct fix_problem *problem, fix_answers *answers) {
    struct search search = {.problem = problem,
                            .answers = answers,
                            .limit = UINT64_MAX,
                            .widest = problem->array.element_bytes};
    for (size_t r = 0; r < problem->request_count; r++) {
        const unsigned width = problem->requests[r].banks.width;
        search.widest = width > search.widest ? width : search.widest;
    }
    search.period = bankrun_banks(problem->arch) * bankrun_bank_bytes(problem->arch);
    while (1u << search.period_bits < search.period)
        search.period_bits++;
    search.sites = base_alloc(problem->site_count * sizeof *search.sites);
    search.tried = base_alloc(problem->request_count * sizeof *search.tried);
    return search;
}

bool fix_search(const struct fix_problem *problem, fix_answers *answers) {
    const unsigned element = problem->array.element_bytes;
    struct search search = search_of(problem, answers);
    const bool has_cost = prepare(&search);
    if (has_cost)
        offer(&search, &(struct fix_layout){.kind = FIX_AS_IS}, 0);
    const struct fix_cost as_is = has_cost ? answers->data[0].total : (struct fix_cost){0};
    const uint64_t excess = as_is.wavefronts - as_is.ideal;
    if (excess) {
        search.limit = as_is.wavefronts - excess * problem->least_gain / 100 + 1;
        for (unsigned i = 0; i < problem->array.row_count; i++)
            offer_pads(&search, &problem->array.rows[i]);
        if ((element & (element - 1)) == 0) {
            offer_xors(&search, FIX_SWIZZLE, FIX_SWIZZLE_OPERATIONS);
            offer_xors(&search, FIX_MIRROR, FIX_MIRROR_OPERATIONS);
        }
        qsort(answers->data + 1, answers->length - 1, sizeof *answers->data, by_wavefronts);
    }
    free(search.sites);
    free(search.tried);
    return has_cost;
}

uint64_t fix_steps(const struct fix_problem *problem) {
    uint64_t layouts = 1;
    for (unsigned i = 0; i < problem->array.row_count; i++)
        layouts += bankrun_banks(problem->arch);
    for (uint64_t bytes = 2; bytes < problem->array.bytes; bytes *= 2)
        layouts += 4 * bankrun_banks(problem->arch) / 3; // those that shift so far
    return layouts * problem->request_count;
}

void fix_answers_free(fix_answers *answers) {
    for (size_t i = 0; i < answers->length; i++)
        free(answers->data[i].sites);
    vec_free(answers);
}
