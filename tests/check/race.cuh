// What the programs that race have in common.
#include <cstdio>
#include <cuda_runtime.h>

// Runs a kernel on 4096 integers, which are their numbers, and 4096 others.
static void launch(void (*kernel)(const int *, int *), dim3 grid, dim3 block) {
    static int numbers[4096];
    int *in, *out;
    for (int i = 0; i < 4096; i++)
        numbers[i] = i;
    cudaMalloc(&in, sizeof numbers);
    cudaMalloc(&out, sizeof numbers);
    cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof numbers);
    kernel<<<grid, block>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        printf("%s\n", cudaGetErrorString(error));
    cudaFree(in);
    cudaFree(out);
}
