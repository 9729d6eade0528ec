// Transpose of a matrix in device memory, at nearly the speed of a copy.
//
//     cudaError_t error = fast::transpose(out, in, width, height, stream);
//
// `in` has `height` rows of `width` elements, `out` has `width` rows of `height`; they must not
// overlap. Elements are anything of 1, 2, 4, 8 or 16 bytes; all sizes work, and pointers need no
// more alignment than their elements do. Returns what the launch returned; nothing is allocated,
// and nothing waits.
//
// How it works. A block moves one tile through shared memory, and blocks that run at the same time
// continue each other's rows of the result: long runs of writes are what memory likes best. There
// are two kernels.
//
// transpose_tile, where all rows begin at multiples of 16 bytes. A thread reads V rows of V
// elements as V chunks of up to 16 bytes, turns that little square inside its registers, and puts
// it into shared memory with chunks that now run down the matrix; then the block reads whole lines
// of chunks back and writes them. Chunk r of line x lies at r ^ swizzle(x): the lanes that are
// served together differ in x / V when they write and in r when they read, and in both cases the
// XOR spreads them over all banks. No padding is needed, and there is no conflict for any element
// size.
//
// transpose_window, for rows that begin anywhere. What costs most there is to write half a sector
// of 32 bytes: memory must read the rest, or wait for another block to write it. So each row of the
// result is cut at multiples of 32 bytes, wherever these lie in it, and a tile reads a few rows
// more than it writes. All else is done in words: a row is read in words that begin before it and
// moved by a shuffle and a shift, squares of bytes turn in registers, and a window of bytes is
// moved into its words by a shift again. Columns lie an odd number of words apart, which keeps both
// sides free of conflicts.
#ifndef FAST_TRANSPOSE_CUH
#define FAST_TRANSPOSE_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <type_traits>

namespace fast {

template <int BYTES> struct chunk_type;
template <> struct chunk_type<1> { typedef uint8_t type; };
template <> struct chunk_type<2> { typedef uint16_t type; };
template <> struct chunk_type<4> { typedef uint32_t type; };
// Not uint2, which the compiler may store in two pieces.
template <> struct chunk_type<8> { typedef unsigned long long type; };
template <> struct chunk_type<16> { typedef uint4 type; };

// One way to cut the work: SIZE bytes an element, squares of V x V elements, tiles of WIDTH x
// HEIGHT elements, THREADS a block.
template <int SIZE_, int V_, int WIDTH_, int HEIGHT_, int THREADS_> struct cut {
    enum {
        SIZE = SIZE_,
        V = V_,
        WIDTH = WIDTH_,
        HEIGHT = HEIGHT_,
        THREADS = THREADS_,
        CHUNK = SIZE * V,                   // bytes
        COLUMNS = WIDTH / V,                // chunks in a line of the source tile
        LINE = HEIGHT / V,                  // chunks in a line of the transposed tile
        IN_A_ROW = 128 / CHUNK,             // chunks in one row of banks
        SQUARES = COLUMNS * LINE / THREADS, // of each thread
        SPREAD = CHUNK < 4 ? 4 / CHUNK : 1,
    };
    static_assert(WIDTH * SIZE % 128 == 0 && HEIGHT * SIZE % 128 == 0, "whole lines on both sides");
    static_assert(SQUARES * THREADS == COLUMNS * LINE, "whole squares for each thread");
    static_assert(V == 1 || CHUNK >= 4, "squares are turned in words");
    typedef typename chunk_type<CHUNK>::type chunk;
};

// Two rows of 2 x 2 squares of bytes (0) or halves (1), each turned.
template <int HALVES> __device__ void turn_pairs(uint32_t &above, uint32_t &below) {
    uint32_t even = __byte_perm(above, below, HALVES ? 0x5410 : 0x6240);
    below = __byte_perm(above, below, HALVES ? 0x7632 : 0x7351);
    above = even;
}

// Turns V x V elements: words[i] holds row i, then column i.
template <class S> __device__ void turn_square(uint32_t (&words)[S::V][S::CHUNK / 4]) {
    enum { WORDS = S::CHUNK / 4, EACH = S::SIZE < 4 ? 4 / S::SIZE : 1 };
    for (int step = 1; step < EACH; step *= 2) { // inside of words
#pragma unroll
        for (int i = 0; i < S::V; i++) {
            for (int w = 0; w < WORDS && !(i & step); w++) {
                if (S::SIZE * step == 1)
                    turn_pairs<0>(words[i][w], words[i + step][w]);
                else
                    turn_pairs<1>(words[i][w], words[i + step][w]);
            }
        }
    }
    enum { WIDE = S::SIZE > 4 ? S::SIZE / 4 : 1 }; // words of an element
#pragma unroll
    for (int i = 0; i < S::V / EACH; i++) { // squares of whole words change places
#pragma unroll
        for (int j = 0; j < i; j++) {
#pragma unroll
            for (int k = 0; k < EACH * WIDE; k++) {
                int row = k / WIDE, word = k % WIDE;
                uint32_t kept = words[i * EACH + row][j * WIDE + word];
                words[i * EACH + row][j * WIDE + word] = words[j * EACH + row][i * WIDE + word];
                words[j * EACH + row][i * WIDE + word] = kept;
            }
        }
    }
}

template <class S> __device__ void turn(typename S::chunk (&rows)[S::V]) {
    if constexpr (S::V > 1) {
        uint32_t words[S::V][S::CHUNK / 4];
        memcpy(words, rows, sizeof words);
        turn_square<S>(words);
        memcpy(rows, words, sizeof words);
    }
}

// Where chunk `row` of line x of the transposed tile lies.
template <class S> __device__ int place(int x, int row) {
    return x * S::LINE + (row ^ (x / S::V * S::SPREAD & (S::IN_A_ROW - 1)));
}

// Reads a chunk that nobody will read again. Of two ways, on an H200 one is 1 % faster for matrices
// that nearly fit the second-level cache, the other for larger ones.
template <int IS_LARGE, class T> __device__ T read_once(const T *from) {
    if constexpr (sizeof(T) == 16 && !IS_LARGE) {
        T v;
        asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(from));
        return v;
    } else {
        return __ldcs(from);
    }
}

template <class S, int IS_LARGE>
__global__ void __launch_bounds__(S::THREADS)
    transpose_tile(typename S::chunk *out, const typename S::chunk *in, size_t width, size_t height,
                   unsigned down) {
    // Widths and heights are in elements and multiples of V; pointers go by chunks.
    __shared__ typename S::chunk tile[S::WIDTH * S::LINE];
    size_t left = size_t(blockIdx.x / down) * S::WIDTH, top = size_t(blockIdx.x % down) * S::HEIGHT;
    typename S::chunk squares[S::SQUARES][S::V] = {};
#pragma unroll
    for (int n = 0; n < S::SQUARES; n++) {
        int square = threadIdx.x + n * S::THREADS;
        size_t x = left + square % S::COLUMNS * S::V, y = top + square / S::COLUMNS * S::V;
#pragma unroll
        for (int i = 0; i < S::V; i++) {
            if (x < width && y < height)
                squares[n][i] = read_once<IS_LARGE>(&in[(y + i) * (width / S::V) + x / S::V]);
        }
    }
#pragma unroll
    for (int n = 0; n < S::SQUARES; n++) {
        int square = threadIdx.x + n * S::THREADS;
        turn<S>(squares[n]);
#pragma unroll
        for (int i = 0; i < S::V; i++)
            tile[place<S>(square % S::COLUMNS * S::V + i, square / S::COLUMNS)] = squares[n][i];
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < S::SQUARES * S::V; n++) {
        int chunk = threadIdx.x + n * S::THREADS;
        int x = chunk / S::LINE, row = chunk % S::LINE;
        if (left + x < width && top + row * S::V < height)
            __stcs(&out[(left + x) * (height / S::V) + top / S::V + row], tile[place<S>(x, row)]);
    }
}

template <class S>
cudaError_t launch_tiles(void *out, const void *in, size_t width, size_t height,
                         cudaStream_t stream) {
    size_t across = (width + S::WIDTH - 1) / S::WIDTH, down = (height + S::HEIGHT - 1) / S::HEIGHT;
    if (across * down > 0x7fffffff)
        return cudaErrorInvalidConfiguration;
    auto to = static_cast<typename S::chunk *>(out);
    auto from = static_cast<const typename S::chunk *>(in);
    // Where lines begin inside of 128 bytes, neighbours read their ends again soon.
    bool is_large = width * height * S::SIZE > size_t(256) << 20 && S::SIZE > 1 &&
                    (width | height) * S::SIZE % 128 == 0;
    auto kernel = is_large ? transpose_tile<S, 1> : transpose_tile<S, 0>;
    kernel<<<unsigned(across * down), S::THREADS, 0, stream>>>(to, from, width, height,
                                                               unsigned(down));
    return cudaGetLastError();
}

// The other way to cut the work, for rows that begin anywhere: tiles of WORDS words of HEIGHT rows,
// SIZE bytes an element, THREADS a block.
template <int SIZE_, int WORDS_, int HEIGHT_, int THREADS_> struct window {
    enum {
        SIZE = SIZE_,
        HEIGHT = HEIGHT_,
        THREADS = THREADS_,
        BLOCKS = 1024 / THREADS, // at least, at a time
        WARPS = THREADS / 32,
        WORD = SIZE < 4 ? 4 : SIZE,                      // bytes that a lane moves at a time
        EACH = WORD / SIZE,                              // elements in them, and rows of a line
        ACROSS = WORDS_ / 32,                            // words of a row for each lane
        WIDTH = EACH > 1 ? (WORDS_ - 1) * EACH : WORDS_, // a row that begins askew takes one more
        SECTOR = 32,                                     // bytes
        ABOVE = SECTOR / SIZE,                           // rows that windows may reach back
        LINES = (HEIGHT + ABOVE) / EACH,
        TURNS = (LINES + WARPS - 1) / WARPS, // lines of each warp
        DEEP = HEIGHT / EACH / 32,           // words of a window for each lane
        GROUP = EACH * LINES | 1, // words from the columns of one word to those of the next
        BYTES = (WORDS_ * GROUP + 1) * WORD,
    };
    static_assert(DEEP * EACH * 32 == HEIGHT && ACROSS * 32 == WORDS_, "whole warps");
    static_assert(WARPS % EACH == 0 && ABOVE % EACH == 0 && ABOVE < HEIGHT, "whole words");
    typedef typename chunk_type<WORD>::type word;
    typedef word line[EACH][ACROSS]; // of a lane
};

// Four bytes, of which those outside of the matrix are not read.
__device__ inline uint32_t read_inside(const char *from, const char *begin, const char *end) {
    if (from >= begin && from + 4 <= end)
        return __ldg(reinterpret_cast<const uint32_t *>(from));
    uint32_t word = 0;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        if (from + i >= begin && from + i < end)
            word |= uint32_t(uint8_t(from[i])) << 8 * i;
    }
    return word;
}

// What a thread knows of its tile.
struct tile_place {
    const char *begin, *end; // of the matrix
    const char *first;       // row of this warp, at the first word of this lane
    size_t pitch;            // bytes of a row
    int bytes;               // of a row of the tile, from this lane's first word on
    bool is_wide;            // there are WORDS words of each row
    int top, bottom; // first row of the matrix, and its end, counted from the tile's first row
};

// How much of a line must be looked at: nothing, its columns, or its rows too. The first row and
// the last may share words with what does not belong to the matrix.
enum line_kind { WHOLE, INNER, OUTER };

// Reads the EACH rows from row y of the tile on, in whole words that begin before the elements.
template <class S, line_kind KIND>
__device__ void read_line(typename S::line &words, const tile_place &tile, const char *from,
                          int y) {
#pragma unroll
    for (int i = 0; i < S::EACH; i++) {
        const char *row = from + i * tile.pitch;
        if (S::EACH > 1)
            row -= uintptr_t(row) & 3;
#pragma unroll
        for (int c = 0; c < S::ACROSS; c++) {
            const char *at = row + c * (32 * S::WORD);
            words[i][c] = typename S::word();
            if (KIND != WHOLE && c * (32 * S::WORD) >= tile.bytes)
                continue;
            if (KIND == OUTER && (y + i < tile.top || y + i >= tile.bottom))
                continue;
            if constexpr (KIND == OUTER && S::EACH > 1)
                words[i][c] = read_inside(at, tile.begin, tile.end);
            else
                words[i][c] = __ldg(reinterpret_cast<const typename S::word *>(at));
        }
    }
}

// Turns a square of bytes or halves, whose rows are words.
template <int SIZE, class T, size_t ROWS> __device__ void turn_words(T (&words)[ROWS]) {
    if constexpr (SIZE < 4) {
        if constexpr (SIZE == 1) {
            turn_pairs<0>(words[0], words[1]);
            turn_pairs<0>(words[2], words[3]);
            turn_pairs<1>(words[1], words[3]);
        }
        turn_pairs<1>(words[0], words[ROWS / 2]);
    }
}

// Moves the elements of each row to the beginning of words, turns squares, and keeps the columns.
template <class S>
__device__ void keep_line(typename S::word *to, typename S::line &words, const char *from,
                          size_t pitch) {
    if constexpr (S::EACH > 1) {
        int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < S::EACH; i++) {
            unsigned bits = 8 * ((unsigned(uintptr_t(from)) + i * unsigned(pitch)) & 3);
#pragma unroll
            for (int c = 0; c < S::ACROSS; c++) {
                uint32_t next = words[i][c]; // lane 0's is what follows lane 31's
                if (c + 1 < S::ACROSS && lane == 0)
                    next = words[i][c + 1 < S::ACROSS ? c + 1 : c];
                next = __shfl_sync(~0u, next, lane + 1);
                words[i][c] = __funnelshift_r(words[i][c], next, bits);
            }
        }
    }
#pragma unroll
    for (int c = 0; c < S::ACROSS; c++) {
        typename S::word square[S::EACH];
#pragma unroll
        for (int i = 0; i < S::EACH; i++)
            square[i] = words[i][c];
        turn_words<S::SIZE>(square);
#pragma unroll
        for (int i = 0; i < S::EACH; i++)
            to[c * 32 * S::GROUP + i * S::LINES] = square[i];
    }
}

// IS_WHOLE: all lines of the tile are.
template <class S, bool IS_WHOLE>
__device__ void read_tile(typename S::word *tile, const tile_place &place) {
    const int warp = threadIdx.x / 32;
    const size_t step = size_t(S::WARPS * S::EACH) * place.pitch;
    typename S::line lines[S::TURNS];
#pragma unroll
    for (int i = 0; i < S::TURNS; i++) {
        int line = i * S::WARPS + warp, y = line * S::EACH;
        bool is_inner = y > place.top && y + S::EACH < place.bottom && place.pitch >= 8;
        if (line >= S::LINES)
            continue;
        if (IS_WHOLE || (is_inner && place.is_wide))
            read_line<S, WHOLE>(lines[i], place, place.first + i * step, y);
        else if (is_inner)
            read_line<S, INNER>(lines[i], place, place.first + i * step, y);
        else
            read_line<S, OUTER>(lines[i], place, place.first + i * step, y);
    }
    tile += threadIdx.x % 32 * S::GROUP;
#pragma unroll
    for (int i = 0; i < S::TURNS; i++) {
        int line = i * S::WARPS + warp;
        if (line < S::LINES)
            keep_line<S>(tile + line, lines[i], place.first + i * step, place.pitch);
    }
}

// Writes elements begin..end - 1 of those in a word.
template <int SIZE> __device__ void write_elements(char *to, uint32_t word, int begin, int end) {
    typedef typename chunk_type<SIZE>::type element;
#pragma unroll 1
    for (int i = 0; i < 4 / SIZE; i++) {
        if (i >= begin && i < end)
            reinterpret_cast<element *>(to)[i] = element(word >> 8 * SIZE * i);
    }
}

// Writes the windows of the tile's columns. `to` is where this lane would write if the first of its
// warp's were not shifted; of each `begin`..`end` - 1 are in the matrix, counted from there.
template <class S, bool IS_WHOLE>
__device__ void write_windows(char *to, size_t pitch, const typename S::word *tile, int columns,
                              int begin, int end) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const char *column = reinterpret_cast<const char *>(tile + warp / S::EACH * S::GROUP +
                                                        warp % S::EACH * S::LINES);
    auto write = [&](auto all) {
        enum { ROWS = decltype(all)::value };
        typename S::word words[ROWS][S::DEEP];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            unsigned row = unsigned(uintptr_t(to)) + i * S::WARPS * unsigned(pitch);
            int at = S::SECTOR + lane * S::WORD - int((row - lane * S::WORD) % S::SECTOR);
            const char *from = column + i * (S::WARPS / S::EACH * S::GROUP * S::WORD);
#pragma unroll
            for (int k = 0; k < S::DEEP; k++) {
                auto p = reinterpret_cast<const typename S::word *>(
                    from + (S::EACH > 1 ? at & ~3 : at) + k * (32 * S::WORD));
                words[i][k] = p[0];
                if constexpr (S::EACH > 1)
                    words[i][k] = __funnelshift_r(p[0], p[1], 8 * (at & 3));
            }
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int shift = int((unsigned(uintptr_t(to)) - lane * S::WORD) % S::SECTOR);
#pragma unroll
            for (int k = 0; k < S::DEEP; k++) {
                char *at = to - shift + k * (32 * S::WORD);
                int y = (lane + 32 * k) * S::EACH - shift / S::SIZE;
                if (IS_WHOLE || (y >= begin && y + S::EACH <= end))
                    *reinterpret_cast<typename S::word *>(at) = words[i][k];
                else if constexpr (S::EACH > 1)
                    write_elements<S::SIZE>(at, words[i][k], begin - y, end - y);
            }
            to += S::WARPS * pitch;
        }
        column += ROWS * (S::WARPS / S::EACH * S::GROUP * S::WORD);
    };
    int rows = (columns - warp + S::WARPS - 1) / S::WARPS;
#pragma unroll 1
    for (; rows >= 4; rows -= 4)
        write(std::integral_constant<int, 4>());
#pragma unroll 1
    for (; rows > 0; rows--)
        write(std::integral_constant<int, 1>());
}

// Each row of the result is cut into windows that begin at multiples of 32 bytes. A block moves one
// window of each of WIDTH rows; they begin at different rows of the source, so it reads ABOVE more.
template <class S>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    transpose_window(char *out, const char *in, size_t width, size_t height, unsigned down) {
    extern __shared__ uint4 tile[];
    auto words = reinterpret_cast<typename S::word *>(tile);
    const size_t left = size_t(blockIdx.x / down) * S::WIDTH;
    const ptrdiff_t window = ptrdiff_t(blockIdx.x % down) * S::HEIGHT, top = window - S::ABOVE;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int columns = int(min(width - left, size_t(S::WIDTH)));
    tile_place place;
    place.begin = in;
    place.pitch = width * S::SIZE;
    place.end = in + height * place.pitch;
    place.first =
        in + (top + warp * S::EACH) * ptrdiff_t(place.pitch) + left * S::SIZE + lane * S::WORD;
    // A word that begins askew begins up to 3 bytes early.
    place.bytes = columns * S::SIZE - lane * S::WORD + (S::EACH > 1 ? 3 : 0);
    place.is_wide = left + S::ACROSS * 32 * S::EACH <= width;
    place.top = int(max(-top, ptrdiff_t(-1)));
    place.bottom = int(min(ptrdiff_t(height) - top, ptrdiff_t(S::LINES * S::EACH + 1)));
    if (place.is_wide && place.top < 0 && place.bottom > S::LINES * S::EACH)
        read_tile<S, true>(words, place);
    else
        read_tile<S, false>(words, place);
    __syncthreads();
    const size_t out_pitch = height * S::SIZE;
    char *to = out + (left + warp) * out_pitch + window * S::SIZE + lane * S::WORD;
    if (window > 0 && window + S::HEIGHT <= ptrdiff_t(height))
        write_windows<S, true>(to, out_pitch, words, columns, 0, 0);
    else
        write_windows<S, false>(to, out_pitch, words, columns, window > 0 ? -S::ABOVE : 0,
                                int(min(ptrdiff_t(height) - window, ptrdiff_t(S::HEIGHT))));
}

template <class S>
cudaError_t launch_windows(void *out, const void *in, size_t width, size_t height,
                           cudaStream_t stream) {
    size_t across = (width + S::WIDTH - 1) / S::WIDTH;
    size_t down = (height + S::ABOVE - 1 + S::HEIGHT - 1) / S::HEIGHT;
    if (across * down > 0x7fffffff)
        return cudaErrorInvalidConfiguration;
    if (S::BYTES > 48 << 10) {
        cudaError_t error = cudaFuncSetAttribute(
            transpose_window<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::BYTES);
        if (error != cudaSuccess)
            return error;
    }
    transpose_window<S><<<unsigned(across * down), S::THREADS, S::BYTES, stream>>>(
        static_cast<char *>(out), static_cast<const char *>(in), width, height, unsigned(down));
    return cudaGetLastError();
}

// The shapes for elements of SIZE bytes: the fastest of those that were timed on an H200.
template <int SIZE> struct transpose_choice;
template <> struct transpose_choice<1> {
    typedef cut<1, 16, 128, 256, 128> aligned;
    typedef window<1, 64, 256, 512> anywhere;
};
template <> struct transpose_choice<2> {
    typedef cut<2, 8, 128, 128, 256> aligned;
    typedef window<2, 128, 128, 512> anywhere;
};
template <> struct transpose_choice<4> {
    typedef cut<4, 4, 64, 64, 256> aligned;
    typedef window<4, 128, 64, 256> anywhere;
};
template <> struct transpose_choice<8> {
    typedef cut<8, 2, 32, 32, 256> aligned;
    typedef window<8, 64, 32, 256> anywhere;
};
template <> struct transpose_choice<16> {
    typedef cut<16, 1, 32, 32, 512> aligned;
    typedef window<16, 32, 32, 256> anywhere;
};

template <class T>
cudaError_t transpose(T *out, const T *in, size_t width, size_t height, cudaStream_t stream = 0) {
    typedef transpose_choice<sizeof(T)> shapes;
    if ((uintptr_t(out) | uintptr_t(in)) % sizeof(T) != 0)
        return cudaErrorMisalignedAddress;
    if (width == 0 || height == 0)
        return cudaSuccess;
    size_t pitch = width * sizeof(T), out_pitch = height * sizeof(T);
    bool is_aligned = (uintptr_t(out) | uintptr_t(in) | pitch | out_pitch) % 16 == 0;
    // Tiles below each other come first. If they are many, the ends of lines that two share are out
    // of the second-level cache before both have read them; windows read nothing early.
    if (is_aligned && (pitch % 128 == 0 || height < 20000))
        return launch_tiles<typename shapes::aligned>(out, in, width, height, stream);
    return launch_windows<typename shapes::anywhere>(out, in, width, height, stream);
}

} // namespace fast

#endif
