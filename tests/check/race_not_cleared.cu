// Atomics begin before all bins are cleared.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int bins[64];
    bins[threadIdx.x] = 0;
    atomicAdd(&bins[in[threadIdx.x] / 2], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}
// finds: race write-write 6 7

__global__ void good(const int *in, int *out) {
    __shared__ int bins[64];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] / 2], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
    launch(bad, 1, 64);
    launch(good, 1, 64);
}
