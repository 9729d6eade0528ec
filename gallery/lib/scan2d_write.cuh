// How warps of fast::scan2d add row after row to the sums of 128 columns and write them. A lane has
// columns 2 * lane, 2 * lane + 1, and those 64 further on: so a warp's stores of pairs lie side by
// side.
#ifndef FAST_SCAN2D_WRITE_CUH
#define FAST_SCAN2D_WRITE_CUH

#include "scan2d_exchange.cuh"
#include "scan2d_load.cuh"

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

// Of the warp's columns, which begin `base` columns behind the tile's; that begin at the image's
// column tile.begin, and the next tile's tile.pitch further on.
template <int IS_ANY>
__device__ scan_part find_part(const scan_image &image, const scan_tile &tile, int base) {
    unsigned mask = image.shifts - 1, odd = image.shifts == 1;
    scan_part part = {-base, int(tile.is_last ? image.width - tile.begin : tile.pitch) - base};
    if (IS_ANY && !tile.is_first) {
        part.from_mask = mask;
        part.from_odd = odd;
    }
    if (IS_ANY && !tile.is_last) {
        part.end_mask = mask;
        part.end_odd = odd;
    }
    part.is_edge = tile.is_first || tile.is_last;
    return part;
}

// What a lane stores of a row: two pairs, and sums at the ends of the image's rows that have no
// neighbour in a pair. The same for all rows whose first sums lie multiples of image.shifts, and of
// two, apart.
struct scan_stores {
    bool low, high;           // pairs: in the first 64 columns, in the others
    bool first;               // the first sum of the row, alone
    bool last_low, last_high; // the last one
};

// In a row whose first sum of the warp belongs to place, odd or even, in memory.
template <int IS_ANY> __device__ scan_stores find_stores(const scan_part &part, unsigned place) {
    int lane = threadIdx.x % 32, from = part.from, end = part.end, odd = IS_ANY ? place % 2 : 0;
    if (IS_ANY) {
        from += int(-place & part.from_mask) - int(place & part.from_odd);
        end += int(-place & part.end_mask) - int(place & part.end_odd);
    }
    unsigned count = unsigned(max(end - 1 - from, 0)), x = 2 * lane - odd - from;
    scan_stores stores = {x < count, x + 64 < count};
    if (IS_ANY && part.is_edge) {
        int last = end - 1 - odd - 2 * lane;
        stores.first = odd && lane == 0 && from == 0 && end > 0;
        stores.last_low = last == 0;
        stores.last_high = last == 64;
    }
    return stores;
}

// Writes the warp's part of a row. Where pairs begin at odd columns a lane has one sum of its
// neighbour's; before is the one left of the warp. to is where the lane's first column belongs.
template <int IS_ANY, int ODD>
__device__ void write_row(sum_t *to, const sum_t (&sums)[4], sum_t before,
                          const scan_stores &stores, bool is_edge) {
    sum_t first[2] = {sums[0], sums[2]}, second[2] = {sums[1], sums[3]};
    if (ODD) {
        int lane = threadIdx.x % 32;
        first[0] = __shfl_sync(~0u, sums[1], lane - 1);
        first[1] = __shfl_sync(~0u, sums[3], lane - 1);
        first[1] = lane ? first[1] : first[0];
        first[0] = lane ? first[0] : before;
        second[0] = sums[0];
        second[1] = sums[2];
    }
    if (stores.low)
        __stcs(reinterpret_cast<ulonglong2 *>(to - ODD), ulonglong2{first[0], second[0]});
    if (stores.high)
        __stcs(reinterpret_cast<ulonglong2 *>(to - ODD) + 32, ulonglong2{first[1], second[1]});
    if (IS_ANY && is_edge) {
        if (stores.first)
            to[0] = sums[0];
        if (stores.last_low)
            to[ODD] = sums[ODD];
        if (stores.last_high)
            to[64 + ODD] = sums[2 + ODD];
    }
}

// The sums of the row above the warp's first, at first within the tile, then of all: in the lane's
// columns, and in the column before the warp's. A lane has columns 2 * lane, 2 * lane + 1, and
// those 64 further on.
struct scan_sums {
    sum_t columns[4], before;
};

template <class C>
__device__ void begin_sums(scan_sums &sums, const scan_memory<C> &shared, const scan_tile &tile) {
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

// Adds what was scanned already: the row above all tiles.
__device__ inline void start_below(scan_sums &sums, const scan_image &image,
                                   const scan_tile &tile) {
    const sum_t *row = image.sums + size_t(image.top - 1) * image.width;
    sums.before += tile.x ? row[tile.x - 1] : 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned x = tile.x + i / 2 * 64 + threadIdx.x % 32 * 2 + i % 2;
        sums.columns[i] += x < image.width ? row[x] : 0;
    }
}

template <class C>
__device__ void start_sums(scan_sums &sums, const scan_memory<C> &shared, const scan_tile &tile) {
    sum_t base = shared.corner + shared.lefts[tile.top / 4];
#pragma unroll 4
    for (unsigned group = 0; group < tile.top / SCAN_GROUP; group++)
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
struct scan_rows {
    unsigned quads[SCAN_AT_ONCE][2], bases[SCAN_AT_ONCE][2];
};

template <class C>
__device__ void prepare_rows(scan_rows &rows, const uint4 *pixels, unsigned row, unsigned place,
                             unsigned width) {
    unsigned lane = threadIdx.x % 32, words[SCAN_AT_ONCE], upto[SCAN_AT_ONCE];
#pragma unroll
    for (int r = 0; r < SCAN_AT_ONCE; r++) {
        unsigned skew = place + (row + r) * width;
        words[r] = read_quad<C>(pixels, row + r, lane, skew);
        upto[r] = __dp4a(words[r], words[r], 0u);
    }
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
#pragma unroll
        for (int r = 0; r < SCAN_AT_ONCE; r++) {
            unsigned lower = __shfl_up_sync(~0u, upto[r], step);
            if (lane >= step)
                upto[r] += lower;
        }
#pragma unroll
    for (int r = 0; r < SCAN_AT_ONCE; r++)
        hand_out(rows.quads[r], rows.bases[r], words[r], upto[r] - __dp4a(words[r], words[r], 0u));
}

// Finds what lanes store of rows, wherever in memory these may begin.
template <class C>
__device__ void find_all_stores(scan_memory<C> &shared, const scan_image &image,
                                const scan_tile &tile) {
#pragma unroll 1
    for (unsigned i = threadIdx.x / 32; i < 4 * C::SPANS; i += C::WARPS) {
        scan_part part = find_part<C::IS_ANY>(image, tile, i / 4 * 128);
        scan_stores one = find_stores<C::IS_ANY>(part, i % 4);
        (&shared.stores[i / 4][threadIdx.x % 32].x)[i % 4] =
            one.low | one.high << 1 | one.first << 2 | one.last_low << 3 | one.last_high << 4;
    }
}

// What the lane stores of four rows that are scanned together, eight bits a row; the same for those
// that come next, since four rows further on memory begins at the same place modulo four.
template <class C>
__device__ unsigned stores_of_rows(const scan_memory<C> &shared, const scan_tile &tile,
                                   unsigned place, unsigned width) {
    unsigned order = place % 4 | (place + width) % 4 << 4 | (place + 2 * width) % 4 << 8 |
                     (place + 3 * width) % 4 << 12;
    return __byte_perm(
        *reinterpret_cast<const unsigned *>(&shared.stores[tile.span][threadIdx.x % 32]), 0, order);
}

__device__ inline scan_stores stores_of(unsigned all, int row) {
    auto bit = [=](int i) { return (all >> (8 * row + i) & 1) != 0; };
    return {bit(0), bit(1), bit(2), bit(3), bit(4)};
}

// The sums left of the warp, of four rows from this one on.
template <class C>
__device__ uint4 find_left(const scan_memory<C> &shared, const scan_tile &tile, unsigned row) {
    uint4 left = shared.left[(tile.top + row) / 4];
#pragma unroll
    for (int k = 0; k + 1 < C::SPANS; k++)
        if (k < tile.span)
            add(left, *reinterpret_cast<const uint4 *>(&shared.lines[k][tile.top + row]));
    return left;
}

// Goes down the warp's rows with the sums of its columns.
template <class C>
__device__ void write_tile(scan_memory<C> &shared, const uint4 *pixels, const scan_image &image,
                           const scan_tile &tile, scan_rows &rows, scan_sums &sums,
                           unsigned stores) {
    if (tile.rows == 0)
        return;
    start_sums<C>(sums, shared, tile);
    if (C::IN_STRIPS && image.top)
        start_below(sums, image, tile);
    sum_t *to = image.sums + tile.offset + 2 * (threadIdx.x % 32);
    unsigned first = place_of(image, tile);
    bool is_edge = tile.is_first || tile.is_last;
    auto finish = [&](int r, unsigned left) {
        scan_stores mine = stores_of(stores, r);
        add_row(sums.columns, rows.quads[r], rows.bases[r], left);
        sums.before += left;
        if (C::IS_ANY && (first + r * image.width) % 2)
            write_row<C::IS_ANY, 1>(to, sums.columns, sums.before, mine, is_edge);
        else
            write_row<C::IS_ANY, 0>(to, sums.columns, sums.before, mine, is_edge);
        to += image.width;
    };
#pragma unroll 1
    for (unsigned row = 0; row < tile.rows; row += SCAN_AT_ONCE) {
        uint4 left = find_left<C>(shared, tile, row);
        if (tile.rows - row < SCAN_AT_ONCE)
            stores &= (1u << 8 * (tile.rows - row)) - 1;
        finish(0, left.x);
        finish(1, left.y);
        finish(2, left.z);
        finish(3, left.w);
        if (row + SCAN_AT_ONCE < tile.rows)
            prepare_rows<C>(rows, pixels, row + SCAN_AT_ONCE, tile.place, image.width);
    }
}

} // namespace fast

#endif
