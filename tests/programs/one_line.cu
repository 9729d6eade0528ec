// Several accesses of one source line: those that conflict and those that do not are told apart,
// also where the compiler names one column for all of them.
#include <cstdio>

__global__ void sums(float *out) {
    __shared__ float tile[32][32], other[32][33];
    int x = threadIdx.x;
    for (int i = 0; i < 32; i++) {
        tile[i][x] = i + x;
        other[i][x] = i - x;
    }
    __syncthreads();
    out[x] = tile[x][0] + tile[0][x] + other[x][0];
#pragma unroll
    for (int i = 0; i < 8; i++)
        out[x + 32 * i] += tile[x][i] * tile[i][x];
}

int main() {
    float *out, host[32];
    cudaMalloc(&out, 32 * 8 * sizeof *out);
    cudaMemset(out, 0, 32 * 8 * sizeof *out);
    sums<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[31]);
}
