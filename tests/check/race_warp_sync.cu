// The last steps of a sum, by one warp: its lanes are in step by no rule. The old way, volatile and
// without a barrier, is left alone.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int sums[64];
    sums[threadIdx.x] = in[threadIdx.x];
    sums[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncwarp();
    for (int n = 32; n > 0; n /= 2)
        if (threadIdx.x < n)
            sums[threadIdx.x] += sums[threadIdx.x + n];
    if (threadIdx.x == 0)
        *out = sums[0];
}
// finds: race read-write 12 12

__global__ void good(const int *in, int *out) {
    __shared__ int sums[64];
    sums[threadIdx.x] = in[threadIdx.x];
    sums[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncwarp();
    for (int n = 32; n > 0; n /= 2) {
        if (threadIdx.x < n)
            sums[threadIdx.x] += sums[threadIdx.x + n];
        __syncwarp();
    }
    if (threadIdx.x == 0)
        *out = sums[0];
}

__global__ void old(const int *in, int *out) {
    __shared__ int sums[64];
    sums[threadIdx.x] = in[threadIdx.x];
    sums[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncthreads();
    volatile int *s = sums;
    for (int n = 32; n > 0; n /= 2)
        if (threadIdx.x < n)
            s[threadIdx.x] += s[threadIdx.x + n];
    if (threadIdx.x == 0)
        *out = s[0];
}

int main() {
    launch(bad, 1, 32);
    launch(good, 1, 32);
    launch(old, 1, 32);
}
