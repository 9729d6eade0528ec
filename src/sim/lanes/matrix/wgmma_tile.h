// Inside the simulator: matrices in shared memory as wgmma's descriptors describe them.
#ifndef BANKRUN_SIM_LANES_MATRIX_WGMMA_TILE_H
#define BANKRUN_SIM_LANES_MATRIX_WGMMA_TILE_H

#include "sim/lanes/matrix/mma.h"

// What is side by side in memory are elements of a line: of a row of A (a column of B) along the
// depth, or, transposed, the other way round. Lines come in groups of eight, of each a piece of 16
// bytes, or of 32, 64 or 128 which are swizzled: 16-byte pieces change places by the number of the
// 128 bytes that they are in. (PTX ISA, wgmma: matrix descriptor; addresses were read off an H200.)
struct wgmma_tile {
    uint32_t start;
    uint32_t lines;  // bytes from eight lines to the next eight
    uint32_t across; // bytes from a swizzled piece of a line to the next one
    uint32_t width;  // 16-byte units in a swizzled piece
    uint32_t base;   // offset of the swizzle's pattern, in 128 bytes
};

struct wgmma_tile SIM_NAME(wgmma_read_descriptor)(uint64_t descriptor, bool is_transposed);

// Where a tile's elements go: a step for each line, and one for each element of it.
struct wgmma_shape {
    unsigned lines, elements; // of a line
    unsigned bits;            // of an element
    unsigned line_step, element_step;
};

// Reads all elements. False: some byte is outside of the block's shared memory; `offset` is where.
bool SIM_NAME(wgmma_read_tile)(const struct sim_block *block, const struct wgmma_tile *tile,
                               const struct wgmma_shape *shape, uint32_t *elements,
                               uint32_t *offset);

// Tells observers of the same, when it was read.
void SIM_NAME(wgmma_tell_tile)(struct sim_warp *warp, const struct sim_instr *instr,
                               const struct wgmma_tile *tile, const struct wgmma_shape *shape);

#endif
