// Blocks that run together and wait for each other.
// finds: race read-write 30 32
// finds: race read-write 32 30
// finds: race read-write 38 40
// finds: race read-write 60 60
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum { BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS };

__device__ int index_of() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void rounds_good(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < 3; round++) {
        b[index_of()] = a[(index_of() + 1) % N];
        grid.sync();
        a[index_of()] = b[(index_of() + 1) % N];
        grid.sync();
    }
}

__global__ void rounds_bad(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < 3; round++) {
        b[index_of()] = a[(index_of() + 1) % N];
        grid.sync();
        a[index_of()] = b[(index_of() + 1) % N];
    }
}

// A barrier of the block waits for no other one.
__global__ void block_bad(int *a, int *b) {
    a[index_of()] = index_of();
    __syncthreads();
    b[index_of()] = a[(index_of() + THREADS) % N];
}

// Each block tells the next one.
__global__ void relay_good(int *data, volatile int *flags) {
    if (threadIdx.x == 0) {
        if (blockIdx.x)
            while (!flags[blockIdx.x - 1])
                ;
        data[blockIdx.x] = blockIdx.x ? data[blockIdx.x - 1] + 1 : 1;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

__global__ void relay_bad(int *data, volatile int *flags) {
    if (threadIdx.x == 0) {
        if (blockIdx.x)
            while (!flags[blockIdx.x - 1])
                ;
        data[blockIdx.x] = blockIdx.x ? data[blockIdx.x - 1] + 1 : 1;
        flags[blockIdx.x] = 1;
    }
}

// Of all blocks before: what the nearest one has added up, and otherwise its own part.
__global__ void look_back_good(const int *in, int *part, int *sums, volatile int *state, int *out) {
    __shared__ int before;
    const int b = blockIdx.x;
    if (threadIdx.x == 0) {
        part[b] = in[b];
        __threadfence();
        state[b] = 1;
        int sum = 0;
        for (int p = b - 1; p >= 0; p--) {
            int seen;
            while (!(seen = state[p]))
                ;
            __threadfence();
            sum += seen == 2 ? sums[p] : part[p];
            if (seen == 2)
                break;
        }
        sums[b] = sum + in[b];
        __threadfence();
        state[b] = 2;
        before = sum;
    }
    __syncthreads();
    out[index_of()] = before;
}

template <typename Kernel> void together(Kernel *kernel, int *a, int *b) {
    void *arguments[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)kernel, BLOCKS, THREADS, arguments, 0, 0);
}

int main() {
    int *a, *b;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(b, 0, N * sizeof *b);
    together(rounds_good, a, b);
    together(rounds_bad, a, b);
    together(block_bad, a, b);
    cudaMemset(b, 0, N * sizeof *b);
    relay_good<<<BLOCKS, THREADS>>>(a, b);
    cudaMemset(b, 0, N * sizeof *b);
    relay_bad<<<BLOCKS, THREADS>>>(a, b);
    cudaMemset(b, 0, N * sizeof *b);
    look_back_good<<<BLOCKS, THREADS>>>(b + 32, b, b + 8, b + 16, a);
    cudaFree(a);
    cudaFree(b);
    puts("done");
}
