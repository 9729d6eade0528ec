// How blocks of fast::scan2d tell each other the sums of their tiles.
#ifndef FAST_SCAN2D_EXCHANGE_CUH
#define FAST_SCAN2D_EXCHANGE_CUH

#include "scan2d_tile.cuh"

namespace fast {

// The sum of values below 2^51.
__device__ inline sum_t warp_sum(sum_t value) {
    unsigned low = __reduce_add_sync(~0u, unsigned(value) & 0x3ffffff);
    unsigned high = __reduce_add_sync(~0u, unsigned(value >> 26));
    return (sum_t(high) << 26) + low;
}

// Sends the tile's sums; leaves in parts those of what is above each warp.
template <class C>
__device__ void publish(scan_memory<C> &shared, const scan_image &image, const scan_tile &tile) {
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

// What other tiles send falls into groups of 64 columns above this one, and behind these of 64 rows
// to the left: a warp adds up one of these after another. A lane has four columns or rows of every
// second tile.
typedef scan_letters<uint4, unsigned, 8> group_letters;

template <class C> __device__ unsigned count_groups(const scan_image &image) {
    return (C::WIDTH + image.slots + SCAN_GROUP - 1) / SCAN_GROUP;
}

template <class C>
__device__ group_letters ask_group(const scan_image &image, const scan_tile &tile, unsigned group) {
    constexpr unsigned COLUMNS = C::WIDTH / SCAN_GROUP;
    unsigned lane = threadIdx.x % 32, first = lane % SCAN_QUADS * 4;
    group_letters letters;
    letters.from = lane / SCAN_QUADS;
    letters.step = 32 / SCAN_QUADS;
    if (group < COLUMNS) {
        first += group * SCAN_GROUP;
        letters.at = image.columns + tile.column * C::WIDTH + first;
        letters.stride = image.across * C::WIDTH;
        letters.count = tile.row;
    } else {
        first += (group - COLUMNS) * SCAN_GROUP;
        letters.at = image.lines + (tile.number - tile.column) * image.slots + first;
        letters.stride = image.slots;
        letters.count = first < image.slots ? tile.column : 0;
    }
    letters.ask(tile.tag);
    return letters;
}

// Leaves sums of columns above the tile, from the first of their group on.
template <class C>
__device__ void keep_columns(scan_memory<C> &shared, unsigned group, const uint4 &sums,
                             sum_t before, sum_t upto) {
    unsigned lane = threadIdx.x % 32, first = group * SCAN_GROUP + lane % SCAN_QUADS * 4;
    sum_t x = before + sums.x, y = x + sums.y, z = y + sums.z;
    // Both halves of the warp have the same; each lane stores a pair, so that no bank is met twice.
    unsigned half = (lane / 4 ^ lane / SCAN_QUADS) % 2;
    reinterpret_cast<ulonglong2 *>(shared.above + first)[half] =
        half ? ulonglong2{z, upto} : ulonglong2{x, y};
    if (lane == SCAN_QUADS - 1)
        shared.above_groups[group] = upto;
}

// The same of rows to the left.
template <class C>
__device__ void keep_rows(scan_memory<C> &shared, const scan_image &image, unsigned group,
                          const uint4 &sums, sum_t before, sum_t upto) {
    unsigned lane = threadIdx.x % 32, at = group * SCAN_QUADS + lane;
    if (lane < SCAN_QUADS && at < image.slots / 4) {
        shared.left[at] = sums;
        shared.lefts[at] = before;
    }
    if (lane == SCAN_QUADS - 1)
        shared.left_groups[group] = upto;
}

template <class C>
__device__ void collect_group(scan_memory<C> &shared, const scan_image &image,
                              const scan_tile &tile, unsigned group, group_letters &letters) {
    constexpr unsigned COLUMNS = C::WIDTH / SCAN_GROUP;
    uint4 sums = letters.take(tile.tag);
    add(sums, {__shfl_xor_sync(~0u, sums.x, SCAN_QUADS), __shfl_xor_sync(~0u, sums.y, SCAN_QUADS),
               __shfl_xor_sync(~0u, sums.z, SCAN_QUADS), __shfl_xor_sync(~0u, sums.w, SCAN_QUADS)});
    sum_t four = sum_t(sums.x) + sums.y + sums.z + sums.w;
    sum_t upto = running<SCAN_QUADS>(four), before = upto - four;
    if (group < COLUMNS)
        keep_columns<C>(shared, group, sums, before, upto);
    else
        keep_rows<C>(shared, image, group - COLUMNS, sums, before, upto);
}

// Adds up all tiles above and left of this one.
template <class C>
__device__ void collect_corner(scan_memory<C> &shared, const scan_image &image,
                               const scan_tile &tile) {
    unsigned lane = threadIdx.x % 32;
    sum_t sum = 0;
#pragma unroll 1
    for (unsigned first = 0; first < tile.column; first += 16) {
        unsigned column = first + lane % 16;
        scan_letters<sum_t, sum_t, 8> letters = {image.totals + tile.column * image.tiles + column,
                                                 image.across, lane / 16, 2,
                                                 column < tile.column ? tile.row : 0};
        letters.ask(tile.tag);
        sum += letters.take(tile.tag);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        shared.corner = sum;
}

// Adds up all that others sent. letters: those of the warp's first group, if it has one.
template <class C>
__device__ void collect(scan_memory<C> &shared, const scan_image &image, const scan_tile &tile,
                        group_letters &letters) {
    unsigned groups = count_groups<C>(image), group = threadIdx.x / 32;
#pragma unroll 1
    for (; group < groups; group += C::WARPS) {
        if (group >= C::WARPS)
            letters = ask_group<C>(image, tile, group);
        collect_group<C>(shared, image, tile, group, letters);
    }
    if (group == groups) // by one of the warps
        collect_corner<C>(shared, image, tile);
}

} // namespace fast

#endif
