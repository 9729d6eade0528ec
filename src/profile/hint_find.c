// Counts requests again, changed as a hint would change them. See hint_find.h.
#include "profile/hint_find.h"

#include <stdlib.h>
#include <string.h>

#include "profile/why.h"

enum { LANES = BANKRUN_LANES, WORD = 4, MOST_STRUCTURE = 64 };

static uint64_t wavefronts(unsigned arch, const struct bankrun_request *request) {
    struct bankrun_cost cost;
    return bankrun_count(arch, request, &cost) == BANKRUN_OK ? cost.wavefronts : UINT64_MAX;
}

// ---- Fewer lanes ----------------------------------------------------------------------------

// One lane of those that are in the same `bytes`.
static uint32_t one_of_each(const struct bankrun_request *request, unsigned bytes) {
    uint32_t kept = 0;
    for (uint32_t rest = request->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        bool is_new = true;
        for (uint32_t other = kept; other && is_new; other &= other - 1)
            is_new =
                request->offsets[__builtin_ctz(other)] / bytes != request->offsets[lane] / bytes;
        kept |= (uint32_t)is_new << lane;
    }
    return kept;
}

static uint64_t with_fewer(unsigned arch, const struct bankrun_request *request, unsigned bytes) {
    struct bankrun_request fewer = *request;
    fewer.mask = one_of_each(request, bytes);
    return wavefronts(arch, &fewer);
}

// ---- Other places ---------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t in_order(unsigned arch, const struct bankrun_request *request) {
    uint32_t places[LANES], offsets[LANES] = {0};
    unsigned count = 0, next = 0;
    for (uint32_t rest = request->mask; rest; rest &= rest - 1)
        places[count++] = request->offsets[__builtin_ctz(rest)];
    qsort(places, count, sizeof *places, ascending);
    for (uint32_t rest = request->mask; rest; rest &= rest - 1)
        offsets[__builtin_ctz(rest)] = places[next++];
    struct bankrun_request ordered = *request;
    ordered.offsets = offsets;
    return wavefronts(arch, &ordered);
}

// Places that are `stride` apart, side by side.
static uint64_t side_by_side(unsigned arch, const struct bankrun_request *request,
                             unsigned stride) {
    uint32_t offsets[LANES] = {0};
    for (uint32_t rest = request->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        offsets[lane] = request->offsets[lane] / stride * request->width;
    }
    struct bankrun_request closer = *request;
    closer.offsets = offsets;
    return wavefronts(arch, &closer);
}

// ---- Facts ----------------------------------------------------------------------------------

// The distance of each lane to the next one; 0: there is no single one.
static uint64_t stride_of(const struct bankrun_request *request) {
    if (!(request->mask & (request->mask - 1)))
        return 0;
    const struct why_shape shape = why_find_shape(request->mask, request->offsets);
    return shape.kind == WHY_STRIDE ? (uint64_t)llabs(shape.inner) : 0;
}

static bool are_one_member(const struct bankrun_request *request, unsigned stride) {
    const uint32_t first = request->offsets[__builtin_ctz(request->mask)] % stride;
    for (uint32_t rest = request->mask; rest; rest &= rest - 1)
        if (request->offsets[__builtin_ctz(rest)] % stride != first)
            return false;
    return true;
}

static unsigned find_structure(const struct fix_request *requests, size_t count) {
    uint64_t stride = 0;
    for (size_t r = 0; r < count; r++) {
        const uint64_t found = stride_of(&requests[r].banks);
        if (found && (!stride || found < stride))
            stride = found;
    }
    if (!stride || stride > MOST_STRUCTURE)
        return 0;
    bool has_others = false;
    const unsigned width = requests[0].banks.width;
    const uint32_t member = requests[0].banks.offsets[__builtin_ctz(requests[0].banks.mask)];
    for (size_t r = 0; r < count; r++) {
        const struct bankrun_request *request = &requests[r].banks;
        if (request->width != width || request->width >= stride || fix_is_atomic(&requests[r]) ||
            !are_one_member(request, (unsigned)stride))
            return 0;
        has_others |= request->offsets[__builtin_ctz(request->mask)] % stride != member % stride;
    }
    return has_others ? (unsigned)stride : 0;
}

// Whether three strides or more double, of 2 elements, 4, 8 or more, and begin at the array's start
// or half a stride behind it, as the two sides of a sum do. Those of rows that a loop walks through
// are all the same; a scan's begin elsewhere.
static bool doubles(const struct fix_request *requests, size_t count) {
    uint64_t seen = 0; // bit n: stride of 1 << n elements
    for (size_t r = 0; r < count; r++) {
        const struct bankrun_request *request = &requests[r].banks;
        const uint64_t stride = stride_of(request) / request->width;
        if (!stride || (stride & (stride - 1)))
            continue;
        const uint64_t first = request->offsets[__builtin_ctz(request->mask)] / request->width;
        if (stride > 2 && first % stride != 0 && first % stride != stride / 2)
            return false;
        seen |= stride;
    }
    const uint64_t wide = seen & ~(uint64_t)1;
    return (wide & wide >> 1 & wide >> 2) != 0;
}

// A request that is counted again: what it takes now, and at best.
struct counted {
    uint64_t count, before, ideal;
    struct profile_hints *hints;
};

static void add(const struct counted *counted, enum profile_hint hint, uint64_t after) {
    const uint64_t left = after > counted->ideal ? after : counted->ideal;
    if (left < counted->before)
        counted->hints->gains[hint] += counted->count * (counted->before - left);
}

static void look_at(unsigned arch, const struct fix_request *request,
                    const struct hint_array *array, struct profile_hints *hints) {
    const struct bankrun_request *banks = &request->banks;
    const bool is_atomic = fix_is_atomic(request);
    struct bankrun_cost cost;
    if (bankrun_count(arch, banks, &cost) != BANKRUN_OK || cost.wavefronts == cost.ideal)
        return;
    struct counted counted = {request->count, cost.wavefronts, cost.ideal, hints};
    const uint64_t stride = stride_of(banks);
    hints->excess += counted.count * (counted.before - counted.ideal);
    if (banks->access == BANKRUN_STORE && banks->width < WORD)
        add(&counted, PROFILE_HINT_SUBWORD, with_fewer(arch, banks, WORD));
    if (is_atomic) { // what follows is about the rest
        const uint64_t fewer = with_fewer(arch, banks, banks->width);
        add(&counted, PROFILE_HINT_ONE_ELEMENT, fewer);
        counted.before = fewer < counted.before ? fewer : counted.before;
    }
    if (array->structure)
        add(&counted, PROFILE_HINT_STRUCTURES, side_by_side(arch, banks, array->structure));
    else if (array->doubles && stride > banks->width)
        add(&counted, PROFILE_HINT_INTERLEAVED, side_by_side(arch, banks, (unsigned)stride));
    if (!is_atomic && !banks->matrices)
        add(&counted, PROFILE_HINT_ORDER, in_order(arch, banks));
    if (why_find_shape(banks->mask, banks->offsets).kind == WHY_IRREGULAR)
        add(&counted, PROFILE_HINT_RANDOM, counted.ideal);
}

struct hint_array hint_look(const struct fix_request *requests, size_t count) {
    return (struct hint_array){find_structure(requests, count), doubles(requests, count)};
}

void hint_find(unsigned arch, const struct fix_request *requests, size_t count,
               const struct hint_array *array, struct profile_hints *hints) {
    for (size_t r = 0; r < count; r++)
        look_at(arch, &requests[r], array, hints);
    hints->stride = array->structure;
}
