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

// Every other element, by lanes that are not side by side.
__global__ void every_other(const float *in, float *out, int filled) {
    __shared__ float tile[64];
    const int i = threadIdx.x;
    tile[2 * (i ^ 3)] = in[i];
    if (filled)
        tile[2 * i + 1] = in[i];
    __syncthreads();
    float sum = tile[2 * i];
    sum += tile[i];
    out[i] = sum;
}
// finds: init undefined-store 35 34

__global__ void quads(const float4 *in, float *out, int n) {
    __shared__ float4 tile[33];
    __shared__ float last[40];
    const int i = threadIdx.x;
    tile[i ^ 5] = in[i];
    if (i < n)
        last[i] = 1;
    __syncthreads();
    const float4 quad = tile[(i ^ 2) + (i == 31) * 3];
    out[i] = quad.x * quad.w;
    out[32 + i] = last[2] + last[n];
    out[64 + i] = i % 2 ? tile[i + 1].x : 0;
}
// finds: init undefined-store 48 47
// finds: init undefined-store 49 49
// finds: init undefined-store 50 50

__global__ void quads_filled(const float4 *in, float *out, int n) {
    __shared__ float4 tile[33];
    __shared__ float last[40];
    const int i = threadIdx.x;
    tile[i ^ 5] = in[i];
    if (i < n)
        last[i] = last[i + 1] = 1;
    if (i == 3)
        tile[32] = in[0];
    __syncthreads();
    const float4 quad = tile[(i ^ 2) + (i == 31) * 3];
    out[i] = quad.x * quad.w;
    out[32 + i] = last[2] + last[n];
    out[64 + i] = i % 2 ? tile[i + 1].x : 0;
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof(float));
    cudaMalloc(&out, 128 * sizeof(float));
    cudaMemset(in, 0, 128 * sizeof(float));
    blur<<<1, 32>>>(in, out, 32);
    blur_filled<<<1, 32>>>(in, out, 32);
    every_other<<<1, 32>>>(in, out, 0);
    every_other<<<1, 32>>>(in, out, 1);
    quads<<<1, 32>>>((float4 *)in, out, 20);
    quads_filled<<<1, 32>>>((float4 *)in, out, 20);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
