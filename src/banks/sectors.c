/* Global memory: a warp's access moves whole sectors of 32 bytes, each once.
 * Source: CUDA C++ Best Practices Guide, coalesced access to global memory. */
#include "bankrun/banks.h"

enum { SECTOR_SHIFT = 5, SECTOR = 32, CELL_BITS = 10, CELLS = 1 << CELL_BITS };

/* Active lanes' first bytes, and whether they ascend (as they nearly always do). */
struct lanes {
    const uint64_t *first;
    uint64_t active[BANKRUN_LANES]; /* where not all lanes are */
    unsigned count;
    bool ascends;
    uint64_t low; /* union of the bits */
};

static void gather(uint32_t mask, const uint64_t *addresses, struct lanes *lanes) {
    lanes->first = addresses;
    lanes->count = BANKRUN_LANES;
    if (mask != UINT32_MAX) {
        lanes->first = lanes->active;
        lanes->count = 0;
        for (; mask != 0; mask &= mask - 1)
            lanes->active[lanes->count++] = addresses[__builtin_ctz(mask)];
    }
    lanes->ascends = true;
    lanes->low = 0;
    for (unsigned i = 0; i < lanes->count; i++) {
        lanes->ascends &= lanes->first[i] >= lanes->first[i > 0 ? i - 1 : 0];
        lanes->low |= lanes->first[i];
    }
}

static unsigned count_steps(const struct lanes *lanes, unsigned shift) {
    unsigned steps = lanes->count > 0;
    for (unsigned i = 1; i < lanes->count; i++)
        steps += lanes->first[i] >> shift != lanes->first[i - 1] >> shift;
    return steps;
}

/* Each value goes to the cell of its hash. Whoever finds another value there waits for the next
 * turn, with another hash; whoever finds its own value is done, and counts if it was the last to
 * write. Nobody finds a value from before its own, so those who wait can move up. */
static unsigned count_distinct(const struct lanes *lanes, unsigned shift) {
    uint64_t waiting[BANKRUN_LANES], multiplier = 0x9e3779b97f4a7c15u;
    uint16_t cell_of[BANKRUN_LANES];
    uint8_t cells[CELLS];
    unsigned distinct = 0, left = lanes->count;
    for (unsigned i = 0; i < left; i++)
        waiting[i] = lanes->first[i] >> shift;
    while (left != 0) {
        for (unsigned i = 0; i < left; i++) {
            cell_of[i] = (uint16_t)(waiting[i] * multiplier >> (64 - CELL_BITS));
            cells[cell_of[i]] = (uint8_t)i;
        }
        unsigned still = 0;
        for (unsigned i = 0; i < left; i++) {
            uint64_t winner = waiting[cells[cell_of[i]]], value = waiting[i];
            distinct += cells[cell_of[i]] == i;
            waiting[still] = value;
            still += value != winner;
        }
        left = still;
        multiplier *= 0xd1342543de82ef95u;
    }
    return distinct;
}

static void sort(struct lanes *lanes) {
    for (unsigned i = 0; i < lanes->count; i++) {
        uint64_t address = lanes->first[i];
        unsigned at = i;
        for (; at > 0 && lanes->active[at - 1] > address; at--)
            lanes->active[at] = lanes->active[at - 1];
        lanes->active[at] = address;
    }
    lanes->first = lanes->active;
}

/* Walks the union of ascending byte ranges, which may span the edges of sectors. An end past the
 * top of the address space does not occur. */
static void walk(const struct lanes *lanes, unsigned width, uint64_t *bytes, uint64_t *touched) {
    uint64_t covered = 0;     /* bytes below are counted */
    uint64_t next_sector = 0; /* sectors below are counted */
    *bytes = *touched = 0;
    for (unsigned i = 0; i < lanes->count; i++) {
        uint64_t begin = lanes->first[i], end = begin + width;
        uint64_t first = begin >> SECTOR_SHIFT, past = ((end - 1) >> SECTOR_SHIFT) + 1;
        begin = begin < covered ? covered : begin;
        first = first < next_sector ? next_sector : first;
        *bytes += end > begin ? end - begin : 0;
        *touched += past > first ? past - first : 0;
        covered = end;
        next_sector = past;
    }
}

/* Elements are the same or apart, and lie in one sector each. Where no two share a sector, none
 * are the same. */
static void count_aligned(const struct lanes *lanes, unsigned width, uint64_t *bytes,
                          uint64_t *touched) {
    unsigned shift = (unsigned)__builtin_ctz(width);
    *touched =
        lanes->ascends ? count_steps(lanes, SECTOR_SHIFT) : count_distinct(lanes, SECTOR_SHIFT);
    *bytes = *touched == lanes->count ? lanes->count
             : lanes->ascends         ? count_steps(lanes, shift)
                                      : count_distinct(lanes, shift);
    *bytes *= width;
}

void bankrun_sectors(uint32_t mask, unsigned width, const uint64_t *addresses, uint32_t *sectors,
                     uint32_t *ideal) {
    struct lanes lanes;
    uint64_t bytes, touched;
    gather(mask, addresses, &lanes);
    bool is_power = width != 0 && (width & (width - 1)) == 0 && width <= SECTOR;
    if (is_power && (lanes.low & (width - 1)) == 0) {
        count_aligned(&lanes, width, &bytes, &touched);
    } else {
        if (!lanes.ascends)
            sort(&lanes);
        walk(&lanes, width, &bytes, &touched);
    }
    *sectors = (uint32_t)touched;
    *ideal = (uint32_t)((bytes + SECTOR - 1) / SECTOR);
}
