// Tiles of 16 by 16 threads, so that a warp has two rows of each access: loaded by rows, stored by
// rows and by columns in one piece of straight code, and where what was loaded says which rows.
#include <cstdio>

enum { SIDE = 16, N = 64, STEPS = 4 };

__global__ void tiles(const float *a, const int *rows, float *out) {
    __shared__ float by_rows[STEPS * SIDE][SIDE], by_columns[SIDE][STEPS * SIDE];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const int left = blockIdx.x % (N / SIDE) * SIDE, top = blockIdx.x / (N / SIDE) * SIDE;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        by_rows[s * SIDE + y][x] = a[(s * SIDE + y) * N + left + x];
        by_columns[x][s * SIDE + y] = a[(top + y) * N + s * SIDE + x];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < STEPS * SIDE; k++)
        sum += by_rows[k][x] * by_columns[k % SIDE][k / SIDE * SIDE + y];
    __syncthreads();
    const int row = rows[top + y];
    by_columns[y][x] = a[row * N + left + x] + a[row * N + top + x];
    __syncthreads();
    out[(top + y) * N + left + x] = sum + by_columns[x][y];
}

int main() {
    static float a[N * N], out[N * N];
    static int rows[N];
    for (int i = 0; i < N * N; i++)
        a[i] = (float)(i % 37 - 18) / 8;
    for (int i = 0; i < N; i++)
        rows[i] = i * 29 % N;
    float *from, *to;
    int *which;
    cudaMalloc(&from, sizeof a);
    cudaMalloc(&to, sizeof out);
    cudaMalloc(&which, sizeof rows);
    cudaMemcpy(from, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(which, rows, sizeof rows, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < 3; launch++)
        tiles<<<N / SIDE * (N / SIDE), SIDE * SIDE>>>(from, which, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < N * N; i++)
        sum += out[i] * (i % 11 + 1);
    printf("%.3f\n", sum);
    return cudaDeviceSynchronize();
}
