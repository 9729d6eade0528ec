// Several warps count in one array. The first four count with ++, each of its own lanes' bins.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] % 32]++;
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}
// finds: race read-write 9 9
// finds: race write-write 9 9

__global__ void good(const int *in, int *out) {
    __shared__ int bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 32], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
    launch(bad, 1, 128);
    launch(good, 1, 128);
}
