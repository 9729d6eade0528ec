// The kernel of fast::scan2d for large images. What it does is told in scan2d.cuh.
#ifndef FAST_SCAN2D_KERNEL_CUH
#define FAST_SCAN2D_KERNEL_CUH

#include "scan2d_shapes.cuh"
#include "scan2d_write.cuh"

namespace fast {

template <class C>
__device__ void load_aligned(unsigned (&words)[C::BATCH][C::SPANS], const scan_image &image,
                             const scan_tile &tile, unsigned line) {
    unsigned x = tile.x + 4 * (threadIdx.x % 32), y = tile.y + threadIdx.x / 32 * C::LINES + line;
    const uint8_t *at = image.pixels + size_t(y) * image.width + x;
#pragma unroll
    for (int r = 0; r < C::BATCH; r++, at += image.width)
#pragma unroll
        for (int k = 0; k < C::SPANS; k++)
            words[r][k] = x + 128 * k < image.width && y + r < image.height
                              ? reinterpret_cast<const unsigned *>(at)[32 * k]
                              : 0;
}

// A word of which some pixels lie in the image, zeros for the others.
static __device__ __noinline__ unsigned load_end(const scan_image &image, const unsigned *at) {
    unsigned word = 0;
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(at);
    const uint8_t *end = image.pixels + size_t(image.width) * image.height;
    for (int i = 0; i < 4; i++)
        if (bytes + i >= image.pixels && bytes + i < end)
            word |= unsigned(bytes[i]) << 8 * i;
    return word;
}

__device__ inline const unsigned *word_of(const uint8_t *byte) {
    return reinterpret_cast<const unsigned *>(byte - uintptr_t(byte) % 4);
}

// Brings lines that begin anywhere into shared memory: the words that hold them. With IS_END some
// are not in the image: those wholly outside are zeros, the one at each end is put together.
template <class C, bool IS_END>
__device__ void load_words(scan_memory<C> &shared, const scan_image &image, const uint8_t *at,
                           unsigned line) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned *begin = word_of(image.pixels + 3), *mine = nullptr;
    const unsigned *end = word_of(image.pixels + size_t(image.width) * image.height);
    unsigned words[C::BATCH][C::SPANS], more = 0;
    auto load = [=](const unsigned *word) {
        return !IS_END || (word >= begin && word < end) ? *word : 0;
    };
    if (lane < C::BATCH) {
        mine = word_of(at + lane * size_t(image.width));
        more = load(mine + C::WORDS);
    }
#pragma unroll
    for (int r = 0; r < C::BATCH; r++, at += image.width)
#pragma unroll
        for (int k = 0; k < C::SPANS; k++)
            words[r][k] = load(word_of(at) + 32 * k + lane);
#pragma unroll
    for (int r = 0; r < C::BATCH; r++)
#pragma unroll
        for (int k = 0; k < C::SPANS; k++)
            shared.pixels[warp][line + r][32 * k + lane] = words[r][k];
    if (lane < C::BATCH)
        shared.pixels[warp][line + lane][C::WORDS] = more;
    __syncwarp();
    if (IS_END && lane < C::BATCH) {
        if (begin - 1 - mine >= 0 && begin - 1 - mine <= C::WORDS)
            shared.pixels[warp][line + lane][begin - 1 - mine] = load_end(image, begin - 1);
        if (end - mine >= 0 && end - mine <= C::WORDS)
            shared.pixels[warp][line + lane][end - mine] = load_end(image, end);
    }
    __syncwarp();
}

template <class C>
__device__ void load_any(scan_memory<C> &shared, const scan_image &image, const scan_tile &tile,
                         unsigned line) {
    unsigned y = tile.y + threadIdx.x / 32 * C::LINES + line;
    const uint8_t *at = image.pixels + size_t(y) * image.width + tile.x;
    const uint8_t *last = at + size_t(C::BATCH - 1) * image.width + C::WIDTH + 4;
    if (word_of(at) < word_of(image.pixels + 3) ||
        last > image.pixels + size_t(image.width) * image.height)
        load_words<C, true>(shared, image, at, line);
    else
        load_words<C, false>(shared, image, at, line);
}

// A lane's four pixels of each span of a line; skew is the line's first byte in its words.
template <class C>
__device__ void read_line(unsigned (&words)[C::SPANS], const scan_memory<C> &shared, unsigned line,
                          unsigned skew) {
    const unsigned *at = &shared.pixels[threadIdx.x / 32][line][threadIdx.x % 32];
#pragma unroll
    for (int k = 0; k < C::SPANS; k++)
        words[k] =
            C::IS_ANY ? __funnelshift_r(at[32 * k], at[32 * k + 1], skew % 4 * 8) : at[32 * k];
}

// Sends the sums of the lines of a batch, and returns that of all of them.
template <class C>
__device__ sum_t send_lines(const unsigned (&words)[C::BATCH][C::SPANS], const scan_image &image,
                            const scan_tile &tile, unsigned line) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = 0;
    unsigned kept = !C::IS_ANY || 128 * (C::SPANS - 1) + 4 * lane < image.pitch ? ~0u : 0;
    sum_t total = 0;
#pragma unroll
    for (int r = 0; r < C::BATCH; r++) {
        unsigned sum = 0;
#pragma unroll
        for (int k = 0; k < C::SPANS; k++)
            sum = __dp4a(words[r][k], k + 1 < C::SPANS ? words[r][k] : words[r][k] & kept, sum);
        sum = __reduce_add_sync(~0u, sum);
        total += sum;
        if (lane == r)
            mine = sum;
    }
    size_t first = size_t(tile.number) * C::HEIGHT + warp * C::LINES + line;
    if (lane < C::BATCH)
        send(image.lines + first + lane, mine, tile.tag);
    return total;
}

// Loads the tile's pixels into shared memory, and adds up each warp's part of their columns.
template <class C>
__device__ void sum_tile(scan_memory<C> &shared, const scan_image &image, const scan_tile &tile) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 columns[C::SPANS] = {};
    sum_t total = 0;
#pragma unroll 1
    for (unsigned line = 0; line < C::LINES; line += C::BATCH) {
        unsigned words[C::BATCH][C::SPANS];
        unsigned first = (tile.y + warp * C::LINES + line) * image.width + tile.x;
        if (C::IS_ANY)
            load_any<C>(shared, image, tile, line);
        else
            load_aligned<C>(words, image, tile, line);
#pragma unroll
        for (int r = 0; r < C::BATCH; r++) {
            if (C::IS_ANY)
                read_line<C>(words[r], shared, line + r,
                             unsigned(uintptr_t(image.pixels)) + first + r * image.width);
            else if (tile.is_written)
#pragma unroll
                for (int k = 0; k < C::SPANS; k++)
                    shared.pixels[warp][line + r][32 * k + lane] = words[r][k];
        }
        if (tile.is_summed)
            total += send_lines<C>(words, image, tile, line);
#pragma unroll
        for (int r = 0; r < C::BATCH; r += 4)
#pragma unroll
            for (int k = 0; k < C::SPANS; k++)
                add_columns(columns[k], words[r][k], words[r + 1][k], words[r + 2][k],
                            words[r + 3][k]);
    }
#pragma unroll
    for (int k = 0; k < C::SPANS; k++)
        shared.parts[warp][32 * k + lane] = columns[k];
    if (lane == 0)
        shared.totals[warp] = total;
}

template <class C> __device__ uint4 sum_parts(const scan_memory<C> &shared, unsigned quad) {
    uint4 sum = {0, 0, 0, 0};
#pragma unroll
    for (int w = 0; w < C::WARPS; w++)
        add(sum, shared.parts[w][quad]);
    return sum;
}

template <class C>
__device__ void send_columns(const scan_memory<C> &shared, const scan_image &image,
                             const scan_tile &tile) {
    unsigned *at = image.columns + size_t(tile.number) * C::WIDTH + 4 * threadIdx.x;
    if (threadIdx.x < C::WIDTH / 4)
        send(at, sum_parts<C>(shared, threadIdx.x), tile.tag);
    if (threadIdx.x == C::THREADS - 1) {
        sum_t total = 0;
#pragma unroll
        for (int w = 0; w < C::WARPS; w++)
            total += shared.totals[w];
        send(image.totals + tile.number, total, tile.tag);
    }
}

// What other blocks sent: the sums left of each line, above each column, and above and left of all.
template <class C> struct scan_mail {
    scan_letters<uint4, unsigned, 4> lines;
    scan_letters<uint4, unsigned, 2> columns;
    scan_letters<uint4, unsigned, 2> above; // low half, high half
    scan_letters<sum_t, sum_t, 2> totals;
    scan_letters<sum_t, sum_t, 1> corner;

    __device__ void ask_lines(const scan_image &image, const scan_tile &tile) {
        unsigned lane = threadIdx.x % 32, line = threadIdx.x / 32 * C::LINES;
        size_t first = size_t(tile.number - tile.column) * C::HEIGHT + line + lane % C::QUADS * 4;
        lines = {image.lines + first, C::HEIGHT, lane / C::QUADS, 32 / C::QUADS, tile.column};
        lines.ask();
    }
    __device__ void ask_others(const scan_image &image, const scan_tile &tile) {
        unsigned quad = threadIdx.x % (C::WIDTH / 4), part = threadIdx.x / (C::WIDTH / 4);
        unsigned top = tile.number - tile.in_band * image.across;
        unsigned place = tile.band * image.across + tile.column;
        columns = {image.columns + size_t(top) * C::WIDTH + 4 * quad, image.across * C::WIDTH, part,
                   C::COLUMN_PARTS, tile.in_band};
        columns.ask();
        above = {image.above + size_t(place) * 2 * C::WIDTH + 4 * quad, C::WIDTH, 0, 1,
                 tile.band && part == 0 ? 2u : 0u};
        above.ask();
        ask_totals(image, tile, threadIdx.x % 32);
        corner = {image.corners + place, 0, 0, 1, tile.band && threadIdx.x == 0};
        corner.ask();
    }
    // Those of a column of tiles in the band: every WARPS-th, since the warps share them.
    __device__ void ask_totals(const scan_image &image, const scan_tile &tile, unsigned column) {
        unsigned top = tile.number - tile.in_band * image.across - tile.column;
        totals = {image.totals + top + column, image.across, threadIdx.x / 32, C::WARPS,
                  column < tile.column ? tile.in_band : 0};
        totals.ask();
    }
    __device__ void take(scan_memory<C> &shared, const scan_image &image, const scan_tile &tile) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        ask_others(image, tile);
        uint4 left = lines.take(tile.tag);
#pragma unroll
        for (int step = C::QUADS; step < 32; step *= 2)
            add(left, {__shfl_xor_sync(~0u, left.x, step), __shfl_xor_sync(~0u, left.y, step),
                       __shfl_xor_sync(~0u, left.z, step), __shfl_xor_sync(~0u, left.w, step)});
        sum_t lefts = sum_t(left.x) + left.y + left.z + left.w;
#pragma unroll
        for (int step = 1; step < C::QUADS; step *= 2)
            lefts += __shfl_xor_sync(~0u, lefts, step);
        if (lane < C::QUADS)
            shared.left[warp][lane] = left;
        (&shared.above[0][0])[threadIdx.x] = take_columns(tile.tag);
        sum_t sum = totals.take(tile.tag);
        for (unsigned other = 32; other < tile.column; other += 32) {
            ask_totals(image, tile, other + lane);
            sum += totals.take(tile.tag);
        }
#pragma unroll
        for (int step = 16; step; step /= 2)
            sum += __shfl_xor_sync(~0u, sum, step);
        sum += corner.take(tile.tag);
        if (lane == 0) {
            shared.corners[warp] = sum;
            shared.lefts[warp] = lefts;
        }
    }
    __device__ uint4 take_columns(unsigned tag) {
        uint4 sum = columns.take(tag);
        if (above.count) {
            while (!has_tag(above.words[0], tag))
                look(above.words[0], above.at);
            while (!has_tag(above.words[1], tag))
                look(above.words[1], above.at + C::WIDTH);
            uint4 low = untagged(above.words[0], 1, tag), high = untagged(above.words[1], 1, tag);
            add(sum, {low.x | high.x << 16, low.y | high.y << 16, low.z | high.z << 16,
                      low.w | high.w << 16});
        }
        return sum;
    }
};

// Sends what is above the next band.
template <class C>
__device__ void pass_on(const scan_memory<C> &shared, const scan_image &image,
                        const scan_tile &tile) {
    unsigned place = (tile.band + 1) * image.across + tile.column;
    if (threadIdx.x < C::WIDTH / 4) {
        uint4 sum = sum_parts<C>(shared, threadIdx.x);
#pragma unroll
        for (int p = 0; p < C::COLUMN_PARTS; p++)
            add(sum, shared.above[p][threadIdx.x]);
        unsigned *at = image.above + size_t(place) * 2 * C::WIDTH + 4 * threadIdx.x;
        send(at, uint4{sum.x & 0xffff, sum.y & 0xffff, sum.z & 0xffff, sum.w & 0xffff}, tile.tag);
        send(at + C::WIDTH, uint4{sum.x >> 16, sum.y >> 16, sum.z >> 16, sum.w >> 16}, tile.tag);
    }
    if (threadIdx.x == C::THREADS - 1) {
        sum_t sum = 0;
#pragma unroll
        for (int w = 0; w < C::WARPS; w++)
            sum += shared.corners[w] + shared.lefts[w];
        send(image.corners + place, sum, tile.tag);
    }
}

// Where a pair of sums lies in a line in shared memory: neither a warp's stores to every second
// pair nor its loads of neighbours conflict.
__device__ inline unsigned place_of(unsigned pair) {
    return pair ^ (pair >> 3 & 1);
}

// The finished sums above the first line of the warp: of the lane's columns, and left of the tile.
template <class C>
__device__ sum_t start_columns(sum_t (&sums)[C::SPANS][4], scan_memory<C> &shared) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sum_t before = 0, base, fours[C::SPANS], upto[C::SPANS];
    ulonglong2 *starts = shared.starts[warp];
#pragma unroll
    for (int w = 0; w < C::WARPS; w++)
        before += shared.corners[w] + (w < warp ? shared.lefts[w] : 0);
    base = before;
#pragma unroll
    for (int k = 0; k < C::SPANS; k++) {
        uint4 all = shared.above[0][32 * k + lane];
#pragma unroll
        for (int p = 1; p < C::COLUMN_PARTS; p++)
            add(all, shared.above[p][32 * k + lane]);
#pragma unroll
        for (int w = 0; w < C::WARPS; w++)
            if (w < warp)
                add(all, shared.parts[w][32 * k + lane]);
        sums[k][0] = all.x;
        sums[k][1] = sums[k][0] + all.y;
        sums[k][2] = sums[k][1] + all.z;
        sums[k][3] = fours[k] = upto[k] = sums[k][2] + all.w;
    }
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
#pragma unroll
        for (int k = 0; k < C::SPANS; k++) {
            sum_t lower = __shfl_up_sync(~0u, upto[k], step);
            if (lane >= step)
                upto[k] += lower;
        }
#pragma unroll
    for (int k = 0; k < C::SPANS; k++) {
        sum_t first = base + upto[k] - fours[k];
        if (k + 1 < C::SPANS)
            base += __shfl_sync(~0u, upto[k], 31);
        starts[64 * k + place_of(2 * lane)] = {first + sums[k][0], first + sums[k][1]};
        starts[64 * k + place_of(2 * lane + 1)] = {first + sums[k][2], first + sums[k][3]};
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < C::SPANS; k++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            ulonglong2 two = starts[64 * k + place_of(32 * i + lane)];
            sums[k][2 * i] = two.x;
            sums[k][2 * i + 1] = two.y;
        }
    return before;
}

// Adds a line to the sums above it. upto: of the squares in the span up to the lane's last one.
template <class C>
__device__ void add_line(sum_t (&sums)[C::SPANS][4], const unsigned (&words)[C::SPANS],
                         const unsigned (&upto)[C::SPANS], unsigned left) {
#pragma unroll
    for (int k = 0; k < C::SPANS; k++) {
        unsigned quads[2], bases[2];
        hand_out(quads, bases, words[k], upto[k] - __dp4a(words[k], words[k], 0u));
        add_row(sums[k], quads, bases, left);
        if (k + 1 < C::SPANS)
            left += __shfl_sync(~0u, upto[k], 31);
    }
}

// Writes the tile's part of a line; to is where the lane's first column belongs, place where the
// tile's first does.
template <class C, int ODD>
__device__ void write_line(sum_t *to, unsigned place, const sum_t (&sums)[C::SPANS][4],
                           sum_t before, const scan_part (&parts)[C::SPANS]) {
#pragma unroll
    for (int k = 0; k < C::SPANS; k++) {
        write_pairs<C::IS_ANY, ODD>(to + 128 * k, place, sums[k], before, parts[k], true);
        if (ODD && k + 1 < C::SPANS)
            before = __shfl_sync(~0u, sums[k][3], 31);
    }
}

template <class C>
__device__ void write_tile(scan_memory<C> &shared, const scan_image &image, const scan_tile &tile) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, y = tile.y + warp * C::LINES;
    unsigned first = y * image.width + tile.x;
    if (y >= image.height)
        return;
    sum_t sums[C::SPANS][4], before = start_columns<C>(sums, shared);
    sum_t *to = image.sums + size_t(y) * image.width + tile.x + 2 * lane;
    unsigned skew = unsigned(uintptr_t(image.pixels)) + first;
    unsigned place = unsigned(uintptr_t(image.sums) / sizeof *to) + first;
    const unsigned *left = &shared.left[warp][0].x;
    scan_part parts[C::SPANS];
#pragma unroll
    for (int k = 0; k < C::SPANS; k++)
        parts[k] = find_part<C::IS_ANY>(image, tile, 128 * k);
#pragma unroll 1
    for (unsigned line = 0; line < min(unsigned(C::LINES), image.height - y); line++) {
        unsigned words[C::SPANS], upto[C::SPANS], mine = left[line];
        read_line<C>(words, shared, line, skew);
#pragma unroll
        for (int k = 0; k < C::SPANS; k++)
            upto[k] = __dp4a(words[k], words[k], 0u);
#pragma unroll
        for (int step = 1; step < 32; step *= 2)
#pragma unroll
            for (int k = 0; k < C::SPANS; k++) {
                unsigned lower = __shfl_up_sync(~0u, upto[k], step);
                if (lane >= step)
                    upto[k] += lower;
            }
        add_line<C>(sums, words, upto, mine);
        before += mine;
        if (C::IS_ANY && place % 2)
            write_line<C, 1>(to, place, sums, before, parts);
        else
            write_line<C, 0>(to, place, sums, before, parts);
        to += image.width;
        skew += image.width;
        place += image.width;
    }
}

template <class Shape, int ANY>
__global__ void __launch_bounds__(32 * Shape::WARPS, ANY ? Shape::ANY_BLOCKS : Shape::BLOCKS)
    scan_tiles(const __grid_constant__ scan_image image) {
    typedef scan_config<Shape, ANY> C;
    extern __shared__ __align__(16) unsigned char memory[];
    scan_memory<C> &shared = *reinterpret_cast<scan_memory<C> *>(memory);
    let_next_begin();
    wait_for_former();
    scan_tile tile = find_tile<C>(image);
    unsigned scans = *const_cast<volatile unsigned *>(&image.state->scans), order = 0;
    tile.tag = scans % SCAN_TAGS + 1;
    scan_mail<C> mail;
    sum_tile<C>(shared, image, tile);
    if (tile.is_written) {
        mail.ask_lines(image, tile);
        mail.take(shared, image, tile);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        order = atomicAdd(&image.state->blocks, 1u);
    if (tile.is_summed) {
        send_columns<C>(shared, image, tile);
        if (tile.ends_band) {
            mail.ask_lines(image, tile);
            mail.take(shared, image, tile);
            __syncthreads();
        }
        if (tile.ends_band)
            pass_on<C>(shared, image, tile);
    }
    if (tile.is_written)
        write_tile<C>(shared, image, tile);
    if (threadIdx.x == 0 && order == gridDim.x - 1) { // all blocks know the number of this scan
        image.state->blocks = 0;
        image.state->scans = scans + 1;
    }
}

} // namespace fast

#endif
