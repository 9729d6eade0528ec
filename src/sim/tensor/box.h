// The box of a copy of a tensor as rows: pieces that follow each other in global memory, in the
// order in which they follow each other in shared memory. In tile mode a box has a size in each
// dimension. In im2col mode it is a number of pixels, which follow each other along W, H, D and N
// within a window of the image, with some channels of each.
#ifndef BANKRUN_SIM_TENSOR_BOX_H
#define BANKRUN_SIM_TENSOR_BOX_H

#include "sim/tensor/map.h"

enum { SIM_TENSOR_PICKED = 4 }; // rows of .tile::gather4 and .tile::scatter4

struct sim_tensor_box {
    const struct sim_tensor_map *map;
    uint32_t unit;                     // bytes of what dimension 0 counts
    int64_t first[SIM_TENSOR_RANK];    // coordinates where the box begins
    uint32_t offsets[SIM_TENSOR_RANK]; // im2col mode: what is added to each coordinate
    uint64_t bytes;                    // in shared memory, without swizzle
    uint32_t row_bytes, pitch;         // there: with a swizzle a row begins every 32, 64 or 128
                                       // bytes, whatever it holds
    // The row that the walk is at.
    int64_t at[SIM_TENSOR_RANK];
    uint32_t place[SIM_TENSOR_RANK]; // tile mode
    uint32_t pixels;                 // im2col mode: those that are left, this row's included
    bool picks_rows;                 // of two dimensions, four that follow in `rows`
    int32_t rows[SIM_TENSOR_PICKED];
};

struct sim_tensor_row {
    uint64_t global;                // address of the first unit inside the tensor
    uint32_t before, inside, after; // units: outside, inside and again outside
};

// Begins the walk. False: the window of im2col mode does not hold the coordinates.
bool sim_tensor_box_begin(struct sim_tensor_box *box, const struct sim_tensor_map *map,
                          const int32_t coordinates[SIM_TENSOR_RANK],
                          const uint16_t offsets[SIM_TENSOR_SPACES]);

// The same for four rows of a tensor of two dimensions: the first coordinate, then the rows. False:
// the map is for other boxes than single rows.
bool sim_tensor_box_pick(struct sim_tensor_box *box, const struct sim_tensor_map *map,
                         const int32_t coordinates[1 + SIM_TENSOR_PICKED]);

struct sim_tensor_row sim_tensor_box_row(const struct sim_tensor_box *box);

// To the next row; false: there is none, and the box is at its first row again.
bool sim_tensor_box_next(struct sim_tensor_box *box);

#endif
