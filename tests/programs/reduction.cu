// Tree reductions of ints in shared memory, 256 threads a block. Interleaved addressing spreads
// the active lanes over ever wider strides (105 excess wavefronts a block); sequential addressing
// keeps them side by side (none).
//     reduction [ELEMENTS]
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__global__ void reduce_interleaved(const int *in, int *out) {
    __shared__ int sums[THREADS];
    unsigned tid = threadIdx.x;
    sums[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * tid;
        if (index < blockDim.x)
            sums[index] += sums[index + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void reduce_sequential(const int *in, int *out) {
    __shared__ int sums[THREADS];
    unsigned tid = threadIdx.x;
    sums[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            sums[tid] += sums[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sums[0];
}

static bool check(const char *name, void (*kernel)(const int *, int *), const int *in, int blocks,
                  int expected) {
    int *out;
    cudaMallocManaged(&out, blocks * sizeof(int));
    kernel<<<blocks, THREADS>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    int sum = 0;
    for (int i = 0; i < blocks; i++)
        sum += out[i];
    printf("%s: sum %d, %s\n", name, sum, sum == expected ? "PASS" : "FAIL");
    cudaFree(out);
    return sum == expected;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1024, expected = 0;
    if (count <= 0 || count % THREADS != 0) {
        fprintf(stderr, "reduction: the number of elements must be a multiple of %d\n", THREADS);
        return 2;
    }
    int *in;
    if (cudaMallocManaged(&in, count * sizeof(int)) != cudaSuccess)
        return 1;
    for (int i = 0; i < count; i++) {
        in[i] = i * 7 % 1001 - 500;
        expected += in[i];
    }
    int blocks = count / THREADS;
    bool passed = check("interleaved", reduce_interleaved, in, blocks, expected);
    passed &= check("sequential", reduce_sequential, in, blocks, expected);
    cudaFree(in);
    return passed ? 0 : 1;
}
