/* What a multiprocessor of each architecture holds, and how many blocks fit on it.
 * Source: the tables of compute capabilities in the CUDA C++ Programming Guide. */
#include "bankrun/banks.h"

#include <stddef.h>

#define KB(n) ((n)*1024u)

/* By architecture, with holes.
 * arch, warps, blocks, registers, shared, shared of a block, unit, reserved, threads of a block */
static const struct bankrun_limits table[] = {
    [10] = {10, 24, 8, 8192, KB(16), KB(16), 512, 0, 512},
    [11] = {11, 24, 8, 8192, KB(16), KB(16), 512, 0, 512},
    [12] = {12, 32, 8, 16384, KB(16), KB(16), 512, 0, 512},
    [13] = {13, 32, 8, 16384, KB(16), KB(16), 512, 0, 512},
    [20] = {20, 48, 8, 32768, KB(48), KB(48), 128, 0, 1024},
    [21] = {21, 48, 8, 32768, KB(48), KB(48), 128, 0, 1024},
    [30] = {30, 64, 16, 65536, KB(48), KB(48), 256, 0, 1024},
    [32] = {32, 64, 16, 65536, KB(48), KB(48), 256, 0, 1024},
    [35] = {35, 64, 16, 65536, KB(48), KB(48), 256, 0, 1024},
    [37] = {37, 64, 16, 131072, KB(112), KB(48), 256, 0, 1024},
    [50] = {50, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024},
    [52] = {52, 64, 32, 65536, KB(96), KB(48), 256, 0, 1024},
    [53] = {53, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024},
    [60] = {60, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024},
    [61] = {61, 64, 32, 65536, KB(96), KB(48), 256, 0, 1024},
    [62] = {62, 64, 32, 65536, KB(64), KB(48), 256, 0, 1024},
    [70] = {70, 64, 32, 65536, KB(96), KB(96), 256, 0, 1024},
    [72] = {72, 64, 32, 65536, KB(96), KB(96), 256, 0, 1024},
    [75] = {75, 32, 16, 65536, KB(64), KB(64), 256, 0, 1024},
    [80] = {80, 64, 32, 65536, KB(164), KB(163), 128, 1024, 1024},
    [86] = {86, 48, 16, 65536, KB(100), KB(99), 128, 1024, 1024},
    [87] = {87, 48, 16, 65536, KB(164), KB(163), 128, 1024, 1024},
    [89] = {89, 48, 24, 65536, KB(100), KB(99), 128, 1024, 1024},
    [90] = {90, 64, 32, 65536, KB(228), KB(227), 128, 1024, 1024},
    [100] = {100, 64, 32, 65536, KB(228), KB(227), 128, 1024, 1024},
    [101] = {101, 48, 24, 65536, KB(228), KB(227), 128, 1024, 1024},
    [103] = {103, 64, 32, 65536, KB(228), KB(227), 128, 1024, 1024},
    [110] = {110, 48, 24, 65536, KB(228), KB(227), 128, 1024, 1024},
    [120] = {120, 48, 24, 65536, KB(100), KB(99), 128, 1024, 1024},
    [121] = {121, 48, 24, 65536, KB(100), KB(99), 128, 1024, 1024},
};
enum { ROWS = sizeof table / sizeof *table };

const struct bankrun_limits *bankrun_limits_of(unsigned arch) {
    unsigned plain = arch & ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
    if (plain != arch && plain / 10 != 3) /* a mode of 3.x alone */
        return NULL;
    return plain < ROWS && table[plain].arch != 0 ? &table[plain] : NULL;
}

const unsigned *bankrun_architectures(void) {
    static const unsigned all[] = {10, 11, 12,  13,  20,  21,  30,  32,  35, 37, 50,
                                   52, 53, 60,  61,  62,  70,  72,  75,  80, 86, 87,
                                   89, 90, 100, 101, 103, 110, 120, 121, 0};
    return all;
}

static unsigned round_up(unsigned value, unsigned unit) {
    return (value + unit - 1) / unit * unit;
}

/* Blocks for which the registers suffice. From 2.0 a warp takes its registers in units, out of the
 * part of the register file that serves its scheduler; 1.x allots them to whole blocks. */
static unsigned blocks_by_registers(const struct bankrun_limits *limits, unsigned warps,
                                    unsigned registers) {
    if (limits->arch < 20) {
        unsigned unit = limits->arch < 12 ? 256 : 512;
        return limits->registers / round_up(round_up(warps, 2) * 32 * registers, unit);
    }
    unsigned unit = limits->arch < 30 ? 64 : 256;
    unsigned parts = limits->arch < 30 || limits->arch == 60 ? 2 : 4;
    unsigned resident = limits->registers / parts / round_up(registers * 32, unit) * parts;
    return resident / warps;
}

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

unsigned bankrun_occupancy(const struct bankrun_limits *limits, unsigned threads,
                           unsigned registers, unsigned shared_bytes) {
    if (threads == 0 || threads > limits->threads_per_block ||
        shared_bytes > limits->shared_block_bytes)
        return 0;
    unsigned warps = (threads + 31) / 32;
    unsigned blocks = smaller(limits->blocks, limits->warps / warps);
    if (registers > 0)
        blocks = smaller(blocks, blocks_by_registers(limits, warps, registers));
    unsigned shared = round_up(shared_bytes + limits->shared_reserved, limits->shared_unit);
    if (shared > 0)
        blocks = smaller(blocks, limits->shared_bytes / shared);
    return blocks;
}
