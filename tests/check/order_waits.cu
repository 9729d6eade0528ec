// Kernels whose threads wait for each other end in every order, with the same result: a lock that
// lanes take, a chain of blocks, the last block's reduction, a grid that waits as a whole, a cluster.
// bankrun: --check sync --schedule 0:16
// finds: nothing
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int lock, guarded, flags[16], chain, parts[16], done, sum;

__global__ void locked() {
    for (bool waits = true; waits;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            guarded = *(volatile int *)&guarded + 1;
            __threadfence();
            atomicExch(&lock, 0);
            waits = false;
        }
    }
}

__global__ void one_after_the_other() {
    if (threadIdx.x)
        return;
    while (blockIdx.x && !*(volatile int *)&flags[blockIdx.x - 1])
        continue;
    __threadfence();
    chain = chain * 3 + blockIdx.x;
    __threadfence();
    *(volatile int *)&flags[blockIdx.x] = 1;
}

__global__ void last_block_adds() {
    __shared__ int tile[64];
    __shared__ bool is_last;
    tile[threadIdx.x] = threadIdx.x * blockIdx.x;
    for (int width = 32; width; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width)
            tile[threadIdx.x] += tile[threadIdx.x + width];
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = tile[0];
        __threadfence();
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        int all = 0;
        for (int i = 0; i < gridDim.x; i++)
            all += *(volatile int *)&parts[i];
        sum = all;
    }
}

__global__ void whole_grid(int *data) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
    for (int round = 0; round < 3; round++) {
        const int other = data[(at + 40) % count];
        cg::this_grid().sync();
        data[at] += other;
        cg::this_grid().sync();
    }
}

__global__ void __cluster_dims__(4) in_cluster(int *out) {
    __shared__ int cell;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        cell = blockIdx.x;
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        *cluster.map_shared_rank(&cell, (cluster.block_rank() + 1) % 4);
    cluster.sync();
}

int main() {
    int *data;
    cudaMalloc(&data, 512 * sizeof(int));
    cudaMemset(data, 1, 512 * sizeof(int));
    locked<<<2, 40>>>();
    one_after_the_other<<<16, 32>>>();
    last_block_adds<<<8, 64>>>();
    void *arguments[] = {&data};
    cudaLaunchCooperativeKernel((void *)whole_grid, 8, 64, arguments);
    in_cluster<<<8, 64>>>(data);
    printf("%d\n", cudaDeviceSynchronize());
    cudaFree(data);
}
