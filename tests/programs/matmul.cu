// Tiled matrix products of N x N floats, N a multiple of 32. `plain` keeps both tiles as they lie
// in memory and has no conflict. `transposed` takes B by columns and stores its tile transposed:
// each store writes a column of the tile, 31 excess wavefronts, (N / 32)^3 * 32 of them.
//     matmul [N]
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int TILE = 32;

__global__ void plain(float *c, const float *a, const float *b, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        tile_a[y][x] = a[row * n + k0 + x];
        tile_b[y][x] = b[(k0 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// b_by_columns[column * n + row] is B[row][column].
__global__ void transposed(float *c, const float *a, const float *b_by_columns, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        tile_a[y][x] = a[row * n + k0 + x];
        tile_b[x][y] = b_by_columns[(blockIdx.x * TILE + y) * n + k0 + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

typedef void (*Kernel)(float *, const float *, const float *, int);

// Small whole numbers: every sum is exact in a float.
static int a_at(int row, int k) {
    return (row * 5 + k * 3) % 7 - 3;
}

static int b_at(int k, int column) {
    return (k * 2 + column * 11) % 5 - 2;
}

// A's rows repeat every 7, B's columns every 5: 35 products are all there are.
static int wrong_elements(const float *c, int n) {
    static int products[7][5];
    for (int row = 0; row < 7; row++) {
        for (int column = 0; column < 5; column++) {
            products[row][column] = 0;
            for (int k = 0; k < n; k++)
                products[row][column] += a_at(row, k) * b_at(k, column);
        }
    }
    int wrong = 0;
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++)
            wrong += c[row * n + column] != float(products[row % 7][column % 5]);
    }
    return wrong;
}

static bool check(const char *name, Kernel kernel, float *c, const float *a, const float *b,
                  int n) {
    cudaMemset(c, 0xff, sizeof(float) * n * n);
    kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(c, a, b, n);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    int wrong = wrong_elements(c, n);
    printf("%s: %s\n", name, wrong ? "FAIL" : "PASS");
    return wrong == 0;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 96;
    if (n <= 0 || n % TILE != 0 || n > 8192) {
        fprintf(stderr, "matmul: N must be a multiple of %d, at most 8192\n", TILE);
        return 2;
    }
    float *a, *b, *b_by_columns, *c;
    size_t bytes = sizeof(float) * n * n;
    if (cudaMallocManaged(&a, bytes) != cudaSuccess ||
        cudaMallocManaged(&b, bytes) != cudaSuccess ||
        cudaMallocManaged(&b_by_columns, bytes) != cudaSuccess ||
        cudaMallocManaged(&c, bytes) != cudaSuccess)
        return 1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            a[i * n + k] = a_at(i, k);
            b[i * n + k] = b_at(i, k);
            b_by_columns[i * n + k] = b_at(k, i);
        }
    }
    bool passed = check("plain", plain, c, a, b, n);
    passed &= check("transposed", transposed, c, a, b_by_columns, n);
    cudaFree(a);
    cudaFree(b);
    cudaFree(b_by_columns);
    cudaFree(c);
    return passed ? 0 : 1;
}
