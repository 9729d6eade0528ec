// Masks of the _sync functions.
#include <cstdio>

__global__ void half_a_warp(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        __syncwarp();
        out[threadIdx.x] = tile[15 - threadIdx.x];
    }
    out[32 + threadIdx.x] = 1;
}
// finds: sync missing-lanes 8 11

__global__ void half_a_warp_named(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        __syncwarp(0xffff);
        out[threadIdx.x] = tile[15 - threadIdx.x];
    }
    out[32 + threadIdx.x] = 1;
}

__global__ void shuffle_in_branch(int *out, int n) {
    int value = threadIdx.x;
    if (threadIdx.x < n)
        value += __shfl_down_sync(0xffffffff, value, 1);
    out[threadIdx.x] = value;
}
// finds: sync missing-lanes 28 29

__global__ void shuffle_of_those(int *out, int n) {
    int value = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
    if (threadIdx.x < n)
        value += __shfl_down_sync(mask, value, 1);
    out[threadIdx.x] = value;
}

__global__ void different_masks(int *out) {
    unsigned mask = threadIdx.x < 8 ? 0xffffffff : 0xfffffff0;
    out[threadIdx.x] = __ballot_sync(mask | 1u << threadIdx.x, threadIdx.x & 1);
}
// finds: sync mask-mismatch 43

__global__ void one_mask(int *out) {
    out[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x & 1);
}

// Who has left need not come.
__global__ void early_return(int *out, int n) {
    if (threadIdx.x >= n)
        return;
    int sum = threadIdx.x;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    __syncwarp();
    out[threadIdx.x] = sum;
}

// notes: sync exited-in-mask 58

// The last warp has eight lanes.
__global__ void few_lanes(int *out) {
    out[threadIdx.x] = __ballot_sync(0xffffffff, 1);
    __syncwarp();
}

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    half_a_warp<<<1, 32>>>(out);
    half_a_warp_named<<<1, 32>>>(out);
    shuffle_in_branch<<<1, 32>>>(out, 8);
    shuffle_of_those<<<1, 32>>>(out, 8);
    different_masks<<<1, 32>>>(out);
    one_mask<<<1, 32>>>(out);
    early_return<<<1, 32>>>(out, 20);
    few_lanes<<<1, 40>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
