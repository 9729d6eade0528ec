// The functions of libcudadevrt that synchronise a grid, called by name as Python compilers do:
// every block sees what all others wrote, beside a barrier of the header's on the same workspace;
// and who has no handle of a grid ends in a fault.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void reverse(int *from, int *to, int rounds, unsigned long long *handles) {
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int threads = 1024, i = block * 128 + thread;
    if (i == 0) {
        handles[0] = grid;
        handles[1] = cudaCGGetIntrinsicHandle(cudaCGScopeInvalid);
    }
    int errors = 0;
    for (int round = 0; round < rounds; round++) {
        to[i] = from[threads - 1 - i] + errors;
        errors += cudaCGSynchronize(grid, 0);
        from[i] = to[i] + 1 + errors;
        if (round % 2)
            cooperative_groups::this_grid().sync();
        else
            errors += cudaCGSynchronizeGrid(grid, 0);
    }
}

__global__ void wait_for_nobody(int *error) {
    *error = cudaCGSynchronize(cudaCGGetIntrinsicHandle(cudaCGScopeInvalid), 0);
}

int main() {
    int *a, *b, rounds = 5, wrong = 0;
    unsigned long long *handles;
    cudaMallocManaged(&a, 1024 * sizeof *a);
    cudaMallocManaged(&b, 1024 * sizeof *b);
    cudaMallocManaged(&handles, 2 * sizeof *handles);
    for (int i = 0; i < 1024; i++)
        a[i] = i;
    void *arguments[] = {&a, &b, &rounds, &handles};
    const void *kernel = (const void *)reverse;
    printf("launch %s", cudaGetErrorName(cudaLaunchCooperativeKernel(
                            kernel, dim3(2, 2, 2), dim3(32, 2, 2), arguments, 0, 0)));
    printf(", run %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 1024; i++)
        wrong += a[i] != 1023 - i + rounds;
    printf("%d of 1024 are wrong; the grid has a handle: %d, no scope has none: %d\n", wrong,
           handles[0] != 0, handles[1] == 0);
    wait_for_nobody<<<1, 32>>>(a);
    printf("without a grid: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return wrong;
}
