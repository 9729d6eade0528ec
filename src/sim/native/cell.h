// Inside the simulator: what compiled code knows of accesses, so that a comparison or two say that
// all of a group are in bounds, aligned and known to the observer.
#ifndef BANKRUN_SIM_NATIVE_CELL_H
#define BANKRUN_SIM_NATIVE_CELL_H

#include <stdbool.h>
#include <stdint.h>

// A group: the accesses of a piece of straight code whose addresses are one register and a
// constant. Those of a lane's base `b` are known where (b - base) & mask is 0 and b - base is at
// most `limit`; where lanes lie anywhere, their bases must have the distances `shape` from that
// lane's, too. It is lane 0, or of lanes anywhere the first one that is on (native_lane). `count`:
// how often that was so since it was last told. Where lanes are off, the others must be `lanes` in
// the bits of `care`, which are none where it does not matter which they are: then the places of
// all lanes are in bounds.
struct native_cell {
    _Alignas(64) uint64_t base;
    uint64_t mask, limit, count;
    uint64_t lanes, care;
    struct native_shape *shape;
    uint64_t windows; // of the shape: what enum native_windows says of it, together
};

// Lanes that lie anywhere are mostly near their neighbours: in rows of 16, exchanged, some at one
// place. Where each eight lie in a window of eight words, a load or a store of the window and a
// permutation make an access of such.
enum { NATIVE_WINDOW = 8 };
enum native_windows {
    NATIVE_WINDOW_LOADS = 1,  // whole windows can be read
    NATIVE_WINDOW_STORES = 2, // each word is a lane's
};
struct native_shape {
    _Alignas(64) uint32_t lanes[32];     // distances from that lane, in bytes
    uint32_t words[32];                  // by lane: the word of its window
    uint32_t takers[32];                 // by word, of one window after the other: the lane in it
    int64_t windows[32 / NATIVE_WINDOW]; // distances from lane 0, in bytes
};

// Of a group as many cells as bases may differ in the bits that observers look at. A warp some of
// whose lanes are off has another one than those beside it that have all.
enum { NATIVE_WAYS = 8, NATIVE_WAY_FACTOR = 9, NATIVE_WAY_BIT = 5 };
static inline unsigned native_way(uint64_t base, uint32_t mask) {
    const uint64_t way = (base * NATIVE_WAY_FACTOR >> NATIVE_WAY_BIT) + (mask != UINT32_MAX);
    return way % NATIVE_WAYS;
}

struct native_member { // of a group
    uint32_t instr;    // decoded
    uint32_t site;
    uint32_t group;
    bool is_anywhere; // its code takes lanes wherever they are
};

// What lanes that are off would have is often another matter each time.
static inline unsigned native_lane(const struct native_member *member, uint32_t mask) {
    return member->is_anywhere && mask ? (unsigned)__builtin_ctz(mask) : 0;
}

struct native_segment {       // straight code that the interpreter runs where a group is not known
    uint32_t first, end;      // decoded instructions
    uint32_t group, groups;   // the first, and how many
    uint32_t member, members; // of all of these, in the order of their instructions
    uint32_t ramp, ramps;     // registers of which code has written lane 0 alone
};

#endif
