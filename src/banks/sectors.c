/* Global memory: a warp's access moves whole sectors of 32 bytes, each once.
 * Source: CUDA C++ Best Practices Guide, coalesced access to global memory. */
#include "bankrun/banks.h"

enum { SECTOR_SHIFT = 5, SECTOR = 32 };

/* Active lanes' first bytes, and whether they ascend (as they nearly always do). */
struct lanes {
    uint64_t first[BANKRUN_LANES];
    unsigned count;
    bool ascends;
    uint64_t low; /* union of the bits */
};

static void gather(uint32_t mask, const uint64_t *addresses, struct lanes *lanes) {
    *lanes = (struct lanes){.ascends = true};
    uint64_t last = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)];
        lanes->ascends &= address >= last;
        lanes->low |= address;
        lanes->first[lanes->count++] = last = address;
    }
}

/* Each value goes to the cell of its hash. Whoever finds another value there waits for the next
 * turn, with another hash; whoever finds its own value is done, and counts if it was the last to
 * write. */
static unsigned count_distinct(const struct lanes *lanes, unsigned shift) {
    uint64_t multiplier = 0x9e3779b97f4a7c15u;
    uint32_t left = lanes->count == 32 ? UINT32_MAX : (1u << lanes->count) - 1;
    uint8_t cell_of[BANKRUN_LANES], cells[256];
    unsigned distinct = 0;
    for (; left != 0; multiplier *= 0xd1342543de82ef95u) {
        uint32_t waiting = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            unsigned i = (unsigned)__builtin_ctz(rest);
            cell_of[i] = (uint8_t)((lanes->first[i] >> shift) * multiplier >> 56);
            cells[cell_of[i]] = (uint8_t)i;
        }
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            unsigned i = (unsigned)__builtin_ctz(rest), winner = cells[cell_of[i]];
            distinct += winner == i;
            waiting |= (uint32_t)(lanes->first[i] >> shift != lanes->first[winner] >> shift) << i;
        }
        left = waiting;
    }
    return distinct;
}

static void sort(struct lanes *lanes) {
    for (unsigned i = 1; i < lanes->count; i++) {
        uint64_t address = lanes->first[i];
        unsigned at = i;
        for (; at > 0 && lanes->first[at - 1] > address; at--)
            lanes->first[at] = lanes->first[at - 1];
        lanes->first[at] = address;
    }
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

void bankrun_sectors(uint32_t mask, unsigned width, const uint64_t *addresses, uint32_t *sectors,
                     uint32_t *ideal) {
    struct lanes lanes;
    uint64_t bytes, touched;
    gather(mask, addresses, &lanes);
    bool is_power = width != 0 && (width & (width - 1)) == 0 && width <= SECTOR;
    if (!lanes.ascends && is_power && (lanes.low & (width - 1)) == 0) {
        /* Aligned elements are the same or apart, and lie in one sector each. */
        bytes = (uint64_t)count_distinct(&lanes, (unsigned)__builtin_ctz(width)) * width;
        touched = count_distinct(&lanes, SECTOR_SHIFT);
    } else {
        if (!lanes.ascends)
            sort(&lanes);
        walk(&lanes, width, &bytes, &touched);
    }
    *sectors = (uint32_t)touched;
    *ideal = (uint32_t)((bytes + SECTOR - 1) / SECTOR);
}
