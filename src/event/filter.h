// The filter that spares observers repeats: what an observer keeps in mind of the requests that it
// has heard, so that one that it knows is counted there and not told again.
//
// Its law. An observer may hand out memos when all that it learns from a request is
//   - its site, space and mask,
//   - the distances of its lanes from the first active one,
//   - of that lane's address the bits of `keep`, and that it lies in [first, first + bytes),
//   - how many such requests there were, and the least number of a warp that made one,
// and when it has heard of one with all these in common before it puts it into a memo. A request is
// then dropped, and counted in the memo, when it agrees with what is there in all of these and its
// warp is not before `since`, or is one of those that the observer counts alike (`once`), or only
// by a number that it tells itself (`by_degree`). So nothing is lost: what a dropped request says
// is what the one before it said, once more.
//
// Requests of shared memory of another block, bulk copies and asynchronous ones are told always. It
// is used only when all observers of accesses agree: there is one, and it hands out memos; another
// one may hand out a journal (event/journal.h), and then what is dropped has been written there.
#ifndef BANKRUN_EVENT_FILTER_H
#define BANKRUN_EVENT_FILTER_H

#include "event/event.h"

#define EVENT_ALL_LANES 0xffffffffu

// Bit n for lane n: baseline vector units have no shift by a different count in each lane.
#define EVENT_BITS(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t event_lane_bit[WARP_LANES] = {EVENT_BITS(0),  EVENT_BITS(4),  EVENT_BITS(8),
                                                    EVENT_BITS(12), EVENT_BITS(16), EVENT_BITS(20),
                                                    EVENT_BITS(24), EVENT_BITS(28)};

// ---- Shapes -------------------------------------------------------------------------------

// The lanes of a request, as distances from the first active one's address without the bits that
// are not kept; 0 for lanes that are off. Two requests of one shape differ in nothing but where
// they begin.
struct event_shape {
    _Alignas(64) uint32_t lanes[WARP_LANES];
    uint32_t mask; // 0: of no request
};

static inline uint64_t event_origin(uint64_t first, uint32_t keep) {
    return first & ~(uint64_t)keep;
}

static inline void event_clear_inactive(struct event_shape *shape) {
    if (shape->mask != EVENT_ALL_LANES)
        for (int l = 0; l < WARP_LANES; l++)
            shape->lanes[l] &= -(uint32_t)((shape->mask & event_lane_bit[l]) != 0);
}

static inline void event_shape_of_offsets(struct event_shape *shape, uint32_t mask,
                                          const uint32_t *offsets, uint32_t keep) {
    const uint32_t origin = (uint32_t)event_origin(offsets[__builtin_ctz(mask)], keep);
    for (int l = 0; l < WARP_LANES; l++)
        shape->lanes[l] = offsets[l] - origin;
    shape->mask = mask;
    event_clear_inactive(shape);
}

// False: the lanes are more than 2 GiB apart, and have no shape.
static inline bool event_shape_of_addresses(struct event_shape *shape, uint32_t mask,
                                            const uint64_t *addresses, uint32_t keep) {
    const uint64_t origin = event_origin(addresses[__builtin_ctz(mask)], keep);
    uint32_t far[WARP_LANES], any = 0;
    for (int l = 0; l < WARP_LANES; l++) {
        uint64_t distance = addresses[l] - origin;
        shape->lanes[l] = (uint32_t)distance;
        far[l] = (uint32_t)((distance + 0x80000000u) >> 32);
    }
    shape->mask = mask;
    event_clear_inactive(shape);
    if (mask == EVENT_ALL_LANES)
        for (int l = 0; l < WARP_LANES; l++)
            any |= far[l];
    else
        for (int l = 0; l < WARP_LANES; l++)
            any |= far[l] & -(uint32_t)((mask & event_lane_bit[l]) != 0);
    return any == 0;
}

static inline bool event_shape_equal(const struct event_shape *a, const struct event_shape *b) {
    uint32_t differ = a->mask ^ b->mask;
    for (int l = 0; l < WARP_LANES; l++)
        differ |= a->lanes[l] ^ b->lanes[l];
    return differ == 0;
}

// Whether these offsets are of the shape, without making one. `on`: -1 for lanes that are on, else
// 0; `full`: all are.
static inline bool event_shape_fits(const struct event_shape *shape, const uint32_t *offsets,
                                    uint32_t origin, const int32_t *on, bool full) {
    uint32_t differ = 0;
    for (int l = 0; l < WARP_LANES; l++)
        differ |= (full || on[l]) ? (offsets[l] - origin) ^ shape->lanes[l] : 0;
    return differ == 0;
}

// ---- Memos --------------------------------------------------------------------------------

// What an observer keeps in mind of a site in one space. Requests of full warps whose lanes are
// side by side, or all at one address, are known by where lane 0 is; of others a few are known by
// their shape, as those of a border alternate.
enum { EVENT_MEMO_PLACES = 16, EVENT_MEMO_SHAPES = 4 };
struct event_memo {
    uint64_t first, bytes;
    uint32_t keep;
    uint64_t since; // 32 * block number + warp
    struct event_memo_place {
        uint32_t tag; // event_memo_tag() of the requests; 0: none
        uint64_t repeats;
    } places[EVENT_MEMO_PLACES];
    struct event_memo_shape {
        struct event_shape shape;
        uint64_t repeats;
    } shapes[EVENT_MEMO_SHAPES];
    // Requests of shared memory whose lanes access up to 4 bytes in banks of their own, or all one
    // word: whichever lanes are on, they are served at once, and one stands for all. Of global
    // memory those of one lane, which take one sector.
    struct {
        bool is_known;
        uint64_t repeats;
    } once;
    // Requests of shared memory by full warps, of which nothing but a number is counted, as long as
    // there are more of them than one to come.
    struct {
        unsigned (*find)(const uint32_t *offsets); // the number, 0: nobody can tell. NULL: none
        uint32_t most, left;                       // larger ones are told; how many may come
        uint64_t repeats[WARP_LANES + 1];
    } by_degree;
    uint32_t version; // another one since a place, a shape or `once` has come to stand for others
};

static inline uint64_t event_warp_number(uint64_t block_number, uint32_t warp) {
    return block_number * WARP_LANES + warp;
}

// Not 0 for linear and uniform requests; the same for two that agree.
static inline uint32_t event_memo_tag(enum event_pattern pattern, uint64_t first, uint32_t keep) {
    return pattern ? ((uint32_t)first & keep) << 2 | pattern : 0;
}

static inline struct event_memo_place *event_memo_place(struct event_memo *memo, uint32_t tag) {
    return &memo->places[(tag >> 4 ^ tag) % EVENT_MEMO_PLACES];
}

// Whether a request of the memo's site is about what the memo is about. `first`: the first active
// lane's offset or address.
static inline bool event_memo_is_about(const struct event_memo *memo, uint64_t first,
                                       uint64_t warp_number) {
    return first - memo->first < memo->bytes && warp_number >= memo->since;
}

// True: the request is known, and was counted. All lanes are on, in such a pattern.
static inline bool event_memo_takes_pattern(struct event_memo *memo, enum event_pattern pattern,
                                            uint64_t first) {
    const uint32_t tag = event_memo_tag(pattern, first, memo->keep);
    struct event_memo_place *place = event_memo_place(memo, tag);
    if (place->tag != tag)
        return false;
    place->repeats++;
    return true;
}

// Whether lanes have a bank each.
static inline bool event_is_once(uint32_t mask, const uint32_t *offsets, const int32_t *on,
                                 bool full) {
    enum { WORD = 4 };
    uint32_t banks = 0;
    for (int l = 0; l < WARP_LANES; l++)
        banks |= (full || on[l]) ? 1u << (offsets[l] / WORD % WARP_LANES) : 0;
    return __builtin_popcount(banks) == __builtin_popcount(mask);
}

static inline bool event_memo_takes_degree(struct event_memo *memo, const uint32_t *offsets) {
    if (!memo->by_degree.find || memo->by_degree.left <= 1)
        return false;
    const unsigned degree = memo->by_degree.find(offsets);
    if (degree == 0 || degree > memo->by_degree.most)
        return false;
    memo->by_degree.left--;
    memo->by_degree.repeats[degree]++;
    return true;
}

// The same for lanes anywhere in shared memory. The last active lane says of most others that they
// are not of a shape.
static inline bool event_memo_takes_lanes(struct event_memo *memo, uint32_t mask, uint32_t first,
                                          const uint32_t *offsets, const int32_t *on, bool full) {
    const uint32_t origin = (uint32_t)event_origin(first, memo->keep);
    const unsigned last = WARP_LANES - 1u - (unsigned)__builtin_clz(mask);
    for (int s = 0; s < EVENT_MEMO_SHAPES; s++) {
        struct event_memo_shape *known = &memo->shapes[s];
        if (known->shape.mask != mask || known->shape.lanes[last] != offsets[last] - origin ||
            !event_shape_fits(&known->shape, offsets, origin, on, full))
            continue;
        known->repeats++;
        return true;
    }
    if (mask == EVENT_ALL_LANES && event_memo_takes_degree(memo, offsets))
        return true;
    if (!memo->once.is_known || !event_is_once(mask, offsets, on, full))
        return false;
    memo->once.repeats++;
    return true;
}

static inline bool event_shape_fits_addresses(const struct event_shape *shape,
                                              const uint64_t *addresses, uint64_t origin,
                                              const int32_t *on, bool full) {
    uint64_t differ = 0;
    for (int l = 0; l < WARP_LANES; l++) {
        const uint64_t lane = (uint64_t)(int64_t)(int32_t)shape->lanes[l];
        differ |= (full || on[l]) ? (addresses[l] - origin) ^ lane : 0;
    }
    return differ == 0;
}

// The same for addresses of global memory.
static inline bool event_memo_takes_addresses(struct event_memo *memo, uint32_t mask,
                                              const uint64_t *addresses, const int32_t *on,
                                              bool full) {
    const uint64_t origin = event_origin(addresses[__builtin_ctz(mask)], memo->keep);
    const unsigned last = WARP_LANES - 1u - (unsigned)__builtin_clz(mask);
    for (int s = 0; s < EVENT_MEMO_SHAPES; s++) {
        struct event_memo_shape *known = &memo->shapes[s];
        if (known->shape.mask != mask ||
            known->shape.lanes[last] != (uint32_t)(addresses[last] - origin) ||
            !event_shape_fits_addresses(&known->shape, addresses, origin, on, full))
            continue;
        known->repeats++;
        return true;
    }
    if (!memo->once.is_known || (mask & (mask - 1)))
        return false;
    memo->once.repeats++;
    return true;
}

#endif
