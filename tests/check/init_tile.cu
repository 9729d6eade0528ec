// A tile whose edge nobody fills, and one that is filled.
#include <cstdio>

__global__ void blur(const float *in, float *out, int n) {
    __shared__ float tile[34];
    int i = threadIdx.x;
    tile[i + 1] = in[i];
    __syncthreads();
    float sum = tile[i] + tile[i + 1] + tile[i + 2];
    out[i] = sum;
}
// finds: init undefined-store 10 9

__global__ void blur_filled(const float *in, float *out, int n) {
    __shared__ float tile[34];
    int i = threadIdx.x;
    tile[i + 1] = in[i];
    if (i < 2)
        tile[i * 33] = 0;
    __syncthreads();
    float sum = tile[i] + tile[i + 1] + tile[i + 2];
    out[i] = sum;
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(in, 0, 32 * sizeof(float));
    blur<<<1, 32>>>(in, out, 32);
    blur_filled<<<1, 32>>>(in, out, 32);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
