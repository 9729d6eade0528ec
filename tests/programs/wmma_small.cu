// Matrix products with mma.h on 4-bit integers and bits, with and without gaps between rows.
#include <cstdio>
#include <mma.h>

using namespace nvcuda;
using namespace nvcuda::wmma::experimental;

constexpr int SIDE = 8, WORDS = 4; // of 32 bits, of a row of A or a column of B

__device__ static unsigned word_of(int i) { return (i + 1) * 2654435761u ^ (i + 7) * 40503u; }

template <typename T> struct element;
template <> struct element<precision::s4> {
    static constexpr int per_word = 8;
    __device__ static int of(unsigned word, int i) { return (int)(word << (28 - i * 4)) >> 28; }
};
template <> struct element<precision::u4> {
    static constexpr int per_word = 8;
    __device__ static int of(unsigned word, int i) { return word >> i * 4 & 15; }
};

struct operands {
    unsigned a[SIDE * 8], b[SIDE * 8];
    int d[SIDE * SIDE];
};

__device__ static void fill(operands &s) {
    for (int i = threadIdx.x; i < SIDE * 8; i += 32) {
        s.a[i] = word_of(i);
        s.b[i] = word_of(i + 1000);
        s.d[i] = i - 20;
    }
    __syncwarp();
}

template <typename T, int LINE> __global__ void nibbles(int *wrong) {
    __shared__ __align__(32) operands s;
    fill(s);
    wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> d;
    wmma::load_matrix_sync(a, s.a, LINE * element<T>::per_word);
    wmma::load_matrix_sync(b, s.b, LINE * element<T>::per_word);
    wmma::load_matrix_sync(d, s.d, SIDE, wmma::mem_col_major);
    wmma::mma_sync(d, a, b, d);
    wmma::store_matrix_sync(s.d, d, SIDE, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < SIDE * SIDE; i += 32) {
        int want = i % SIDE * SIDE + i / SIDE - 20;
        for (int k = 0; k < 32; k++)
            want += element<T>::of(s.a[i / SIDE * LINE + k / 8], k % 8) *
                    element<T>::of(s.b[i % SIDE * LINE + k / 8], k % 8);
        if (s.d[i] != want)
            atomicAdd(wrong, 1);
    }
}

template <int LINE, bool IS_AND> __global__ void bits(int *wrong) {
    __shared__ __align__(32) operands s;
    fill(s);
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> d;
    wmma::load_matrix_sync(a, s.a, LINE * 32);
    wmma::load_matrix_sync(b, s.b, LINE * 32);
    wmma::load_matrix_sync(d, s.d, SIDE, wmma::mem_row_major);
    wmma::bmma_sync(d, a, b, d, IS_AND ? bmmaBitOpAND : bmmaBitOpXOR);
    wmma::store_matrix_sync(s.d, d, SIDE, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < SIDE * SIDE; i += 32) {
        int want = i - 20;
        for (int w = 0; w < WORDS; w++) {
            const unsigned x = s.a[i / SIDE * LINE + w], y = s.b[i % SIDE * LINE + w];
            want += __popc(IS_AND ? x & y : x ^ y);
        }
        if (s.d[i] != want)
            atomicAdd(wrong, 1);
    }
}

static int *wrong;

static void run(const char *name, void (*kernel)(int *)) {
    *wrong = 0;
    kernel<<<1, 32>>>(wrong);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s, %d wrong\n", name, cudaGetErrorString(error), *wrong);
}

int main() {
    cudaMallocManaged(&wrong, sizeof *wrong);
    run("s4", nibbles<precision::s4, 4>);
    run("u4", nibbles<precision::u4, 4>);
    run("s4, rows apart", nibbles<precision::s4, 8>);
    run("xor of bits", bits<4, false>);
    run("and of bits", bits<4, true>);
    run("xor of bits, rows apart", bits<8, false>);
    return cudaFree(wrong);
}
