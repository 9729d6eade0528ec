// Tiles of a product of matrices: the barrier behind the products is missing.
#include "race.cuh"

enum { SIZE = 32, TILE = 8 };

__device__ void multiply(const int *in, int *out, bool waits) {
    __shared__ int a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    int sum = 0;
    for (int k = 0; k < SIZE; k += TILE) {
        a[y][x] = in[y * SIZE + k + x];
        b[y][x] = in[(k + y) * SIZE + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[y][i] * b[i][x];
        if (waits)
            __syncthreads();
    }
    out[y * SIZE + x] = sum;
}
// finds: race read-write 11 15
// finds: race read-write 12 15

__global__ void good(const int *in, int *out) {
    multiply(in, out, true);
}

__global__ void bad(const int *in, int *out) {
    multiply(in, out, false);
}

int main() {
    launch(good, 1, dim3(TILE, TILE));
    launch(bad, 1, dim3(TILE, TILE));
}
