// A matrix that is replaced by the product that it is added to: all lanes have read it when the first
// one stores. What other lanes stored by plain stores has to be waited for.
#include <cstdio>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

__global__ void product(int *out, bool waits) {
    __shared__ half a[256], b[256];
    __shared__ float c[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = i % 3;
        b[i] = i % 5;
        c[i] = i;
    }
    if (waits)
        __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_col_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    __syncwarp();
    out[threadIdx.x] = c[8 * threadIdx.x];
}
// finds: race read-write 13 22
// finds: race read-write 14 23
// finds: race read-write 15 24

int main() {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    product<<<1, 32>>>(out, true);
    product<<<1, 32>>>(out, false);
    cudaDeviceSynchronize();
    cudaFree(out);
}
