// Launches over a limit: the codes are those of the CUDA 13 runtime.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void plain(int *p) {
    if (p)
        *p = 1;
}
__global__ void __launch_bounds__(64) bounded(int *p) {
    if (p)
        *p = 1;
}
__global__ void fixed_shared(int *p) {
    __shared__ int s[10240];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (p)
        *p = s[0];
}
__global__ void dynamic_shared(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (p)
        *p = s[0];
}

typedef void (*kernel)(int *);

static void launch(const char *what, kernel function, dim3 grid, dim3 block, size_t shared) {
    function<<<grid, block, shared>>>(NULL);
    cudaError_t error = cudaGetLastError(), after = cudaDeviceSynchronize();
    printf("%-32s %s, then %s\n", what, cudaGetErrorName(error), cudaGetErrorName(after));
}

static void set(const char *what, kernel function, int bytes) {
    cudaError_t error = cudaFuncSetAttribute((const void *)function,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaGetLastError();
    printf("%-32s %s\n", what, cudaGetErrorName(error));
}

int main() {
    launch("one thread", plain, 1, 1, 0);
    launch("1024 threads", plain, 1, 1024, 0);
    launch("1025 threads", plain, 1, 1025, 0);
    launch("1 x 1 x 64", plain, 1, dim3(1, 1, 64), 0);
    launch("1 x 1 x 65", plain, 1, dim3(1, 1, 65), 0);
    launch("32 x 32 x 2", plain, 1, dim3(32, 32, 2), 0);
    launch("no thread", plain, 1, 0, 0);
    launch("no block", plain, 0, 1, 0);
    launch("65535 blocks in y", plain, dim3(1, 65535), 1, 0);
    launch("65536 blocks in y", plain, dim3(1, 65536), 1, 0);
    launch("65536 blocks in z", plain, dim3(1, 1, 65536), 1, 0);
    launch("2^31 blocks in x", plain, dim3(0x80000000u), 1, 0);
    launch("64 threads, bound 64", bounded, 1, 64, 0);
    launch("65 threads, bound 64", bounded, 1, 65, 0);
    launch("48 KB", dynamic_shared, 1, 32, 49152);
    launch("48 KB and a byte", dynamic_shared, 1, 32, 49153);
    launch("40 KB fixed + 8 KB", fixed_shared, 1, 32, 8192);
    launch("40 KB fixed + 8 KB and a byte", fixed_shared, 1, 32, 8193);
    set("opt in to 227 KB", dynamic_shared, 227 * 1024);
    launch("227 KB", dynamic_shared, 1, 32, 227 * 1024);
    launch("227 KB and a byte", dynamic_shared, 1, 32, 227 * 1024 + 1);
    set("opt in to more", dynamic_shared, 227 * 1024 + 1);
    set("opt in to less than nothing", dynamic_shared, -1);
    set("opt in to 100 KB", dynamic_shared, 100 * 1024);
    launch("101 KB", dynamic_shared, 1, 32, 101 * 1024);
    set("40 KB fixed, opt in to 187 KB", fixed_shared, 187 * 1024);
    set("40 KB fixed, opt in to 188 KB", fixed_shared, 188 * 1024);
}
