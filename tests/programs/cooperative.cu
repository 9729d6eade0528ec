// A grid that synchronises: every block sees what all others wrote before the barrier.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void rotate(int *from, int *to, int count, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        for (int i = (int)grid.thread_rank(); i < count; i += (int)grid.size())
            to[i] = from[(i + 1) % count];
        grid.sync();
        int *other = from;
        from = to;
        to = other;
    }
}

__global__ void fill(int *p, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        p[i] = i;
}

int main() {
    int count = 5000, rounds = 7, device = 0, per_processor = 0, processors = 0, supported = 0;
    int *a, *b;
    cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, rotate, 128, 0);
    printf("supported %d, %d blocks of 128 on a multiprocessor\n", supported, per_processor);
    cudaMalloc(&a, count * sizeof(int));
    cudaMalloc(&b, count * sizeof(int));
    fill<<<4, 128>>>(a, count);
    void *arguments[] = {&a, &b, &count, &rounds};
    cudaError_t error = cudaLaunchCooperativeKernel((const void *)rotate, 16, 128, arguments, 0, 0);
    printf("launch %s\n", cudaGetErrorName(error));
    printf("run %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    static int host[5000];
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost); // an odd number of rounds
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += host[i] != (i + rounds) % count;
    printf("rotation %s\n", wrong ? "FAIL" : "PASS");
    error = cudaLaunchCooperativeKernel((const void *)rotate, processors * per_processor + 1, 128,
                                        arguments, 0, 0);
    printf("one block too many %s\n", cudaGetErrorName(error));
    cudaFree(a);
    cudaFree(b);
    return wrong != 0;
}
