// A scan in place: each step reads what another thread writes in the same step.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int sums[128];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int n = 1; n < 128; n *= 2) {
        int left = threadIdx.x >= n ? sums[threadIdx.x - n] : 0;
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    out[threadIdx.x] = sums[threadIdx.x];
}
// finds: race read-write 10 9

__global__ void good(const int *in, int *out) {
    __shared__ int sums[128];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int n = 1; n < 128; n *= 2) {
        int left = threadIdx.x >= n ? sums[threadIdx.x - n] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    out[threadIdx.x] = sums[threadIdx.x];
}

int main() {
    launch(bad, 1, 128);
    launch(good, 1, 128);
}
