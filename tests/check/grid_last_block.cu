// The block that comes last adds up what all wrote. It knows that it is the last by a counter; that
// the others' results are there it knows by their fences.
// finds: race read-write 40 42
// finds: race read-write 48 50
// finds: race read-write 63 66
// finds: race read-write 81 85
#include <cstdio>

enum { BLOCKS = 8, THREADS = 64 };

__device__ unsigned counter;

__device__ bool is_last(unsigned scope) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        if (scope == 1)
            __threadfence_block();
        if (scope == 2)
            __threadfence();
        last = atomicInc(&counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    return last;
}

__device__ int work() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// One thread of each block writes.
__global__ void one_good(int *part, int *sum) {
    if (threadIdx.x == 0)
        part[blockIdx.x] = work();
    if (is_last(2) && threadIdx.x < gridDim.x)
        atomicAdd(sum, part[threadIdx.x]);
}

__global__ void one_bad(int *part, int *sum) {
    if (threadIdx.x == 0)
        part[blockIdx.x] = work();
    if (is_last(0) && threadIdx.x < gridDim.x)
        atomicAdd(sum, part[threadIdx.x]);
}

// A fence for the threads of the block is none for other blocks.
__global__ void narrow_bad(int *part, int *sum) {
    if (threadIdx.x == 0)
        part[blockIdx.x] = work();
    if (is_last(1) && threadIdx.x < gridDim.x)
        atomicAdd(sum, part[threadIdx.x]);
}

// All threads write: thread 0 speaks for those that it waited for.
__global__ void all_good(int *part, int *sum) {
    part[work()] = work();
    __syncthreads();
    if (is_last(2))
        for (int b = 0; b < gridDim.x; b++)
            atomicAdd(sum, part[b * blockDim.x + threadIdx.x]);
}

__global__ void all_bad(int *part, int *sum) {
    part[work()] = work();
    if (is_last(2))
        for (int b = 0; b < gridDim.x; b++)
            atomicAdd(sum, part[b * blockDim.x + threadIdx.x]);
}

// Each thread fences what it wrote itself.
__global__ void each_good(int *part, int *sum) {
    part[work()] = work();
    __threadfence();
    __syncthreads();
    if (is_last(0))
        for (int b = 0; b < gridDim.x; b++)
            atomicAdd(sum, part[b * blockDim.x + threadIdx.x]);
}

// Nobody waits for the last block.
__global__ void early_bad(int *part, int *sum) {
    part[work()] = work();
    __threadfence();
    __syncthreads();
    is_last(2);
    atomicAdd(sum, part[(work() + blockDim.x) % (gridDim.x * blockDim.x)]);
}

int main() {
    int *part, *sum;
    cudaMalloc(&part, BLOCKS * THREADS * sizeof *part);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(part, 0, BLOCKS * THREADS * sizeof *part);
    cudaMemset(sum, 0, sizeof *sum);
    one_good<<<BLOCKS, THREADS>>>(part, sum);
    one_bad<<<BLOCKS, THREADS>>>(part, sum);
    narrow_bad<<<BLOCKS, THREADS>>>(part, sum);
    all_good<<<BLOCKS, THREADS>>>(part, sum);
    all_bad<<<BLOCKS, THREADS>>>(part, sum);
    each_good<<<BLOCKS, THREADS>>>(part, sum);
    early_bad<<<BLOCKS, THREADS>>>(part, sum);
    cudaFree(part);
    cudaFree(sum);
    puts("done");
}
