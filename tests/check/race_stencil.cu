// The halo of a stencil is loaded by other threads than those that read it.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int row[130];
    const int i = threadIdx.x + 1;
    row[i] = in[i];
    if (threadIdx.x == 0) {
        row[0] = in[0];
        row[129] = in[129];
    }
    __syncwarp();
    out[i] = row[i - 1] + row[i] + row[i + 1];
}
// finds: race read-write 7 13
// finds: race read-write 10 13

__global__ void good(const int *in, int *out) {
    __shared__ int row[130];
    const int i = threadIdx.x + 1;
    row[i] = in[i];
    if (threadIdx.x == 0) {
        row[0] = in[0];
        row[129] = in[129];
    }
    __syncthreads();
    out[i] = row[i - 1] + row[i] + row[i + 1];
}

int main() {
    launch(bad, 1, 128);
    launch(good, 1, 128);
}
