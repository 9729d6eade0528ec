// Matrix products with mma.h: layouts, shapes and types, from shared memory with and without padding.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <typename T> __device__ T from_int(int v) { return T(v); }
template <> __device__ half from_int<half>(int v) { return __int2half_rn(v); }
template <> __device__ __nv_bfloat16 from_int<__nv_bfloat16>(int v) { return __int2bfloat16_rn(v); }

__device__ int a_of(int r, int c) { return (r * 7 + c * 3) % 9 - 4; }
__device__ int b_of(int r, int c) { return (r * 5 + c * 11) % 7 - 3; }
__device__ int c_of(int r, int c) { return (r + 2 * c) % 5; }

template <int M, int N, int K, typename T, typename C, bool ARow, bool BRow, bool CRow, int Pad>
__global__ void product(int *wrong) {
    constexpr int LA = (ARow ? K : M) + Pad, LB = (BRow ? N : K) + Pad, LC = (CRow ? N : M) + Pad;
    __shared__ __align__(32) T a[(ARow ? M : K) * LA], b[(BRow ? K : N) * LB];
    __shared__ __align__(32) C c[(CRow ? M : N) * LC];
    for (int i = threadIdx.x; i < M * K; i += 32)
        a[ARow ? i / K * LA + i % K : i % K * LA + i / K] = from_int<T>(a_of(i / K, i % K));
    for (int i = threadIdx.x; i < K * N; i += 32)
        b[BRow ? i / N * LB + i % N : i % N * LB + i / N] = from_int<T>(b_of(i / N, i % N));
    for (int i = threadIdx.x; i < M * N; i += 32)
        c[CRow ? i / N * LC + i % N : i % N * LC + i / N] = from_int<C>(c_of(i / N, i % N));
    __syncwarp();
    using LayoutA = typename std::conditional<ARow, wmma::row_major, wmma::col_major>::type;
    using LayoutB = typename std::conditional<BRow, wmma::row_major, wmma::col_major>::type;
    wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    const wmma::layout_t layout = CRow ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(fa, a, LA);
    wmma::load_matrix_sync(fb, b, LB);
    wmma::load_matrix_sync(fc, c, LC, layout);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, LC, layout);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32) {
        int want = c_of(i / N, i % N);
        for (int k = 0; k < K; k++)
            want += a_of(i / N, k) * b_of(k, i % N);
        const C got = c[CRow ? i / N * LC + i % N : i % N * LC + i / N];
        if ((float)got != (float)want)
            atomicAdd(wrong, 1);
    }
}

static int *wrong;

template <int M, int N, int K, typename T, typename C, bool ARow, bool BRow, bool CRow, int Pad>
static void run(const char *name) {
    *wrong = 0;
    product<M, N, K, T, C, ARow, BRow, CRow, Pad><<<1, 32>>>(wrong);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s, %d wrong\n", name, cudaGetErrorString(error), *wrong);
}

int main() {
    cudaMallocManaged(&wrong, sizeof *wrong);
    run<16, 16, 16, half, float, true, false, true, 0>("f16 row col, f32 row");
    run<16, 16, 16, half, float, false, true, false, 0>("f16 col row, f32 col");
    run<16, 16, 16, half, half, true, true, true, 8>("f16 row row, f16 row, padded");
    run<16, 16, 16, half, half, false, false, false, 8>("f16 col col, f16 col, padded");
    run<8, 32, 16, half, float, true, true, true, 8>("f16 8x32 row row, f32 row");
    run<8, 32, 16, half, float, false, false, false, 8>("f16 8x32 col col, f32 col");
    run<32, 8, 16, half, half, true, false, true, 8>("f16 32x8 row col, f16 row");
    run<32, 8, 16, __nv_bfloat16, float, false, true, true, 8>("bf16 32x8 col row, f32 row");
    run<16, 16, 16, __nv_bfloat16, float, true, false, true, 8>("bf16 row col, f32 row");
    run<16, 16, 16, signed char, int, true, false, true, 16>("s8 row col, s32 row");
    run<16, 16, 16, signed char, int, false, true, false, 16>("s8 col row, s32 col");
    run<8, 8, 4, double, double, true, false, true, 4>("f64 row col, f64 row");
    return cudaFree(wrong);
}
