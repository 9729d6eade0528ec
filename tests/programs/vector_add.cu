// No shared memory at all, and global memory as it should be used.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(float *out, const float *a, const float *b, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

int main() {
    const int count = 10000, bytes = count * sizeof(float);
    float *a, *b, *out;
    if (cudaMallocManaged(&a, bytes) != cudaSuccess ||
        cudaMallocManaged(&b, bytes) != cudaSuccess ||
        cudaMallocManaged(&out, bytes) != cudaSuccess)
        return 1;
    for (int i = 0; i < count; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    add<<<(count + 255) / 256, 256>>>(out, a, b, count);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += out[i] != 3.0f * i;
    printf("vector add: %s\n", wrong ? "FAIL" : "PASS");
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    return wrong ? 1 : 0;
}
