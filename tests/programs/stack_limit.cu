// The stack of a thread: what cudaDeviceSetLimit makes of a wish, recursion that a larger limit
// lets go deeper, and one that is too deep.
// stderr: stack_limit\.cu:\d+: stack overflow: calls are \d+ deep
#include <cstdio>
#include <cuda_runtime.h>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = call;                                                                  \
        cudaGetLastError();                                                                        \
        printf("  %-52s %s\n", #call, cudaGetErrorName(error));                                    \
    } while (0)

__device__ __noinline__ int deep(int n) {
    volatile int words[128];
    for (int i = 0; i < 128; i++)
        words[i] = n + i;
    if (n == 0)
        return words[7];
    return deep(n - 1) + words[n % 128];
}
__global__ void recurse(int n, int *out) {
    *out = deep(n);
}

static void limit(cudaLimit which, size_t wish) {
    size_t given = 0;
    cudaError_t error = cudaDeviceSetLimit(which, wish);
    cudaDeviceGetLimit(&given, which);
    printf("  wish %zu: %s, %zu\n", wish, cudaGetErrorName(error), given);
    cudaGetLastError();
}

int main() {
    int *out, host = 0;
    printf("wishes\n");
    limit(cudaLimitStackSize, 0);
    limit(cudaLimitStackSize, 1000);
    limit(cudaLimitStackSize, 524288);
    limit(cudaLimitStackSize, 523264);
    limit(cudaLimitPrintfFifoSize, 1000);
    limit(cudaLimitPrintfFifoSize, 5 << 20);
    limit(cudaLimitMallocHeapSize, 0);
    limit(cudaLimitMallocHeapSize, 5 << 20);
    printf("recursion\n");
    SHOW(cudaDeviceSetLimit(cudaLimitStackSize, 128 << 10));
    cudaMalloc(&out, sizeof *out);
    recurse<<<1, 32>>>(150, out);
    SHOW(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("  %d\n", host);
    SHOW(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    recurse<<<1, 32>>>(400, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("  too deep: %d\n", error != cudaSuccess); // which error it is depends on where it hits
    return 0;
}
