// Unrolled by hand: of lines that do the same the report says it once. Lines 13, 14 and 22 do not.
#include <cstdio>

__global__ void unrolled(float *out) {
    __shared__ float s[2048];
    volatile float *v = s;
    const int t = threadIdx.x * 2;
    v[t] = t;
    v[t + 64] = t;
    v[t + 128] = t;
    v[t + 256] = t;
    v[t + 320] = t;
    v[t * 2 + 512] = t;
    v[t + 1024] = t + 1, v[t + 1088] = t;
    __syncthreads();
    v[threadIdx.x] = 1;
    v[threadIdx.x + 32] = 1;
    v[threadIdx.x + 64] = 1;
    __syncthreads();
    out[threadIdx.x * 8] = s[threadIdx.x];
    out[threadIdx.x * 8 + 1] = s[threadIdx.x + 33];
    out[threadIdx.x * 16 + 2] = s[threadIdx.x + 67];
}

int main() {
    float *out, first = 0;
    cudaMalloc(&out, 4096 * sizeof *out);
    unrolled<<<100, 32>>>(out);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%g\n", first);
    return cudaFree(out) != cudaSuccess;
}
