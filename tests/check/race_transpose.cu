// A tile is read across before all of it is written.
#include "race.cuh"

__global__ void bad(const int *in, int *out) {
    __shared__ int tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// finds: race read-write 6 7

__global__ void good(const int *in, int *out) {
    __shared__ int tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    launch(bad, 1, dim3(16, 16));
    launch(good, 1, dim3(16, 16));
}
