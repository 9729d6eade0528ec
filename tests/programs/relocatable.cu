// Relocatable device code: the runtime links what the device linker would have.
// bankrun: --nvcc-flag -rdc=true
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int later;
__device__ int twice(int x);

__global__ void work(int *p) {
    p[threadIdx.x] = twice(p[threadIdx.x]) + later;
    if (threadIdx.x == 0)
        printf("from the device: %d\n", later);
}

__device__ int later = 3;
__device__ __noinline__ int twice(int x) {
    return 2 * x;
}

int main() {
    int *p, host[4] = {1, 2, 3, 4};
    cudaMalloc(&p, sizeof host);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    work<<<1, 4>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    cudaFree(p);
}
