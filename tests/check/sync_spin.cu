// Threads that spin for ever: for a flag that nobody sets, and for a lock that nobody gives back. Where
// the host or a clock may change what they look at, nothing is said.
// args: flag
// bankrun: --check sync
// status: 4
// finds: sync deadlock 28 30
// run: locks
// bankrun: --check sync
// status: 4
// finds: sync deadlock 38
// run: host
// bankrun: --check sync --max-instructions 40000000
// status: 4
// finds: nothing
// run: clock
// bankrun: --check sync --max-instructions 40000000
// status: 4
// finds: nothing
// run: late
// bankrun: --check sync
// finds: nothing
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void wait_for(volatile int *flag, int *out) {
    if (threadIdx.x == 0)
        while (*flag == 0)
            ;
    __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void take(int *count) {
    __shared__ int lock;
    lock = 1;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    ++*count;
    atomicExch(&lock, 0);
}

__global__ void wait_by_clock(volatile int *flag, long long least) {
    while (*flag == 0 && clock64() > least)
        ;
}

// The flag comes after 6,000,000 rounds, of which the block that waits sees nothing.
__global__ void count_first(volatile int *flag, volatile int *count) {
    if (blockIdx.x == 0) {
        while (*flag == 0)
            ;
    } else {
        while (*count < 6000000)
            *count = *count + 1;
        __threadfence();
        *flag = 1;
    }
}

int main(int, char **words) {
    int *memory, *host = nullptr;
    cudaMalloc(&memory, 4096);
    cudaMemset(memory, 0, 4096);
    if (!strcmp(words[1], "host")) {
        cudaMallocHost(&host, sizeof *host);
        *host = 0;
    }
    if (!strcmp(words[1], "locks"))
        take<<<5, 64>>>(memory);
    else if (!strcmp(words[1], "clock"))
        wait_by_clock<<<1, 1>>>(memory, -1);
    else if (!strcmp(words[1], "late"))
        count_first<<<2, 1>>>(memory, memory + 1);
    else
        wait_for<<<2, 64>>>(host ? host : memory, memory + 16);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(memory);
    cudaFreeHost(host);
}
