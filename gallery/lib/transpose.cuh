// Transpose of a matrix in device memory, at nearly the speed of a copy when lines are aligned.
//
//     cudaError_t error = fast::transpose(out, in, width, height, stream);
//
// `in` has `height` rows of `width` elements, `out` has `width` rows of `height`; they must not
// overlap. Elements are anything of 1, 2, 4, 8 or 16 bytes. All sizes work; the fastest are those
// whose rows are multiples of 16 bytes on both sides. Returns what the launch returned; nothing is
// allocated, and nothing waits.
//
// How it works. A block moves one tile. A thread reads V rows of V elements as V chunks of up to 16
// bytes, turns that little square inside its registers, and puts it into shared memory with chunks
// that now run down the matrix; then the block reads whole lines of chunks back and writes them. So
// both sides of global memory see full 128-byte lines, and shared memory only whole chunks. Chunk r
// of line x lies at r ^ swizzle(x): the lanes that are served together differ in x / V when they
// write and in r when they read, and in both cases the XOR spreads them over all banks. No padding
// is needed, and there is no conflict for any element size.
#ifndef FAST_TRANSPOSE_CUH
#define FAST_TRANSPOSE_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>

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
                   unsigned run, bool is_by_rows) {
    // Blocks start in the order of their numbers: those that run at the same time continue each
    // other's lines. `run` tiles follow each other, across the source or down it.
    // Widths and heights are in elements and multiples of V; pointers go by chunks.
    __shared__ typename S::chunk tile[S::WIDTH * S::LINE];
    unsigned line = blockIdx.x / run, place_in_line = blockIdx.x % run;
    size_t left = size_t(is_by_rows ? place_in_line : line) * S::WIDTH;
    size_t top = size_t(is_by_rows ? line : place_in_line) * S::HEIGHT;
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
cudaError_t launch_transpose(void *out, const void *in, size_t width, size_t height,
                             cudaStream_t stream) {
    size_t across = (width + S::WIDTH - 1) / S::WIDTH, down = (height + S::HEIGHT - 1) / S::HEIGHT;
    if (across * down > 0x7fffffff)
        return cudaErrorInvalidConfiguration;
    if (across * down == 0)
        return cudaSuccess;
    auto to = static_cast<typename S::chunk *>(out);
    auto from = static_cast<const typename S::chunk *>(in);
    // Lines of the result are what to continue, unless those of the source alone are no multiples
    // of 128 bytes: then neighbours share the ends of their reads.
    bool is_by_rows = width * S::SIZE % 128 != 0 && height * S::SIZE % 128 == 0;
    unsigned run = unsigned(is_by_rows ? across : down), blocks = unsigned(across * down);
    if (S::CHUNK == 16 && width * height * S::SIZE > size_t(256) << 20)
        transpose_tile<S, 1>
            <<<blocks, S::THREADS, 0, stream>>>(to, from, width, height, run, is_by_rows);
    else
        transpose_tile<S, 0>
            <<<blocks, S::THREADS, 0, stream>>>(to, from, width, height, run, is_by_rows);
    return cudaGetLastError();
}

// The shapes for elements of SIZE bytes whose lines begin at multiples of BYTES: the fastest of
// those that were timed on an H200.
template <int SIZE, int BYTES> struct transpose_choice;
#define FAST_TRANSPOSE(SIZE, BYTES, ...)                                                           \
    template <> struct transpose_choice<SIZE, BYTES> {                                             \
        typedef cut<SIZE, BYTES / SIZE, __VA_ARGS__> shape;                                        \
    }
FAST_TRANSPOSE(1, 16, 128, 256, 128);
FAST_TRANSPOSE(1, 8, 128, 128, 256);
FAST_TRANSPOSE(1, 4, 128, 128, 256);
FAST_TRANSPOSE(1, 1, 128, 128, 1024);
FAST_TRANSPOSE(2, 16, 128, 128, 256);
FAST_TRANSPOSE(2, 8, 64, 64, 256);
FAST_TRANSPOSE(2, 4, 64, 64, 256);
FAST_TRANSPOSE(2, 2, 64, 64, 512);
FAST_TRANSPOSE(4, 16, 64, 64, 256);
FAST_TRANSPOSE(4, 8, 64, 64, 256);
FAST_TRANSPOSE(4, 4, 32, 64, 256);
FAST_TRANSPOSE(8, 16, 32, 32, 256);
FAST_TRANSPOSE(8, 8, 32, 64, 512);
FAST_TRANSPOSE(16, 16, 32, 32, 512);
#undef FAST_TRANSPOSE

template <int SIZE, int BYTES = 16>
cudaError_t transpose_bytes(void *out, const void *in, size_t width, size_t height,
                            cudaStream_t stream) {
    size_t places = uintptr_t(out) | uintptr_t(in) | width * SIZE | height * SIZE;
    if constexpr (BYTES > SIZE) {
        if (places % BYTES != 0)
            return transpose_bytes < SIZE,
                   (SIZE == 1 && BYTES == 4) ? 1 : BYTES / 2 > (out, in, width, height, stream);
    }
    typedef typename transpose_choice<SIZE, BYTES>::shape shape;
    return launch_transpose<shape>(out, in, width, height, stream);
}

template <class T>
cudaError_t transpose(T *out, const T *in, size_t width, size_t height, cudaStream_t stream = 0) {
    return transpose_bytes<sizeof(T)>(out, in, width, height, stream);
}

} // namespace fast

#endif
