// Barriers that not all threads of a block meet in one place, and kernels that do it right.
#include <cstdio>

__global__ void two_branches(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) {
        __syncthreads();
        out[threadIdx.x] = tile[63 - threadIdx.x];
    } else {
        __syncthreads();
        out[threadIdx.x] = -tile[63 - threadIdx.x];
    }
}
// finds: sync divergent-barrier 8 11

__global__ void one_branch(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int sum = tile[63 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = threadIdx.x < 32 ? sum : -sum;
}

// Threads go round as often as they have work.
__global__ void own_rounds(int *out, int n) {
    __shared__ int sums[64];
    sums[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sums[threadIdx.x] += i;
        __syncthreads();
    }
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x];
    __syncthreads();
}
// finds: sync divergent-barrier 32 34
// finds: sync divergent-barrier 34 36
// notes: sync exited-before-barrier 36 37

__global__ void common_rounds(int *out, int n) {
    __shared__ int sums[64];
    sums[threadIdx.x] = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        if (first + threadIdx.x < n)
            sums[threadIdx.x] += first + threadIdx.x;
        __syncthreads();
    }
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x];
    __syncthreads();
}

// The same function, called from two places.
__device__ __forceinline__ int neighbour(const int *tile) {
    __syncthreads();
    return tile[(threadIdx.x + 1) % 64];
}

__global__ void inlined_twice(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    int value;
    if (threadIdx.x % 2)
        value = 2 * neighbour(tile);
    else
        value = 3 + neighbour(tile) * out[threadIdx.x];
    out[threadIdx.x] = value;
}
// finds: sync divergent-barrier 68 66

__global__ void inlined_once(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    int value = neighbour(tile);
    out[threadIdx.x] = threadIdx.x % 2 ? 2 * value : 3 + value * out[threadIdx.x];
}

// Warps of one block meet at barrier.sync from where they are.
__global__ void not_aligned(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) {
        asm volatile("barrier.sync 0;" ::: "memory");
        out[threadIdx.x] = tile[63 - threadIdx.x];
    } else {
        asm volatile("barrier.sync 0;" ::: "memory");
        out[threadIdx.x] = -tile[63 - threadIdx.x];
    }
}

// A whole block goes one way.
__global__ void block_wide(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (blockIdx.x == 0)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x + blockIdx.x * 64] = tile[63 - threadIdx.x];
}

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemset(out, 0, 128 * sizeof(int));
    two_branches<<<1, 64>>>(out);
    one_branch<<<1, 64>>>(out);
    own_rounds<<<1, 64>>>(out, 96);
    common_rounds<<<1, 64>>>(out, 96);
    inlined_twice<<<1, 64>>>(out);
    inlined_once<<<1, 64>>>(out);
    not_aligned<<<1, 64>>>(out);
    block_wide<<<2, 64>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
