// Barriers with a number of threads.
#include <cstdio>

__device__ void wait_named(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__global__ void two_counts(int *out) {
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    else
        asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}
// finds: sync barrier-count 10 12

__global__ void one_count(int *out) {
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    else
        asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = 1;
}

// A warp that arrives again before the others have come.
__global__ void arrives_again(int *out) {
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 2, 96;" ::: "memory");
        asm volatile("bar.arrive 2, 96;" ::: "memory");
    } else {
        wait_named(2, 96);
        out[threadIdx.x] = 1;
    }
}
// finds: sync arrives-twice 29

__global__ void arrives_once(int *out) {
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 2, 96;" ::: "memory");
        asm volatile("bar.arrive 3, 96;" ::: "memory");
    } else {
        wait_named(2, 96);
        wait_named(3, 96);
        out[threadIdx.x] = 1;
    }
}

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    two_counts<<<1, 96>>>(out);
    one_count<<<1, 96>>>(out);
    arrives_again<<<1, 96>>>(out);
    arrives_once<<<1, 96>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
