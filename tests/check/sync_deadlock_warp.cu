// Lanes that wait for each other at two places.
#include <cstdio>

__global__ void together(int *out) {
    int value = __shfl_sync(0xffffffff, threadIdx.x, 3);
    out[threadIdx.x] = threadIdx.x < 16 ? value : -value;
}

__global__ void apart(int *out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 3);
    else
        out[threadIdx.x] = -__any_sync(0xffffffff, threadIdx.x == 3);
}
// status: 4
// finds: sync missing-lanes 11 13

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    together<<<1, 32>>>(out);
    apart<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
