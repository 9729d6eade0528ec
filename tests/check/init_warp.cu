// What lanes give each other: shuffles, matrices, and copies from memory to memory.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

__device__ void product(const unsigned *a, const unsigned *b, float *d) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void load_matrices(unsigned *a, const half *row) {
    unsigned address = __cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(address));
}

// The last row of the tile is written where `rows` is 16.
__global__ void multiply(float *out, int rows) {
    __shared__ __align__(16) half tile[16][16];
    int lane = threadIdx.x;
    for (int i = lane; i < rows * 16; i += 32)
        tile[i / 16][i % 16] = __float2half(1);
    __syncthreads();
    unsigned a[4], b[2] = {0x3c003c00, 0x3c003c00};
    float d[4] = {};
    load_matrices(a, &tile[lane % 16][lane / 16 * 8]);
    product(a, b, d);
    for (int i = 0; i < 4; i++)
        out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
// finds: init undefined-store 33 18

__global__ void rotate(int *out, int n) {
    __shared__ int tile[32];
    if (threadIdx.x < n)
        tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    int value = tile[threadIdx.x];
    out[threadIdx.x] = __shfl_sync(~0u, value, threadIdx.x + 1 & 31) * 2;
}
// finds: init undefined-store 43 42

__global__ void copy(const int4 *in, int *out) {
    __shared__ int4 tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x].x + 1;
}
// finds: init undefined-store 53 49

int main() {
    float *out;
    int4 *in, *also;
    cudaMalloc(&out, 1024);
    cudaMalloc(&in, 512);
    cudaMalloc(&also, 512);
    multiply<<<1, 32>>>(out, 16);
    multiply<<<1, 32>>>(out, 15);
    rotate<<<1, 32>>>((int *)out, 32);
    rotate<<<1, 32>>>((int *)out, 31);
    cudaMemset(in, 0, 256);
    cudaMemcpy(also, in, 512, cudaMemcpyDeviceToDevice); // half of it is undefined there, too
    copy<<<1, 32>>>(also, (int *)out);
    cudaMemset(in, 0, 512);
    cudaMemcpy(also, in, 512, cudaMemcpyDefault);
    copy<<<1, 32>>>(also, (int *)out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    cudaFree(in);
    cudaFree(also);
}
