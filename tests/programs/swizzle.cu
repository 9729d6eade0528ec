// A 16 x 32 tile transposed with the textbook swizzle x ^ y. It suits a square tile. Here a warp
// reads two columns of 16 rows, and x ^ y for 16 rows stays among 16 banks: still two-way.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int ROWS = 16, COLUMNS = 32;

__global__ void transpose_swizzled(int *out, const int *in) {
    __shared__ int tile[ROWS][COLUMNS];
    int x = threadIdx.x % COLUMNS, y = threadIdx.x / COLUMNS;
    tile[y][x ^ y] = in[y * COLUMNS + x];
    __syncthreads();
    x = threadIdx.x / ROWS, y = threadIdx.x % ROWS;
    out[x * ROWS + y] = tile[y][x ^ y];
}

int main() {
    const int count = ROWS * COLUMNS;
    int *in, *out, wrong = 0;
    if (cudaMallocManaged(&in, count * sizeof(int)) != cudaSuccess ||
        cudaMallocManaged(&out, count * sizeof(int)) != cudaSuccess)
        return 1;
    for (int i = 0; i < count; i++)
        in[i] = i;
    transpose_swizzled<<<1, count>>>(out, in);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int x = 0; x < COLUMNS; x++) {
        for (int y = 0; y < ROWS; y++)
            wrong += out[x * ROWS + y] != y * COLUMNS + x;
    }
    printf("swizzled transpose of 16 x 32: %s\n", wrong ? "FAIL" : "PASS");
    cudaFree(in);
    cudaFree(out);
    return wrong ? 1 : 0;
}
