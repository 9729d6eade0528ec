// What nobody wrote passes through shared memory: the finding names where it came from, not the
// array that was written with it.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void twice(const float *in, float *out) {
    __shared__ float staged[32];
    int i = threadIdx.x;
    staged[i] = 2 * in[i];
    __syncthreads();
    float mine = staged[31 - i];
    out[i] = mine + 1;
}
// finds: init undefined-store 12 9

__global__ void by_async_copy(const float *in, float *out) {
    __shared__ float tile[32];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], in + i, sizeof *tile);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float mine = tile[31 - i];
    out[i] = mine + 1;
}
// finds: init undefined-store 24 19

// Behind a value that was defined again stands the array's own word.
__global__ void half_written(const float *in, float *out) {
    __shared__ float tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    tile[i] = i;
    __syncthreads();
    float there = tile[i + 1];
    out[i] = there + 1;
}
// finds: init undefined-store 37 36

int main() {
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof *in);
    cudaMalloc(&out, 32 * sizeof *out);
    twice<<<1, 32>>>(in, out);
    by_async_copy<<<1, 32>>>(in, out);
    half_written<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
