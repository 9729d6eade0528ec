// The kernel of fast::scan2d for images of which every tile can have a place of its own on the
// device, so that all of them run at the same time. What it does is told in scan2d.cuh.
#ifndef FAST_SCAN2D_WHOLE_CUH
#define FAST_SCAN2D_WHOLE_CUH

#include "scan2d_letters.cuh"
#include "scan2d_write.cuh"

namespace fast {

enum {
    WHOLE_MOST = 1024, // rows of a tile
    WHOLE_AHEAD = 4,   // batches that are on their way
    WHOLE_AT_ONCE = 4, // rows of a warp that are scanned together
    WHOLE_GROUP = 64,  // columns or rows of which a warp adds up what other tiles sent
};

// Warps stand SPANS beside each other, each with 128 columns, and DOWN below each other. BATCH rows
// of a warp are asked for and added up together.
template <int SPANS_, int DOWN_, int BATCH_> struct whole_shape {
    static constexpr int SPANS = SPANS_, DOWN = DOWN_, BATCH = BATCH_;
};

struct whole_image {
    const uint8_t *pixels;
    sum_t *sums;
    unsigned width, height, across, down; // across, down: tiles,
    unsigned tiles;                       // and all of them
    unsigned rows;                        // of a warp,
    unsigned padded;                      // in whole quads: so many sums of rows a warp has,
    unsigned held;                        // in whole batches: so many rows it has in shared memory
    unsigned tall;                        // rows of a tile
    unsigned slots;                       // sums of rows of a tile
    unsigned pitch;                       // columns from a tile to the next
    unsigned shifts; // by how many columns the part of a row that is written may shift
    scan_state *state;
    unsigned *lines, *columns; // [tile][slot], [tile][x]: the sums of the tile's rows and columns
    sum_t *totals; // [column of tiles][tile]: the sum of the tile, for readers in that column
};

template <class Shape, int ANY> struct whole_config : Shape {
    static constexpr bool IS_ANY = ANY; // rows begin anywhere
    static constexpr int WIDTH = 128 * Shape::SPANS, WARPS = Shape::SPANS * Shape::DOWN;
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int CHUNKS = 8 + ANY; // of 16 bytes, in which a warp's part of a row lies
    static constexpr int PITCH = 16 * CHUNKS;
    static_assert(THREADS >= WIDTH && WARPS <= 16, "a thread for each column");
};

template <class C> struct whole_memory {
    uint4 parts[C::DOWN][C::WIDTH / 4];   // sums of columns: of warps, then of those above
    uint4 left[WHOLE_MOST / 4];           // of rows left of the tile
    unsigned lines[C::SPANS][WHOLE_MOST]; // of rows of warps
    sum_t above[C::WIDTH];                // above the tile: of columns from their group's first on,
    sum_t lefts[WHOLE_MOST / 4]; // left of it: of rows from their group's first to before this quad
    sum_t above_groups[C::WIDTH / WHOLE_GROUP], left_groups[WHOLE_MOST / WHOLE_GROUP]; // of all
    sum_t corner;              // above and left of the tile
    unsigned totals[C::WARPS]; // of warps
    uint4 pixels[1];           // [warp][row][chunk], as many as there are
};

// What a block, and a warp in it, has to do.
struct whole_tile {
    unsigned number, row, column, tag;
    unsigned span, top;     // where the warp begins in its tile: columns / 128, slots
    unsigned x, y, rows;    // of the warp in the image
    unsigned place;         // of its first pixel in memory, modulo anything up to 16
    bool is_first, is_last; // in its row of tiles
    bool is_inside;         // all that the warp asks for is in the image
    uintptr_t first;        // where the lane begins to ask
};

template <class C> __device__ whole_tile find_whole(const whole_image &image) {
    unsigned warp = threadIdx.x / 32;
    whole_tile tile;
    tile.number = blockIdx.x;
    tile.row = blockIdx.x / image.across;
    tile.column = blockIdx.x - tile.row * image.across;
    tile.span = warp % C::SPANS;
    tile.top = warp / C::SPANS * image.padded;
    tile.x = tile.column * image.pitch + 128 * tile.span;
    tile.y = tile.row * image.tall + warp / C::SPANS * image.rows;
    tile.rows =
        tile.x < image.width && tile.y < image.height ? min(image.rows, image.height - tile.y) : 0;
    tile.place = unsigned(uintptr_t(image.pixels)) + tile.y * image.width + tile.x;
    tile.is_first = tile.column == 0;
    tile.is_last = tile.column + 1 == image.across;
    unsigned lane = threadIdx.x % 32;
    const uint8_t *first = image.pixels + size_t(tile.y) * image.width + tile.x;
    const uint8_t *end = image.pixels + size_t(image.width) * image.height;
    const uint8_t *last = first + size_t(max(tile.rows, 1u) - 1) * image.width;
    tile.is_inside = first - uintptr_t(first) % 16 >= image.pixels && last + C::PITCH <= end;
    tile.first = uintptr_t(first) + lane / C::CHUNKS * image.width + lane % C::CHUNKS * 16;
    return tile;
}

// Copies 16 bytes, or clears them; through the first-level cache, for neighbours share sectors.
__device__ inline void copy16(void *to, const void *from, bool is_there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(is_there ? 16 : 0)
                 : "memory");
}

// Copies of 16 bytes those that are in the image. All are asked for before the first is needed.
static __device__ __noinline__ void copy_end(uint4 *to, const uint8_t *from,
                                             const whole_image &image) {
    const uint8_t *end = image.pixels + size_t(image.width) * image.height;
    unsigned bytes[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        bytes[i] = from + i >= image.pixels && from + i < end ? from[i] : 0;
    auto word = [&](int i) {
        return bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
    };
    *to = {word(0), word(4), word(8), word(12)};
}

// The same for a warp of which not all that it asks for is in the image.
template <class C>
__device__ __noinline__ void whole_ask_end(uint4 *pixels, const whole_image &image, size_t first,
                                           unsigned rows, unsigned row) {
    const uint8_t *end = image.pixels + size_t(image.width) * image.height;
#pragma unroll 1
    for (unsigned i = threadIdx.x % 32; i < C::BATCH * C::CHUNKS; i += 32) {
        unsigned y = row + i / C::CHUNKS;
        const uint8_t *at = image.pixels + first + size_t(y) * image.width;
        at += i % C::CHUNKS * 16 - uintptr_t(at) % 16;
        bool is_there = y < rows;
        if (is_there && (at < image.pixels || at + 16 > end))
            copy_end(pixels + row * C::CHUNKS + i, at, image);
        else
            copy16(pixels + row * C::CHUNKS + i, at, is_there);
    }
}

// Brings the rows that the warp asks for first into the second-level cache. It reads nothing, so it
// need not wait for those who write them.
template <class C>
__device__ void whole_prefetch(const whole_image &image, const whole_tile &tile) {
    unsigned row = threadIdx.x % 32;
    const uint8_t *first = image.pixels + size_t(tile.y) * image.width + tile.x;
    if (row < tile.rows)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(first + size_t(row) * image.width));
}

// Asks for a batch of the warp's rows, in whole 16 bytes; rows that it does not have are zeros.
template <class C>
__device__ void whole_ask(uint4 *pixels, const whole_image &image, const whole_tile &tile,
                          unsigned row) {
    constexpr unsigned STEP = 32 / C::CHUNKS; // rows
    unsigned lane = threadIdx.x % 32, r = lane / C::CHUNKS;
    uint4 *to = pixels + row * C::CHUNKS + lane;
    uintptr_t at = tile.first + size_t(row) * image.width;
    if (row < image.rows && tile.is_inside) {
#pragma unroll
        for (int i = 0; i < C::BATCH; i += STEP, at += STEP * image.width)
            if (r < (i + STEP > C::BATCH ? C::BATCH - i : STEP))
                copy16(to + i * C::CHUNKS, reinterpret_cast<const void *>(at / 16 * 16),
                       row + r + i < tile.rows);
    } else if (row < image.rows)
        whole_ask_end<C>(pixels, image, size_t(tile.y) * image.width + tile.x, tile.rows, row);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Four pixels of a row; skew is where the row begins in its first 16 bytes.
template <class C>
__device__ unsigned whole_read(const uint4 *pixels, unsigned row, unsigned quad, unsigned skew) {
    const char *at = reinterpret_cast<const char *>(pixels + row * C::CHUNKS) + 4 * quad;
    if (!C::IS_ANY)
        return *reinterpret_cast<const unsigned *>(at);
    const unsigned *words = reinterpret_cast<const unsigned *>(at + (skew & 12));
    return __funnelshift_r(words[0], words[1], 8 * skew);
}

// Adds up a batch of rows: each row, and each column.
template <class C>
__device__ void whole_sum(whole_memory<C> &shared, const uint4 *pixels, const whole_image &image,
                          const whole_tile &tile, unsigned row, uint4 &columns, unsigned &total) {
    unsigned lane = threadIdx.x % 32, words[C::BATCH], mine = 0;
    unsigned kept = !C::IS_ANY || 128 * tile.span + 4 * lane < image.pitch ? ~0u : 0;
#pragma unroll
    for (int r = 0; r < C::BATCH; r++)
        words[r] = whole_read<C>(pixels, row + r, lane, tile.place + (row + r) * image.width);
#pragma unroll
    for (int r = 0; r < C::BATCH; r++) {
        unsigned sum = __reduce_add_sync(~0u, __dp4a(words[r], words[r] & kept, 0u));
        mine = lane == r ? sum : mine;
    }
#pragma unroll
    for (int r = 0; r < C::BATCH; r += 4)
        add_columns(columns, words[r], words[r + 1], words[r + 2], words[r + 3]);
    total += mine;
    if (lane < C::BATCH && row + lane < image.padded)
        shared.lines[tile.span][tile.top + row + lane] = mine;
}

// Brings the warp's pixels into shared memory, and adds them up as they come.
template <class C>
__device__ void whole_load(whole_memory<C> &shared, uint4 *pixels, const whole_image &image,
                           const whole_tile &tile) {
    uint4 columns = {};
    unsigned total = 0, warp = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned ahead = 0; ahead < WHOLE_AHEAD * C::BATCH; ahead += C::BATCH)
        whole_ask<C>(pixels, image, tile, ahead);
#pragma unroll 1
    for (unsigned row = 0; row < image.rows; row += C::BATCH) {
        asm volatile("cp.async.wait_group %0;" ::"n"(WHOLE_AHEAD - 1) : "memory");
        __syncwarp();
        whole_sum<C>(shared, pixels, image, tile, row, columns, total);
        whole_ask<C>(pixels, image, tile, row + WHOLE_AHEAD * C::BATCH);
    }
    total = __reduce_add_sync(~0u, total);
    shared.parts[warp / C::SPANS][32 * tile.span + threadIdx.x % 32] = columns;
    if (threadIdx.x % 32 == 0)
        shared.totals[warp] = total;
}

// The sum of values below 2^51.
__device__ inline sum_t warp_sum(sum_t value) {
    unsigned low = __reduce_add_sync(~0u, unsigned(value) & 0x3ffffff);
    unsigned high = __reduce_add_sync(~0u, unsigned(value >> 26));
    return (sum_t(high) << 26) + low;
}

// Sends the tile's sums; leaves in parts those of what is above each warp.
template <class C>
__device__ void whole_publish(whole_memory<C> &shared, const whole_image &image,
                              const whole_tile &tile) {
    unsigned *parts = &shared.parts[0][0].x, x = threadIdx.x;
    if (x < C::WIDTH) {
        unsigned sum = 0, part[C::DOWN];
#pragma unroll
        for (int d = 0; d < C::DOWN; d++)
            part[d] = parts[d * C::WIDTH + x];
#pragma unroll
        for (int d = 0; d < C::DOWN; d++)
            sum += part[d];
        send(image.columns + size_t(tile.number) * C::WIDTH + x, sum, tile.tag);
#pragma unroll
        for (int d = C::DOWN - 1; d >= 0; d--)
            parts[d * C::WIDTH + x] = sum -= part[d];
    }
#pragma unroll 1
    for (unsigned y = C::THREADS - 1 - x; y < image.slots; y += C::THREADS) {
        unsigned sum = 0;
#pragma unroll
        for (int k = 0; k < C::SPANS; k++)
            sum += shared.lines[k][y];
        send(image.lines + size_t(tile.number) * image.slots + y, sum, tile.tag);
    }
    if (x / 32 == C::WARPS / 2) {
        sum_t total = warp_sum(x % 32 < C::WARPS ? shared.totals[x % 32] : 0);
#pragma unroll 1
        for (unsigned to = tile.column + 1 + x % 32; to < image.across; to += 32)
            send(image.totals + to * image.tiles + tile.number, total, tile.tag);
    }
}

// Running sums over each group of so many lanes.
template <int GROUP> __device__ sum_t running(sum_t sum) {
#pragma unroll
    for (int step = 1; step < GROUP; step *= 2) {
        sum_t lower = __shfl_up_sync(~0u, sum, step);
        if (threadIdx.x % GROUP >= step)
            sum += lower;
    }
    return sum;
}

// The sums of a lane's four columns or rows in other tiles, and running sums over those of a group.
struct whole_quad {
    uint4 sums;
    sum_t before, upto; // without these four, and with them
};

// Adds up what count tiles sent; each half of the warp takes every second tile.
__device__ inline whole_quad collect_quad(const unsigned *at, unsigned stride, unsigned count,
                                          unsigned tag) {
    constexpr unsigned QUADS = WHOLE_GROUP / 4;
    scan_letters<uint4, unsigned, 8> letters = {at, stride, threadIdx.x % 32 / QUADS, 32 / QUADS,
                                                count};
    whole_quad quad = {letters.take_together(tag)};
    uint4 &sums = quad.sums;
    add(sums, {__shfl_xor_sync(~0u, sums.x, QUADS), __shfl_xor_sync(~0u, sums.y, QUADS),
               __shfl_xor_sync(~0u, sums.z, QUADS), __shfl_xor_sync(~0u, sums.w, QUADS)});
    sum_t four = sum_t(sums.x) + sums.y + sums.z + sums.w;
    quad.upto = running<QUADS>(four);
    quad.before = quad.upto - four;
    return quad;
}

// Adds up what other tiles sent of a group of columns above this one.
template <class C>
__device__ void collect_columns(whole_memory<C> &shared, const whole_image &image,
                                const whole_tile &tile, unsigned group) {
    constexpr unsigned QUADS = WHOLE_GROUP / 4;
    unsigned lane = threadIdx.x % 32, first = group * WHOLE_GROUP + lane % QUADS * 4;
    whole_quad quad = collect_quad(image.columns + tile.column * C::WIDTH + first,
                                   image.across * C::WIDTH, tile.row, tile.tag);
    sum_t x = quad.before + quad.sums.x, y = x + quad.sums.y, z = y + quad.sums.z;
    // Both halves of the warp have the same; each lane stores a pair, so that no bank is met twice.
    unsigned half = (lane / 4 ^ lane / QUADS) % 2;
    reinterpret_cast<ulonglong2 *>(shared.above + first)[half] =
        half ? ulonglong2{z, quad.upto} : ulonglong2{x, y};
    if (lane == QUADS - 1)
        shared.above_groups[group] = quad.upto;
}

// The same of rows to the left.
template <class C>
__device__ void collect_rows(whole_memory<C> &shared, const whole_image &image,
                             const whole_tile &tile, unsigned group) {
    constexpr unsigned QUADS = WHOLE_GROUP / 4;
    unsigned lane = threadIdx.x % 32, at = group * QUADS + lane % QUADS;
    bool is_there = at < image.slots / 4;
    whole_quad quad = collect_quad(image.lines + (tile.number - tile.column) * image.slots + 4 * at,
                                   image.slots, is_there ? tile.column : 0, tile.tag);
    if (lane < QUADS && is_there) {
        shared.left[at] = quad.sums;
        shared.lefts[at] = quad.before;
    }
    if (lane == QUADS - 1)
        shared.left_groups[group] = quad.upto;
}

// The same of all tiles above and left of this one.
template <class C>
__device__ void collect_corner(whole_memory<C> &shared, const whole_image &image,
                               const whole_tile &tile) {
    unsigned lane = threadIdx.x % 32;
    sum_t sum = 0;
#pragma unroll 1
    for (unsigned first = 0; first < tile.column; first += 16) {
        unsigned column = first + lane % 16;
        scan_letters<sum_t, sum_t, 8> letters = {image.totals + tile.column * image.tiles + column,
                                                 image.across, lane / 16, 2,
                                                 column < tile.column ? tile.row : 0};
        sum += letters.take_together(tile.tag);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        shared.corner = sum;
}

template <class C>
__device__ void whole_collect(whole_memory<C> &shared, const whole_image &image,
                              const whole_tile &tile) {
    constexpr unsigned COLUMNS = C::WIDTH / WHOLE_GROUP;
    unsigned jobs = COLUMNS + (image.slots + WHOLE_GROUP - 1) / WHOLE_GROUP + 1;
#pragma unroll 1
    for (unsigned job = threadIdx.x / 32; job < jobs; job += C::WARPS)
        if (job < COLUMNS)
            collect_columns<C>(shared, image, tile, job);
        else if (job + 1 < jobs)
            collect_rows<C>(shared, image, tile, job - COLUMNS);
        else
            collect_corner<C>(shared, image, tile);
}

// The sums of the row above the warp's first, at first within the tile, then of all: in the lane's
// columns, and in the column before the warp's. A lane has columns 2 * lane, 2 * lane + 1, and
// those 64 further on.
struct whole_sums {
    sum_t columns[4], before;
};

template <class C>
__device__ void whole_begin(whole_sums &sums, const whole_memory<C> &shared,
                            const whole_tile &tile) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 all = shared.parts[warp / C::SPANS][32 * tile.span + lane];
    sum_t four = sum_t(all.x) + all.y + all.z + all.w, upto = running<32>(four) - four;
    sums.before = 0;
#pragma unroll
    for (int k = 0; k + 1 < C::SPANS; k++)
#pragma unroll 4
        for (unsigned other = k; k < tile.span && other < warp / C::SPANS * C::SPANS;
             other += C::SPANS)
            sums.before += shared.totals[other];
    upto += sums.before;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned from = 16 * k + lane / 2;
        sum_t sum = __shfl_sync(~0u, upto, from);
        uint4 quad = shared.parts[warp / C::SPANS][32 * tile.span + from];
        sums.columns[2 * k] = sum + quad.x + (lane % 2 ? sum_t(quad.y) + quad.z : 0);
        sums.columns[2 * k + 1] = sums.columns[2 * k] + (lane % 2 ? quad.w : quad.y);
    }
}

template <class C>
__device__ void whole_start(whole_sums &sums, const whole_memory<C> &shared,
                            const whole_tile &tile) {
    sum_t base = shared.corner + shared.lefts[tile.top / 4];
#pragma unroll 4
    for (unsigned group = 0; group < tile.top / WHOLE_GROUP; group++)
        base += shared.left_groups[group];
#pragma unroll
    for (int group = 0; group < 2 * (C::SPANS - 1); group++)
        base += group < 2 * tile.span ? shared.above_groups[group] : 0;
    sums.before += base;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned x = 128 * tile.span + 64 * k + threadIdx.x % 32 * 2;
        ulonglong2 above = *reinterpret_cast<const ulonglong2 *>(shared.above + x);
        base += k ? shared.above_groups[2 * tile.span] : 0;
        sums.columns[2 * k] += base + above.x;
        sums.columns[2 * k + 1] += base + above.y;
    }
}

// Of some rows: the four pixels among which the lane's columns are, and the sum of those of the
// warp before them.
struct whole_rows {
    unsigned quads[WHOLE_AT_ONCE][2], bases[WHOLE_AT_ONCE][2];
};

template <class C>
__device__ void whole_prepare(whole_rows &rows, const uint4 *pixels, unsigned row, unsigned place,
                              unsigned width) {
    unsigned lane = threadIdx.x % 32, words[WHOLE_AT_ONCE], upto[WHOLE_AT_ONCE];
#pragma unroll
    for (int r = 0; r < WHOLE_AT_ONCE; r++) {
        unsigned skew = place + (row + r) * width;
        words[r] = whole_read<C>(pixels, row + r, lane, skew);
        upto[r] = __dp4a(words[r], words[r], 0u);
    }
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
#pragma unroll
        for (int r = 0; r < WHOLE_AT_ONCE; r++) {
            unsigned lower = __shfl_up_sync(~0u, upto[r], step);
            if (lane >= step)
                upto[r] += lower;
        }
#pragma unroll
    for (int r = 0; r < WHOLE_AT_ONCE; r++)
        hand_out(rows.quads[r], rows.bases[r], words[r], upto[r] - __dp4a(words[r], words[r], 0u));
}

// Goes down the warp's rows with the sums of its columns.
template <class C>
__device__ void whole_finish(whole_memory<C> &shared, const uint4 *pixels, const whole_image &image,
                             const whole_tile &tile, whole_rows &rows, whole_sums &sums) {
    if (tile.rows == 0)
        return;
    whole_start<C>(sums, shared, tile);
    unsigned lane = threadIdx.x % 32;
    sum_t *to = image.sums + size_t(tile.y) * image.width + tile.x + 2 * lane;
    unsigned first = unsigned(uintptr_t(image.sums) / sizeof *to) + tile.y * image.width + tile.x;
    unsigned place = first;
    scan_part part = find_part<C::IS_ANY>(image, tile, 128 * tile.span);
#pragma unroll 1
    for (unsigned row = 0; row < tile.rows; row += WHOLE_AT_ONCE) {
        uint4 lefts = shared.left[(tile.top + row) / 4];
#pragma unroll
        for (int k = 0; k + 1 < C::SPANS; k++)
            if (k < tile.span)
                add(lefts, *reinterpret_cast<const uint4 *>(&shared.lines[k][tile.top + row]));
        unsigned left[] = {lefts.x, lefts.y, lefts.z, lefts.w};
#pragma unroll
        for (int r = 0; r < WHOLE_AT_ONCE; r++, to += image.width, place += image.width) {
            add_row(sums.columns, rows.quads[r], rows.bases[r], left[r]);
            sums.before += left[r];
            if (C::IS_ANY && (first + r * image.width) % 2) // four rows further on it is the same
                write_pairs<C::IS_ANY, 1>(to, place, sums.columns, sums.before, part,
                                          row + r < tile.rows);
            else
                write_pairs<C::IS_ANY, 0>(to, place, sums.columns, sums.before, part,
                                          row + r < tile.rows);
        }
        if (row + WHOLE_AT_ONCE < tile.rows)
            whole_prepare<C>(rows, pixels, row + WHOLE_AT_ONCE, tile.place, image.width);
    }
}

// A block has so many threads and registers that none of the next scan finds room beside it: else
// two of that would share a multiprocessor and a place elsewhere stay empty.
template <class Shape, int ANY>
__global__ void __launch_bounds__(32 * Shape::SPANS * Shape::DOWN, 1)
    whole_tiles(const __grid_constant__ whole_image image) {
    typedef whole_config<Shape, ANY> C;
    extern __shared__ __align__(16) unsigned char memory[];
    whole_memory<C> &shared = *reinterpret_cast<whole_memory<C> *>(memory);
    unsigned order = 0;
    let_next_begin();
    whole_tile tile = find_whole<C>(image);
    uint4 *pixels = shared.pixels + threadIdx.x / 32 * image.held * C::CHUNKS;
    whole_prefetch<C>(image, tile);
    wait_for_former();
    unsigned scans = *const_cast<volatile unsigned *>(&image.state->scans);
    whole_load<C>(shared, pixels, image, tile);
    tile.tag = scans % SCAN_TAGS + 1;
    __syncthreads();
    whole_publish<C>(shared, image, tile);
    whole_rows rows;
    whole_prepare<C>(rows, pixels, 0, tile.place, image.width);
    if (threadIdx.x == 0)
        order = atomicAdd(&image.state->blocks, 1u);
    __syncthreads();
    whole_sums sums;
    whole_begin<C>(sums, shared, tile);
    whole_collect<C>(shared, image, tile);
    __syncthreads();
    whole_finish<C>(shared, pixels, image, tile, rows, sums);
    if (threadIdx.x == 0 && order == gridDim.x - 1) { // all blocks know the number of this scan
        image.state->blocks = 0;
        image.state->scans = scans + 1;
    }
}

} // namespace fast

#endif
