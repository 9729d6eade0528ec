// How a block of fast::scan2d brings its pixels into shared memory, and adds them up.
#ifndef FAST_SCAN2D_LOAD_CUH
#define FAST_SCAN2D_LOAD_CUH

#include "scan2d_tile.cuh"

namespace fast {

// Adds the squares of four columns of pixels, from four rows.
__device__ inline void add_columns(uint4 &sums, unsigned a, unsigned b, unsigned c, unsigned d) {
    unsigned ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
    unsigned x = __byte_perm(ab, cd, 0x5410), y = __byte_perm(ab, cd, 0x7632);
    ab = __byte_perm(a, b, 0x7362);
    cd = __byte_perm(c, d, 0x7362);
    unsigned z = __byte_perm(ab, cd, 0x5410), w = __byte_perm(ab, cd, 0x7632);
    sums = {__dp4a(x, x, sums.x), __dp4a(y, y, sums.y), __dp4a(z, z, sums.z), __dp4a(w, w, sums.w)};
}

// Copies 16 bytes, or clears them; through the first-level cache, for neighbours share sectors.
__device__ inline void copy16(void *to, const void *from, bool is_there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(is_there ? 16 : 0)
                 : "memory");
}

// Copies of 16 bytes, in which the image begins or ends, those that are in it. All are asked for
// before the first is needed. (An asynchronous copy of fewer bytes would do for the end, but tools
// that check accesses take it for one of 16.)
static __device__ __noinline__ void copy_part(uint4 *to, const uint8_t *from, const uint8_t *begin,
                                              const uint8_t *end) {
    unsigned bytes[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        bytes[i] = from + i >= begin && from + i < end ? from[i] : 0;
    auto word = [&](int i) {
        return bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
    };
    *to = {word(0), word(4), word(8), word(12)};
}

// Brings the rows that the warp asks for first into the second-level cache. It reads nothing, so it
// need not wait for those who write them.
__device__ inline void prefetch_rows(const scan_image &image, const scan_tile &tile) {
    unsigned row = threadIdx.x % 32;
    const uint8_t *first = image.pixels + tile.offset;
    if (row < tile.rows)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(first + size_t(row) * image.width));
}

// Asks for a batch of the warp's rows, in whole 16 bytes; rows that it does not have are zeros.
// With IS_END the image may begin or end among them.
template <class C, bool IS_END>
__device__ void ask_rows(uint4 *to, const scan_image &image, const scan_tile &tile, unsigned row) {
    constexpr unsigned STEP = 32 / C::CHUNKS; // rows
    unsigned lane = threadIdx.x % 32, r = lane / C::CHUNKS;
    uintptr_t at = tile.first + size_t(row) * image.width;
    to += row * C::CHUNKS + lane;
#pragma unroll
    for (int i = 0; i < C::BATCH; i += STEP, at += STEP * image.width) {
        const uint8_t *from = reinterpret_cast<const uint8_t *>(at / 16 * 16);
        bool is_there = row + r + i < tile.rows && (!IS_END || from < tile.end);
        if (r >= (i + STEP > C::BATCH ? C::BATCH - i : STEP))
            continue;
        if (C::IS_ANY && IS_END && is_there && (from < image.pixels || from + 16 > tile.end))
            copy_part(to + i * C::CHUNKS, from, image.pixels, tile.end);
        else
            copy16(to + i * C::CHUNKS, from, is_there);
    }
}

// Small batches are those of small images, for which a second loop costs more to fetch than it
// saves.
template <class C>
__device__ void ask_batch(uint4 *pixels, const scan_image &image, const scan_tile &tile,
                          unsigned row) {
    unsigned first = tile.offset + row * image.width, all = image.width * image.height;
    bool is_inside =
        C::BATCH > 4 && first >= 16 && first + C::BATCH * image.width + C::PITCH <= all;
    if (row < tile.rows && is_inside)
        ask_rows<C, false>(pixels, image, tile, row);
    else if (row < tile.rows)
        ask_rows<C, true>(pixels, image, tile, row);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Four pixels of a row; skew is where the row begins in its first 16 bytes.
template <class C>
__device__ unsigned read_quad(const uint4 *pixels, unsigned row, unsigned quad, unsigned skew) {
    const char *at = reinterpret_cast<const char *>(pixels + row * C::CHUNKS) + 4 * quad;
    if (!C::IS_ANY)
        return *reinterpret_cast<const unsigned *>(at);
    const unsigned *words = reinterpret_cast<const unsigned *>(at + (skew & 12));
    return __funnelshift_r(words[0], words[1], 8 * skew);
}

// Adds up a batch of rows: each row, up to where the next tile begins, and each column.
template <class C>
__device__ void sum_batch(scan_memory<C> &shared, const uint4 *pixels, const scan_image &image,
                          const scan_tile &tile, unsigned row, uint4 &columns, unsigned &total) {
    unsigned lane = threadIdx.x % 32, words[C::BATCH], mine = 0;
    unsigned kept = 128 * tile.span + 4 * lane < tile.pitch ? ~0u : 0;
#pragma unroll
    for (int r = 0; r < C::BATCH; r++)
        words[r] = read_quad<C>(pixels, row + r, lane, tile.place + (row + r) * image.width);
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
__device__ void load_tile(scan_memory<C> &shared, uint4 *pixels, const scan_image &image,
                          const scan_tile &tile) {
    uint4 columns = {};
    unsigned total = 0, warp = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned ahead = 0; ahead < SCAN_AHEAD * C::BATCH; ahead += C::BATCH)
        ask_batch<C>(pixels, image, tile, ahead);
#pragma unroll 1
    for (unsigned row = 0; row < tile.rows; row += C::BATCH) {
        asm volatile("cp.async.wait_group %0;" ::"n"(SCAN_AHEAD - 1) : "memory");
        __syncwarp();
        sum_batch<C>(shared, pixels, image, tile, row, columns, total);
        ask_batch<C>(pixels, image, tile, row + SCAN_AHEAD * C::BATCH);
    }
    for (unsigned row = (tile.rows + C::BATCH - 1) / C::BATCH * C::BATCH + threadIdx.x % 32;
         row < image.padded; row += 32) // a warp above or below has more rows
        shared.lines[tile.span][tile.top + row] = 0;
    total = __reduce_add_sync(~0u, total);
    shared.parts[warp / C::SPANS][32 * tile.span + threadIdx.x % 32] = columns;
    if (threadIdx.x % 32 == 0)
        shared.totals[warp] = total;
}

} // namespace fast

#endif
