/* How many blocks fit on a multiprocessor at a time. */
#include "bankrun/banks.h"

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
