// The CUDA host: KERNEL N [LAUNCHES] runs one kernel on N words (or N x N), so often, and prints a
// checksum.
#define KERNEL(name) __global__ void name
#define GLOBAL
#define LOCAL __shared__
#define THREAD ((int)threadIdx.x)
#define BLOCK ((int)blockIdx.x)
#define SYNC __syncthreads()
#define ADD(at, value) atomicAdd(at, value)
#include "kernels.h"

#include "host.h"

typedef void (*kernel)(const float *, const float *, float *, int);

int main(int argc, char **argv) {
    static const kernel kernels[BENCHES] = {matmul,  blocked, transpose,  reduction, bitonic, histogram,
                                            stencil, scan,    mandelbrot, mixing,    nbody};
    if (argc != 3 && argc != 4)
        return 2;
    int which = find_bench(argv[1]), n = atoi(argv[2]), launches = argc > 3 ? atoi(argv[3]) : 1;
    size_t words = words_of(which, n), bytes = words * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *b, *out;
    fill(host, words);
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes);
    cudaMalloc((void **)&out, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, bytes);
    for (int i = 0; i < launches; i++)
        kernels[which]<<<(unsigned)(words / benches[which].per_block), benches[which].threads>>>(a, b, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost);
    print_sum(host, words);
    free(host);
    return 0;
}
