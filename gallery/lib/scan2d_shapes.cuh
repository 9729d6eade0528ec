// The tiles of large images in fast::scan2d: their shapes, and what a scan has in device and in
// shared memory.
#ifndef FAST_SCAN2D_SHAPES_CUH
#define FAST_SCAN2D_SHAPES_CUH

#include "scan2d_letters.cuh"

namespace fast {

// Shapes of tiles.
struct scan_large {
    static constexpr int SPANS = 2;      // of 128 columns, four for each lane
    static constexpr int LINES = 8;      // of each warp
    static constexpr int WARPS = 8;      // below each other
    static constexpr int BLOCKS = 3;     // that are to fit on a multiprocessor,
    static constexpr int ANY_BLOCKS = 4; // where lines begin anywhere
    static constexpr int BAND = 8;       // rows of tiles
    static constexpr int LEAD = 330;     // tiles by which adding up is ahead
};
struct scan_wide : scan_large {
    static constexpr int SPANS = 4, WARPS = 4, BLOCKS = 4;
};

struct scan_image {
    const uint8_t *pixels;
    sum_t *sums;
    unsigned width, height;
    unsigned across, down; // tiles
    unsigned pitch;        // columns from a tile to the next
    unsigned shifts;       // by how many columns the part of a line that is written may shift
    unsigned lead;         // tiles
    scan_state *state;
    unsigned *lines;   // [tile][line]: the sum of a line of the tile
    unsigned *columns; // [tile][x]: the sum of a column of the tile
    unsigned *above;   // [band][tile column][half][x]: of a column above the band, 16 bits each
    sum_t *totals;     // [tile]: the sum of the tile
    sum_t *corners; // [band][tile column]: the sum of all that is above the band, left of the tile
};

template <class Shape, int ANY> struct scan_config : Shape {
    static constexpr bool IS_ANY = ANY;
    static constexpr int WIDTH = 128 * Shape::SPANS, HEIGHT = Shape::LINES * Shape::WARPS;
    static constexpr int THREADS = 32 * Shape::WARPS;
    static constexpr int WORDS = WIDTH / 4;                  // of pixels in a line
    static constexpr int QUADS = Shape::LINES / 4;           // of a warp's lines
    static constexpr int COLUMN_PARTS = THREADS * 4 / WIDTH; // threads that share four columns
    static constexpr int BATCH = Shape::LINES < 8 ? Shape::LINES : 8; // lines loaded together
    static_assert(Shape::LINES % BATCH == 0 && BATCH % 4 == 0 && THREADS * 4 % WIDTH == 0 &&
                      WIDTH <= 512 && HEIGHT <= 128,
                  "shape");
};

template <class C> struct scan_memory {
    ulonglong2 starts[C::WARPS][C::WIDTH / 2];
    uint4 parts[C::WARPS][C::WIDTH / 4]; // of the sums of columns
    uint4 above[C::COLUMN_PARTS][C::WIDTH / 4];
    uint4 left[C::WARPS][C::QUADS];
    unsigned pixels[C::WARPS][C::LINES][C::WORDS + (C::IS_ANY ? 4 : 0)];
    sum_t lefts[C::WARPS], corners[C::WARPS], totals[C::WARPS];
};

// What a block has to do.
struct scan_tile {
    unsigned number, column, row, x, y;
    unsigned band, in_band; // its band, and rows of tiles above it there
    unsigned tag;
    bool is_summed, is_written, ends_band;
    bool is_first, is_last; // in its row of tiles
};

template <class C> __device__ scan_tile find_tile(const scan_image &image) {
    scan_tile tile = {blockIdx.x};
    // The first tiles are added up, then in turn one is written and one added up.
    unsigned rest = image.across * image.down - image.lead, turn = blockIdx.x - image.lead;
    bool is_ahead = blockIdx.x < image.lead;
    tile.is_written = !is_ahead && (turn % 2 == 0 || turn >= 2 * rest);
    tile.is_summed = !tile.is_written;
    if (!is_ahead)
        tile.number = turn >= 2 * rest ? turn - rest : turn / 2 + turn % 2 * image.lead;
    tile.row = tile.number / image.across;
    tile.column = tile.number - tile.row * image.across;
    tile.x = tile.column * image.pitch;
    tile.is_first = tile.column == 0;
    tile.is_last = tile.column + 1 == image.across;
    tile.y = tile.row * C::HEIGHT;
    tile.band = tile.row / C::BAND;
    tile.in_band = tile.row % C::BAND;
    tile.ends_band = tile.is_summed && tile.in_band == C::BAND - 1 && tile.row + 1 < image.down;
    return tile;
}

} // namespace fast

#endif
