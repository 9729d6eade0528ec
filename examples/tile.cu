#include <cstdio>
#include <vector>

__global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int n = 1024;
    std::vector<float> host(n * n);
    for (int i = 0; i < n * n; i++)
        host[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof *in);
    cudaMalloc(&out, n * n * sizeof *out);
    cudaMemcpy(in, host.data(), n * n * sizeof *in, cudaMemcpyHostToDevice);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
    cudaMemcpy(host.data(), out, n * n * sizeof *out, cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", host[1], host[n]);
    cudaFree(in);
    cudaFree(out);
}
