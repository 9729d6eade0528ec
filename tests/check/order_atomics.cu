// Sums of floats by atomics depend on the order in which these come; sums of integers, and of floats
// that need no rounding, do not. Which places an atomic counter hands out does.
// bankrun: --check sync --schedule 3:8
// finds: schedule order-dependent 17 17
// notes: schedule order-of-sums 12 12
#include <cstdio>

__device__ float total, exact;
__device__ int hits, most, places, order[256];

__global__ void sums() {
    atomicAdd(&total, 1.0f / (1 + threadIdx.x + blockIdx.x * blockDim.x));
}

__global__ void hand_out() {
    const int at = atomicAdd(&places, 1);
    order[at] = threadIdx.x + blockIdx.x * blockDim.x;
}

__global__ void same_in_any_order() {
    atomicAdd(&exact, 1.0f);
    atomicAdd(&hits, 1);
    atomicMax(&most, threadIdx.x + blockIdx.x * blockDim.x);
}

int main() {
    sums<<<4, 64>>>();
    hand_out<<<4, 64>>>();
    same_in_any_order<<<4, 64>>>();
    cudaDeviceSynchronize();
}
