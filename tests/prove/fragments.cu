// Fragments of matrices in shared memory (wmma): which lines of the matrix meet in a bank.
// bankrun: --block 32
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> factor_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> factor_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

__device__ void use(float *out, factor_a &a, factor_b &b) {
    sums c;
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

__global__ void strides(float *out, const half *in) {
    __shared__ __align__(32) half s[16 * 72];
    const unsigned t = threadIdx.x;
    factor_a a;
    factor_b b;
    for (unsigned i = t; i < 16 * 72; i += 32)
        s[i] = in[i]; // prove: proved free
    __syncthreads();
    wmma::load_matrix_sync(a, s, 16); // prove: proved 2-way
    wmma::load_matrix_sync(b, s, 64); // prove: proved 8-way
    use(out, a, b);
    wmma::load_matrix_sync(a, s, 72); // prove: proved free
    wmma::load_matrix_sync(b, s, 24); // prove: proved free
    use(out, a, b);
}

__global__ void strides_of_floats(float *out, const float *in) {
    __shared__ __align__(32) float s[16 * 24];
    const unsigned t = threadIdx.x;
    sums c;
    for (unsigned i = t; i < 16 * 24; i += 32)
        s[i] = in[i]; // prove: proved free
    __syncthreads();
    wmma::load_matrix_sync(c, s, 16, wmma::mem_row_major); // prove: proved 2-way
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(c, s, 24, wmma::mem_row_major); // prove: proved free
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

__global__ void stride_of_launch(float *out, const half *in, unsigned stride, unsigned row) {
    __shared__ __align__(32) half s[64 * 64];
    const unsigned t = threadIdx.x;
    factor_a a;
    factor_b b;
    s[t] = in[t]; // prove: proved free
    __syncthreads();
    wmma::load_matrix_sync(a, s, 8 * stride); // prove: at most 8-way, by s | 8-way for s mod 8 = 0; 4-way for s mod 8 = 4; 2-way for s mod 4 = 2; free for odd s; s: depends on a parameter of the kernel
    wmma::load_matrix_sync(b, s + 64 * row, 64); // prove: proved 8-way
    use(out, a, b);
}
