// Two buffers in turns need one barrier a round; one buffer needs two.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int tile[64];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[threadIdx.x] = in[round * 64 + threadIdx.x];
        __syncthreads();
        sum += tile[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
// finds: race read-write 8 10

__global__ void good(const int *in, int *out) {
    __shared__ int tile[2][64];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[round % 2][threadIdx.x] = in[round * 64 + threadIdx.x];
        __syncthreads();
        sum += tile[round % 2][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

int main() {
    launch(bad, 1, 64);
    launch(good, 1, 64);
}
