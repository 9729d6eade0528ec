/* Global memory: a warp's access moves whole sectors of 32 bytes, each once.
 * Source: CUDA C++ Best Practices Guide, coalesced access to global memory. */
#include "bankrun/banks.h"

enum { SECTOR_SHIFT = 5, SECTOR = 32 };

/* Lanes' first bytes in ascending order. Insertion: they nearly always are already. */
static unsigned sort_addresses(uint32_t mask, const uint64_t *addresses, uint64_t *sorted) {
    unsigned count = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)];
        unsigned at = count++;
        for (; at > 0 && sorted[at - 1] > address; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = address;
    }
    return count;
}

/* Walks the union of the byte ranges from left to right. A range of `width` bytes may span a
 * sector's edge; an end past the top of the address space does not occur. */
void bankrun_sectors(uint32_t mask, unsigned width, const uint64_t *addresses, uint32_t *sectors,
                     uint32_t *ideal) {
    uint64_t sorted[BANKRUN_LANES];
    unsigned count = sort_addresses(mask, addresses, sorted);
    uint64_t bytes = 0, touched = 0;
    uint64_t covered = 0;     /* bytes below are counted */
    uint64_t next_sector = 0; /* sectors below are counted */
    for (unsigned i = 0; i < count; i++) {
        uint64_t begin = sorted[i], end = begin + width;
        uint64_t first = begin >> SECTOR_SHIFT, past = ((end - 1) >> SECTOR_SHIFT) + 1;
        if (i > 0 && begin < covered)
            begin = covered;
        if (i > 0 && first < next_sector)
            first = next_sector;
        bytes += end > begin ? end - begin : 0;
        touched += past > first ? past - first : 0;
        covered = end;
        next_sector = past;
    }
    *sectors = (uint32_t)touched;
    *ideal = (uint32_t)((bytes + SECTOR - 1) / SECTOR);
}
