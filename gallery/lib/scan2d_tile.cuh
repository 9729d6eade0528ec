// How fast::scan2d cuts an image into tiles, and what a block knows about its own.
#ifndef FAST_SCAN2D_TILE_CUH
#define FAST_SCAN2D_TILE_CUH

#include "scan2d_letters.cuh"

namespace fast {

enum {
    SCAN_MOST = 32768, // pixels of a row: sums along one fit 32 bits
    SCAN_SECTOR = 4,   // sums of 32 bytes
    SCAN_ROWS = 1024,  // at most so many, of a tile
    SCAN_AHEAD = 4,    // batches that are on their way
    SCAN_AT_ONCE = 4,  // rows of a warp that are scanned together
    SCAN_GROUP = 64,   // columns or rows of which a warp adds up what other tiles sent
    SCAN_QUADS = SCAN_GROUP / 4,
};

// Warps stand SPANS beside each other, each with 128 columns, and DOWN below each other. BATCH rows
// of a warp are asked for and added up together. With IN_STRIPS, images are scanned in strips of
// rows, each by a kernel. Of more than 16 warps, each has at most as many rows as it scans at once.
template <int SPANS_, int DOWN_, int BATCH_, int IN_STRIPS_ = 0> struct scan_shape {
    static constexpr int SPANS = SPANS_, DOWN = DOWN_, BATCH = BATCH_, IN_STRIPS = IN_STRIPS_;
    static constexpr unsigned MOST = SPANS * DOWN > 16 ? int(SCAN_AT_ONCE) : int(SCAN_ROWS);
};

// So many things shared as evenly as can be: the first `longer` places have one more.
struct scan_share {
    unsigned each, longer;

    __host__ __device__ unsigned begin(unsigned place) const {
        return place * each + (place < longer ? place : longer);
    }
    __host__ __device__ unsigned count(unsigned place) const {
        return each + (place < longer);
    }
    __host__ __device__ unsigned most() const {
        return count(0);
    }
};

struct scan_state {
    unsigned scans, blocks; // that are over: launches, and blocks of this one
};

// An image, how its strips are cut into tiles, and, for a kernel, the strip that it scans.
struct scan_image {
    const uint8_t *pixels;
    sum_t *sums;
    unsigned width, height, strips;
    unsigned across, down, tiles; // of a strip
    unsigned unit;                // of columns, at multiples of which tiles begin
    scan_share cut_x, cut_y;      // units, and rows of the strip, that tiles share
    unsigned rows;                // the most of a warp,
    unsigned padded;              // in fours: so many sums of rows a warp has,
    unsigned held;                // in batches: so many rows it has in shared memory
    unsigned slots;               // sums of rows of a tile
    unsigned shifts;              // by how many columns the part of a row that is written may shift
    unsigned top;                 // of the strip; what is above is scanned already
    scan_state *state;            // of the strip, as the letters:
    unsigned *lines, *columns; // [tile][slot], [tile][x]: the sums of the tile's rows and columns
    sum_t *totals; // [column of tiles][tile]: the sum of the tile, for readers in that column
};

template <class Shape, int ANY> struct scan_config : Shape {
    static constexpr bool IS_ANY = ANY; // rows begin anywhere
    static constexpr int WIDTH = 128 * Shape::SPANS, WARPS = Shape::SPANS * Shape::DOWN;
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int CHUNKS = 8 + ANY; // of 16 bytes, in which a warp's part of a row lies
    static constexpr int PITCH = 16 * CHUNKS;
    static_assert(THREADS >= WIDTH && WARPS <= 32, "a thread for each column");
};

template <class C> struct scan_memory {
    uint4 parts[C::DOWN][C::WIDTH / 4];  // sums of columns: of warps, then of those above
    uint4 left[SCAN_ROWS / 4];           // of rows left of the tile
    unsigned lines[C::SPANS][SCAN_ROWS]; // of rows of warps
    sum_t above[C::WIDTH];               // above the tile: of columns from their group's first on,
    sum_t lefts[SCAN_ROWS / 4]; // left of it: of rows from their group's first to before this quad
    sum_t above_groups[C::WIDTH / SCAN_GROUP], left_groups[SCAN_ROWS / SCAN_GROUP]; // of all
    sum_t corner;                // above and left of the tile
    unsigned totals[C::WARPS];   // of warps
    uchar4 stores[C::SPANS][32]; // of lanes, in rows whose first sums lie 0, 1, 2, 3 modulo 4
    uint4 pixels[1];             // [warp][row][chunk], as many as there are
};

// What a block, and a warp in it, has to do.
struct scan_tile {
    unsigned number, row, column, tag;
    unsigned span, top;     // where the warp begins in its tile: columns / 128, slots
    unsigned x, y, rows;    // of the warp in the image
    unsigned offset;        // of the warp's first pixel in the image,
    unsigned place;         // and in memory, modulo anything up to 16
    unsigned begin, pitch;  // of the tile: its first column, and from there to the next tile's
    bool is_first, is_last; // in its row of tiles
    uintptr_t first;        // where the lane begins to ask
    const uint8_t *end;     // of the image
};

template <class C> __device__ scan_tile find_tile(const scan_image &image) {
    unsigned warp = threadIdx.x / 32;
    scan_tile tile;
    tile.number = blockIdx.x;
    tile.row = blockIdx.x / image.across;
    tile.column = blockIdx.x - tile.row * image.across;
    tile.span = warp % C::SPANS;
    tile.top = warp / C::SPANS * image.padded;
    tile.begin = image.unit * image.cut_x.begin(tile.column);
    tile.pitch = image.unit * image.cut_x.count(tile.column);
    tile.x = tile.begin + 128 * tile.span;
    // The rows of the tile are shared by its warps: the last ones have one more.
    unsigned all = image.cut_y.count(tile.row), down = warp / C::SPANS;
    unsigned fewer = C::DOWN - all % C::DOWN;
    tile.y = image.top + image.cut_y.begin(tile.row) + all / C::DOWN * down +
             (down > fewer ? down - fewer : 0);
    tile.rows = tile.x < image.width ? all / C::DOWN + (down >= fewer) : 0;
    tile.offset = tile.y * image.width + tile.x;
    tile.place = unsigned(uintptr_t(image.pixels)) + tile.offset;
    tile.is_first = tile.column == 0;
    tile.is_last = tile.column + 1 == image.across;
    unsigned lane = threadIdx.x % 32;
    tile.first = uintptr_t(image.pixels) + tile.offset + size_t(lane / C::CHUNKS) * image.width +
                 lane % C::CHUNKS * 16;
    tile.end = image.pixels + size_t(image.width) * image.height;
    return tile;
}

// Where the warp's first sum belongs in memory, in sums, modulo anything up to 16.
__device__ inline unsigned place_of(const scan_image &image, const scan_tile &tile) {
    return unsigned(uintptr_t(image.sums) / sizeof(sum_t)) + tile.offset;
}

} // namespace fast

#endif
