// How warps of fast::scan2d add a row to the sums of 128 columns and write it. A lane has columns
// 2 * lane, 2 * lane + 1, and those 64 further on: so a warp's stores of pairs lie side by side.
#ifndef FAST_SCAN2D_WRITE_CUH
#define FAST_SCAN2D_WRITE_CUH

#include "scan2d_letters.cuh"

namespace fast {

// Hands the four pixels that a lane loaded, and the sum of those before them in the row, to the two
// lanes that write their columns.
__device__ inline void hand_out(unsigned (&quads)[2], unsigned (&bases)[2], unsigned four,
                                unsigned before) {
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned from = 16 * k + threadIdx.x % 32 / 2;
        quads[k] = __shfl_sync(~0u, four, from);
        bases[k] = __shfl_sync(~0u, before, from);
    }
}

// Adds a row; left is the sum of what is left of it.
__device__ inline void add_row(sum_t (&sums)[4], const unsigned (&quads)[2],
                               const unsigned (&bases)[2], unsigned left) {
    unsigned is_odd = threadIdx.x % 2;
    unsigned one = is_odd ? 0xffffff : 0xff, two = is_odd ? ~0u : 0xffff;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        sums[2 * k] += __dp4a(quads[k], quads[k] & one, bases[k] + left);
        sums[2 * k + 1] += __dp4a(quads[k], quads[k] & two, bases[k] + left);
    }
}

// Which columns of a row the warp may write. They begin and end at multiples of image.shifts sums
// in memory, or where pairs do; in the first and in the last column of tiles at the row's ends.
struct scan_part {
    int from, end;
    unsigned from_mask, end_mask, from_odd, end_odd;
    bool is_edge;
};

// Of the warp's columns, which begin `base` columns behind the tile's.
template <int IS_ANY, class Image, class Tile>
__device__ scan_part find_part(const Image &image, const Tile &tile, int base) {
    unsigned mask = image.shifts - 1, odd = image.shifts == 1;
    scan_part part = {-base, int(image.width - tile.column * image.pitch) - base};
    if (IS_ANY && !tile.is_first) {
        part.from_mask = mask;
        part.from_odd = odd;
    }
    if (IS_ANY && !tile.is_last) {
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
template <int IS_ANY, int ODD>
__device__ void write_pairs(sum_t *to, unsigned place, const sum_t (&sums)[4], sum_t before,
                            const scan_part &part, bool is_there) {
    int lane = threadIdx.x % 32, from = part.from, end = part.end;
    sum_t first[2] = {sums[0], sums[2]}, second[2] = {sums[1], sums[3]};
    if (IS_ANY) {
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
    if (IS_ANY && part.is_edge && is_there)
        write_ends<ODD>(to - 2 * lane, sums, from, end);
}

} // namespace fast

#endif
