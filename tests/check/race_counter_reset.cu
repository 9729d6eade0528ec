// Who comes last knows it by an atomic: it saw what the others' atomics left, so that a plain access
// to the counter is ordered behind theirs. In the midst of them it is not.
// finds: race write-write 29 30
// finds: race write-write 39 40
// finds: race read-write 52 56
// finds: race write-write 90 85
#include <cstdio>

enum { BLOCKS = 40, THREADS = 256 };

__device__ unsigned count;

__device__ bool is_last(unsigned at) {
    return at == gridDim.x - 1;
}

__global__ void blocks_good() {
    if (threadIdx.x == 0 && is_last(atomicAdd(&count, 1)))
        count = 0;
}

__global__ void threads_good() {
    if (atomicAdd(&count, 1) == blockDim.x - 1)
        count = 0;
}

// Blocks that come later add while it is cleared.
__global__ void blocks_bad() {
    if (threadIdx.x == 0 && atomicAdd(&count, 1) == gridDim.x / 2)
        count = 0;
}

__global__ void shared_bad(unsigned *out) {
    __shared__ unsigned n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    // 8 warps add; the one in the middle does not wait for the others.
    if (threadIdx.x % 32 == 0 && atomicAdd(&n, 1) == 3)
        n = 100;
    __syncthreads();
    out[threadIdx.x] = n;
}

// A volatile read saw the last of the sums, which saw the others.
__global__ void polled(unsigned *out, bool waits) {
    __shared__ unsigned n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (threadIdx.x)
        atomicAdd(&n, 1);
    while (waits && threadIdx.x == 0 && *(volatile unsigned *)&n != blockDim.x - 1)
        ;
    if (threadIdx.x == 0)
        *out = n;
}

__global__ void shared_good(unsigned *out) {
    __shared__ unsigned n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (atomicAdd(&n, 1) == blockDim.x - 1)
        n = 100;
    __syncthreads();
    out[threadIdx.x] = n;
}

__device__ volatile unsigned turn;

// Block 0 adds, block 1 adds, block 0 adds again, which block 1 has not seen. Flags without a fence
// order nothing but themselves.
__global__ void again(unsigned *counter, bool looks) {
    if (threadIdx.x)
        return;
    const unsigned own = blockIdx.x;
    while (turn != own)
        ;
    atomicAdd(counter, 1);
    turn = own + 1;
    while (turn != own + 2)
        ;
    if (own == 0) {
        atomicExch(counter, 7);
        turn = 3;
        return;
    }
    if (!looks || atomicAdd(counter, 0) == 7)
        *counter = 0;
    turn = 0;
}

int main() {
    unsigned *out;
    cudaMalloc(&out, THREADS * sizeof *out);
    cudaMemset(out, 0, THREADS * sizeof *out);
    blocks_good<<<BLOCKS, THREADS>>>();
    threads_good<<<1, THREADS>>>();
    shared_good<<<1, THREADS>>>(out);
    polled<<<1, THREADS>>>(out, true);
    blocks_bad<<<BLOCKS, THREADS>>>();
    shared_bad<<<1, THREADS>>>(out);
    polled<<<1, THREADS>>>(out, false);
    again<<<2, 32>>>(out, true);
    again<<<2, 32>>>(out, false);
    const bool ok = cudaDeviceSynchronize() == cudaSuccess;
    printf("%s\n", ok ? "ran" : "FAIL");
    cudaFree(out);
    return ok ? 0 : 1;
}
