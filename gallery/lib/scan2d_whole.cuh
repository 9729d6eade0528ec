// The kernel of fast::scan2d for images of which every tile can have a place of its own on the
// device, so that all of them run at the same time. What it does is told in scan2d.cuh.
#ifndef FAST_SCAN2D_WHOLE_CUH
#define FAST_SCAN2D_WHOLE_CUH

#include "scan2d_letters.cuh"

namespace fast {

enum {
    WHOLE_MOST = 1024,  // rows of a tile
    WHOLE_BATCH = 8,    // rows of a warp that are asked for and added up together
    WHOLE_AHEAD = 4,    // batches that are on their way
    WHOLE_AT_ONCE = 4,  // rows of a warp that are scanned together
    WHOLE_PARTING = 22, // bits of a sum in the first of two words
};

// Warps stand SPANS beside each other, each with 128 columns, and DOWN below each other.
template <int SPANS_, int DOWN_> struct whole_shape {
    static constexpr int SPANS = SPANS_, DOWN = DOWN_;
};

struct whole_image {
    const uint8_t *pixels;
    sum_t *sums;
    unsigned width, height, across, down; // across, down: tiles
    unsigned rows;                        // of a warp,
    unsigned padded;                      // in whole quads: so many sums of rows a warp has,
    unsigned held;                        // in whole batches: so many rows it has in shared memory
    unsigned tall;                        // rows of a tile
    unsigned slots;                       // sums of rows of a tile
    unsigned pitch;                       // columns from a tile to the next
    unsigned shifts; // by how many columns the part of a row that is written may shift
    scan_state *state;
    unsigned *lines, *columns; // [tile][slot], [tile][x]: the sums of the tile's rows and columns
    sum_t *totals;             // [tile]: the sum of the tile
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
    uint4 above[C::WIDTH / 4];            // of columns above the tile
    uint4 left[WHOLE_MOST / 4];           // of rows left of the tile
    unsigned lines[C::SPANS][WHOLE_MOST]; // of rows of warps
    unsigned totals[C::WARPS];            // of warps
    unsigned corner[2];                   // above and left of the tile: low bits, high bits
    uint4 pixels[1];                      // [warp][row][chunk], as many as there are
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

// Copies 16 bytes, or clears them.
__device__ inline void copy16(void *to, const void *from, bool is_there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
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
    for (unsigned i = threadIdx.x % 32; i < WHOLE_BATCH * C::CHUNKS; i += 32) {
        unsigned y = row + i / C::CHUNKS;
        const uint8_t *at = image.pixels + first + size_t(y) * image.width;
        at += i % C::CHUNKS * 16 - uintptr_t(at) % 16;
        bool is_there = y < rows;
        if (is_there && (at < image.pixels || at + 16 > end))
            copy_end(pixels + row * C::CHUNKS + i, at, image);
        else
            copy16(pixels + row * C::CHUNKS + i, is_there ? at : image.pixels, is_there);
    }
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
        for (int i = 0; i < WHOLE_BATCH; i += STEP, at += STEP * image.width)
            if (r < (i + STEP > WHOLE_BATCH ? WHOLE_BATCH - i : STEP))
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
    unsigned lane = threadIdx.x % 32, words[WHOLE_BATCH], mine = 0;
    unsigned kept = !C::IS_ANY || 128 * tile.span + 4 * lane < image.pitch ? ~0u : 0;
#pragma unroll
    for (int r = 0; r < WHOLE_BATCH; r++)
        words[r] = whole_read<C>(pixels, row + r, lane, tile.place + (row + r) * image.width);
#pragma unroll
    for (int r = 0; r < WHOLE_BATCH; r++) {
        unsigned sum = __reduce_add_sync(~0u, __dp4a(words[r], words[r] & kept, 0u));
        mine = lane == r ? sum : mine;
    }
#pragma unroll
    for (int r = 0; r < WHOLE_BATCH; r += 4)
        add_columns(columns, words[r], words[r + 1], words[r + 2], words[r + 3]);
    total += mine;
    if (lane < WHOLE_BATCH && row + lane < image.padded)
        shared.lines[tile.span][tile.top + row + lane] = mine;
}

// Brings the warp's pixels into shared memory, and adds them up as they come.
template <class C>
__device__ void whole_load(whole_memory<C> &shared, uint4 *pixels, const whole_image &image,
                           const whole_tile &tile) {
    uint4 columns = {};
    unsigned total = 0, warp = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned ahead = 0; ahead < WHOLE_AHEAD * WHOLE_BATCH; ahead += WHOLE_BATCH)
        whole_ask<C>(pixels, image, tile, ahead);
    if (threadIdx.x < C::WIDTH / 4)
        shared.above[threadIdx.x] = {};
    if (threadIdx.x < 2)
        shared.corner[threadIdx.x] = 0;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < image.slots / 4; i += C::THREADS)
        shared.left[i] = {};
#pragma unroll 1
    for (unsigned row = 0; row < image.rows; row += WHOLE_BATCH) {
        asm volatile("cp.async.wait_group %0;" ::"n"(WHOLE_AHEAD - 1) : "memory");
        __syncwarp();
        whole_sum<C>(shared, pixels, image, tile, row, columns, total);
        whole_ask<C>(pixels, image, tile, row + WHOLE_AHEAD * WHOLE_BATCH);
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
        for (int d = 0; d < C::DOWN; d++) {
            parts[d * C::WIDTH + x] = sum;
            sum += part[d];
        }
        send(image.columns + size_t(tile.number) * C::WIDTH + x, sum, tile.tag);
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
        if (x % 32 == 0)
            send(image.totals + tile.number, total, tile.tag);
    }
}

// Adds to four words in shared memory. Eight lanes at a time begin with the same of their four, so
// that a warp with 32 neighbouring quads meets in no bank.
__device__ inline void add_quad(uint4 *to, uint4 v) {
    unsigned turn = threadIdx.x / 8 % 4, *at = &to->x;
    if (turn & 1)
        v = {v.y, v.z, v.w, v.x};
    if (turn & 2)
        v = {v.z, v.w, v.x, v.y};
    atomicAdd(at + turn, v.x);
    atomicAdd(at + (turn + 1) % 4, v.y);
    atomicAdd(at + (turn + 2) % 4, v.z);
    atomicAdd(at + (turn + 3) % 4, v.w);
}

// Adds up what other tiles sent: of columns above, of rows to the left. Those who share a quad take
// every so many tiles.
template <class C>
__device__ void whole_collect_quads(whole_memory<C> &shared, const whole_image &image,
                                    const whole_tile &tile) {
    constexpr int N = 4;
    unsigned quads = C::WIDTH / 4 + (image.slots + 127) / 128 * 32; // whole warps
    unsigned shares = max(1u, C::THREADS / quads);
#pragma unroll 1
    for (unsigned item = threadIdx.x; item < quads * shares; item += C::THREADS) {
        unsigned share = item / quads, quad = item - share * quads, count, stride;
        const unsigned *at;
        uint4 words[N], sum = {}, *to;
        if (quad < C::WIDTH / 4) {
            at = image.columns + tile.column * C::WIDTH + 4 * quad;
            stride = image.across * C::WIDTH;
            count = tile.row;
            to = shared.above + quad;
        } else {
            quad -= C::WIDTH / 4;
            at = image.lines + size_t(tile.number - tile.column) * image.slots + 4 * quad;
            stride = image.slots;
            count = quad < image.slots / 4 ? tile.column : 0;
            to = shared.left + quad;
        }
#pragma unroll 1
        for (unsigned from = share; from < count; from += N * shares) {
#pragma unroll
            for (int n = 0; n < N; n++)
                if (from + n * shares < count)
                    look(words[n], at + size_t(from + n * shares) * stride);
            bool is_missing;
            do {
                is_missing = false;
#pragma unroll
                for (int n = 0; n < N; n++)
                    if (from + n * shares < count && !has_tag(words[n], tile.tag)) {
                        look(words[n], at + size_t(from + n * shares) * stride);
                        is_missing = true;
                    }
            } while (is_missing);
#pragma unroll
            for (int n = 0; n < N; n++)
                if (from + n * shares < count)
                    add(sum, untagged(words[n], 1, tile.tag));
        }
        if (share < count)
            add_quad(to, sum);
    }
}

// The same for what is above and left of the tile: each warp a row of tiles.
template <class C>
__device__ void whole_collect(whole_memory<C> &shared, const whole_image &image,
                              const whole_tile &tile) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool is_mine = warp < tile.row && lane < tile.column;
    sum_t first = 0, sum = 0;
    if (is_mine) // asked for before the others
        look(first, image.totals + warp * image.across + lane);
    whole_collect_quads<C>(shared, image, tile);
    if (warp >= tile.row || tile.column == 0)
        return;
#pragma unroll 1
    for (unsigned row = warp; row < tile.row; row += C::WARPS)
#pragma unroll 1
        for (unsigned column = lane; column < tile.column; column += 32) {
            const sum_t *at = image.totals + row * image.across + column;
            sum_t word = first;
            if (row != warp || column != lane)
                look(word, at);
            while (!has_tag(word, tile.tag))
                look(word, at);
            sum += untagged(word, 1, tile.tag);
        }
    unsigned low = __reduce_add_sync(~0u, unsigned(sum) & ((1u << WHOLE_PARTING) - 1));
    unsigned high = __reduce_add_sync(~0u, unsigned(sum >> WHOLE_PARTING));
    if (lane < 2)
        atomicAdd(&shared.corner[lane], lane ? high : low);
}

template <class C> __device__ uint4 whole_above(const whole_memory<C> &shared, unsigned quad) {
    uint4 sum = shared.above[quad];
    add(sum, shared.parts[threadIdx.x / 32 / C::SPANS][quad]);
    return sum;
}

// The finished sums of the row above the warp's first: in the lane's columns, and in the column
// before the warp's. A lane has columns 2 * lane, 2 * lane + 1, and those 64 further on.
template <class C>
__device__ void whole_start(sum_t (&sums)[4], sum_t &before, const whole_memory<C> &shared,
                            const whole_tile &tile) {
    unsigned lane = threadIdx.x % 32;
    const unsigned *left = &shared.left[0].x;
    sum_t base = 0;
#pragma unroll 2
    for (unsigned y = lane; y < tile.top; y += 32)
        base += left[y];
#pragma unroll
    for (int k = 0; k + 1 < C::SPANS; k++)
        if (k < tile.span) {
            uint4 all = whole_above<C>(shared, 32 * k + lane);
            base += sum_t(all.x) + all.y + all.z + all.w;
        }
    before = warp_sum(base) + shared.corner[0] + (sum_t(shared.corner[1]) << WHOLE_PARTING);
    uint4 all = whole_above<C>(shared, 32 * tile.span + lane);
    sum_t four = sum_t(all.x) + all.y + all.z + all.w, upto = four;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        sum_t lower = __shfl_up_sync(~0u, upto, step);
        if (lane >= step)
            upto += lower;
    }
    upto += before - four; // before the lane's columns
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned from = 16 * k + lane / 2;
        sum_t sum = __shfl_sync(~0u, upto, from);
        uint4 quad = whole_above<C>(shared, 32 * tile.span + from);
        sums[2 * k] = sum + quad.x + (lane % 2 ? sum_t(quad.y) + quad.z : 0);
        sums[2 * k + 1] = sums[2 * k] + (lane % 2 ? quad.w : quad.y);
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
    unsigned lane = threadIdx.x % 32, upto[WHOLE_AT_ONCE], four[WHOLE_AT_ONCE];
#pragma unroll
    for (int r = 0; r < WHOLE_AT_ONCE; r++) {
        unsigned skew = place + (row + r) * width;
        unsigned word = whole_read<C>(pixels, row + r, lane, skew);
        rows.quads[r][0] = __shfl_sync(~0u, word, lane / 2);
        rows.quads[r][1] = __shfl_sync(~0u, word, 16 + lane / 2);
        upto[r] = four[r] = __dp4a(word, word, 0u);
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
    for (int r = 0; r < WHOLE_AT_ONCE; r++) {
        upto[r] -= four[r];
        rows.bases[r][0] = __shfl_sync(~0u, upto[r], lane / 2);
        rows.bases[r][1] = __shfl_sync(~0u, upto[r], 16 + lane / 2);
    }
}

// Which columns of a row the warp may write. They begin and end at multiples of image.shifts sums
// in memory, or where pairs do; in the first and in the last column of tiles at the row's ends.
struct whole_part {
    int from, end;
    unsigned from_mask, end_mask, from_odd, end_odd;
    bool is_edge;
};

template <class C>
__device__ whole_part find_part(const whole_image &image, const whole_tile &tile) {
    int base = 128 * tile.span;
    unsigned mask = image.shifts - 1, odd = image.shifts == 1;
    whole_part part = {-base, int(image.width - tile.x)};
    if (C::IS_ANY && !tile.is_first) {
        part.from_mask = mask;
        part.from_odd = odd;
    }
    if (C::IS_ANY && !tile.is_last) {
        part.end = int(image.pitch) - base;
        part.end_mask = mask;
        part.end_odd = odd;
    }
    part.is_edge = tile.is_first || tile.is_last;
    return part;
}

// Writes the sums at the ends of the image's rows that have no neighbour in a pair.
template <int ODD>
__device__ void write_ends(sum_t *out, const sum_t (&sums)[4], int from, int end) {
    int lane = threadIdx.x % 32, last = end - 1 - ODD;
    if (ODD && lane == 0 && from == 0 && end > 0)
        out[0] = sums[0];
    if (last % 2 == 0 && last >= 0 && last < 128 && (last & 63) == 2 * lane)
        out[end - 1] = last < 64 ? sums[ODD] : sums[2 + ODD];
}

// Writes the warp's part of a row in pairs. Where these begin at odd columns a lane has one sum of
// its neighbour's; before is the one left of the warp. to is where the lane's first column belongs.
template <class C, int ODD>
__device__ void whole_write(sum_t *to, unsigned place, const sum_t (&sums)[4], sum_t before,
                            const whole_part &part, bool is_there) {
    int lane = threadIdx.x % 32, from = part.from, end = part.end;
    sum_t first[2] = {sums[0], sums[2]}, second[2] = {sums[1], sums[3]};
    if (C::IS_ANY) {
        from += (-place & part.from_mask) - (ODD ? part.from_odd : 0);
        end += (-place & part.end_mask) - (ODD ? part.end_odd : 0);
    }
    if (ODD) {
        first[0] = __shfl_sync(~0u, sums[1], lane - 1);
        first[1] = __shfl_sync(~0u, sums[3], lane - 1);
        first[1] = lane ? first[1] : first[0];
        first[0] = lane ? first[0] : before;
        second[0] = sums[0];
        second[1] = sums[2];
    }
    unsigned count = is_there ? max(end - 1 - from, 0) : 0, x = 2 * lane - ODD - from;
    if (x < count)
        __stcs(reinterpret_cast<ulonglong2 *>(to - ODD), ulonglong2{first[0], second[0]});
    if (x + 64 < count)
        __stcs(reinterpret_cast<ulonglong2 *>(to - ODD) + 32, ulonglong2{first[1], second[1]});
    if (C::IS_ANY && part.is_edge && is_there)
        write_ends<ODD>(to - 2 * lane, sums, from, end);
}

// Goes down the warp's rows with the sums of its columns.
template <class C>
__device__ void whole_finish(whole_memory<C> &shared, const uint4 *pixels, const whole_image &image,
                             const whole_tile &tile, whole_rows &rows) {
    sum_t sums[4], before;
    whole_start<C>(sums, before, shared, tile);
    unsigned lane = threadIdx.x % 32;
    unsigned one = lane % 2 ? 0xffffff : 0xff, two = lane % 2 ? ~0u : 0xffff;
    sum_t *to = image.sums + size_t(tile.y) * image.width + tile.x + 2 * lane;
    unsigned base = unsigned(uintptr_t(image.sums) / sizeof *to);
    unsigned place = base + tile.y * image.width + tile.x;
    whole_part part = find_part<C>(image, tile);
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
#pragma unroll
            for (int k = 0; k < 2; k++) {
                unsigned quad = rows.quads[r][k], base = rows.bases[r][k] + left[r];
                sums[2 * k] += __dp4a(quad, quad & one, base);
                sums[2 * k + 1] += __dp4a(quad, quad & two, base);
            }
            before += left[r];
            // Tiles begin at even columns, and in images of odd width at even rows.
            if (C::IS_ANY && (base + r * image.width) % 2)
                whole_write<C, 1>(to, place, sums, before, part, row + r < tile.rows);
            else
                whole_write<C, 0>(to, place, sums, before, part, row + r < tile.rows);
        }
        if (row + WHOLE_AT_ONCE < tile.rows)
            whole_prepare<C>(rows, pixels, row + WHOLE_AT_ONCE, tile.place, image.width);
    }
}

template <class Shape, int ANY>
__global__ void __launch_bounds__(32 * Shape::SPANS * Shape::DOWN, 1)
    whole_tiles(const __grid_constant__ whole_image image) {
    typedef whole_config<Shape, ANY> C;
    extern __shared__ __align__(16) unsigned char memory[];
    whole_memory<C> &shared = *reinterpret_cast<whole_memory<C> *>(memory);
    unsigned order = 0;
    whole_tile tile = find_whole<C>(image);
    uint4 *pixels = shared.pixels + threadIdx.x / 32 * image.held * C::CHUNKS;
    unsigned scans = *const_cast<volatile unsigned *>(&image.state->scans);
    whole_load<C>(shared, pixels, image, tile);
    tile.tag = scans % SCAN_TAGS + 1;
    __syncthreads();
    whole_publish<C>(shared, image, tile);
    whole_rows rows;
    whole_prepare<C>(rows, pixels, 0, tile.place, image.width);
    if (threadIdx.x == 0)
        order = atomicAdd(&image.state->blocks, 1u);
    whole_collect<C>(shared, image, tile);
    __syncthreads();
    whole_finish<C>(shared, pixels, image, tile, rows);
    if (threadIdx.x == 0 && order == gridDim.x - 1) { // all blocks know the number of this scan
        image.state->blocks = 0;
        image.state->scans = scans + 1;
    }
}

} // namespace fast

#endif
