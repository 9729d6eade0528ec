// What several threads write is a race, unless all write the same.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int found;
    if (in[threadIdx.x] % 5 == 0)
        found = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = found;
}
// finds: race write-write 7 7

__global__ void good(const int *in, int *out) {
    __shared__ int found;
    if (in[threadIdx.x] % 5 == 0)
        found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}

int main() {
    launch(bad, 1, 96);
    launch(good, 1, 96);
}
