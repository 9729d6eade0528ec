// The barrier of a tree of sums stands in front of the loop in place of inside.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int sums[256];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int n = 128; n > 0; n /= 2)
        if (threadIdx.x < n)
            sums[threadIdx.x] += sums[threadIdx.x + n];
    if (threadIdx.x == 0)
        *out = sums[0];
}
// finds: race read-write 10 10

__global__ void good(const int *in, int *out) {
    __shared__ int sums[256];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int n = 128; n > 0; n /= 2) {
        if (threadIdx.x < n)
            sums[threadIdx.x] += sums[threadIdx.x + n];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = sums[0];
}

int main() {
    launch(bad, 1, 256);
    launch(good, 1, 256);
}
