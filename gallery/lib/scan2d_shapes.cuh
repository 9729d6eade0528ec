// The tiles of fast::scan2d: their shapes, and what a scan has in device and in shared memory.
#ifndef FAST_SCAN2D_SHAPES_CUH
#define FAST_SCAN2D_SHAPES_CUH

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace fast {

typedef unsigned long long sum_t;

// Shapes of tiles.
struct scan_small {
    static constexpr int SPANS = 1;      // of 128 columns, four for each lane
    static constexpr int LINES = 8;      // of each warp
    static constexpr int WARPS = 8;      // below each other
    static constexpr int BLOCKS = 2;     // that are to fit on a multiprocessor,
    static constexpr int ANY_BLOCKS = 2; // where lines begin anywhere
    static constexpr int AT_ONCE = 4;    // lines that a warp writes together
    static constexpr int BAND = 64;      // rows of tiles
    static constexpr int LEAD = 0;       // tiles by which adding up is ahead; 0: blocks do both
};
struct scan_medium : scan_small {
    static constexpr int LINES = 16;
};
struct scan_large {
    static constexpr int SPANS = 2, LINES = 8, WARPS = 8, BLOCKS = 3, ANY_BLOCKS = 4, AT_ONCE = 1;
    static constexpr int BAND = 8, LEAD = 264;
};
struct scan_wide {
    static constexpr int SPANS = 4, LINES = 8, WARPS = 4, BLOCKS = 4, ANY_BLOCKS = 4, AT_ONCE = 1;
    static constexpr int BAND = 8, LEAD = 264;
};

enum {
    SCAN_MOST = 32768,   // pixels of a line: sums along one fit 32 bits
    SCAN_TAGS = 127,     // of scans with one plan, in turn
    SCAN_BITS = 25,      // of a value below its tag in 32 bits: a line of 512 pixels, at most
    SCAN_LONG_BITS = 57, // in 64 bits
    SCAN_SECTOR = 4,     // sums of 32 bytes
};

struct scan_state {
    unsigned scans, blocks; // that are over: scans, and blocks of this scan
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
    static constexpr bool IS_ANY = ANY, IS_SPLIT = Shape::LEAD > 0;
    static constexpr int WIDTH = 128 * Shape::SPANS, HEIGHT = Shape::LINES * Shape::WARPS;
    static constexpr int THREADS = 32 * Shape::WARPS;
    static constexpr int WORDS = WIDTH / 4;                  // of pixels in a line
    static constexpr int QUADS = Shape::LINES / 4;           // of a warp's lines
    static constexpr int COLUMN_PARTS = THREADS * 4 / WIDTH; // threads that share four columns
    static constexpr int BATCH = Shape::LINES < 8 ? Shape::LINES : 8; // lines loaded together
    static_assert(Shape::LINES % BATCH == 0 && BATCH % 4 == 0 && THREADS * 4 % WIDTH == 0 &&
                      WIDTH <= 512 && HEIGHT <= 128 && Shape::LINES % Shape::AT_ONCE == 0,
                  "shape");
};

template <class C> struct scan_memory {
    ulonglong2 out[C::WARPS][C::AT_ONCE][C::WIDTH / 2 + 2];
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
};

template <class C> __device__ scan_tile find_tile(const scan_image &image) {
    scan_tile tile = {blockIdx.x};
    tile.is_summed = tile.is_written = true;
    if (C::IS_SPLIT) { // the first tiles are added up, then in turn one written and one added up
        unsigned rest = image.across * image.down - image.lead, turn = blockIdx.x - image.lead;
        bool is_ahead = blockIdx.x < image.lead;
        tile.is_written = !is_ahead && (turn % 2 == 0 || turn >= 2 * rest);
        tile.is_summed = !tile.is_written;
        if (!is_ahead)
            tile.number = turn >= 2 * rest ? turn - rest : turn / 2 + turn % 2 * image.lead;
    }
    tile.row = tile.number / image.across;
    tile.column = tile.number - tile.row * image.across;
    tile.x = tile.column * image.pitch;
    tile.y = tile.row * C::HEIGHT;
    tile.band = tile.row / C::BAND;
    tile.in_band = tile.row % C::BAND;
    tile.ends_band = tile.is_summed && tile.in_band == C::BAND - 1 && tile.row + 1 < image.down;
    return tile;
}

} // namespace fast

#endif
