// Blocks that change a word in turns: what one did under a lock is there for the next if a fence is
// before the unlocking, and the scope of all reaches beyond the block.
// finds: race read-write 31 31
// finds: race write-write 31 31
// finds: race read-write 73 73
// finds: race write-write 73 73
// finds: race read-write 82 87
// finds: race write-write 92 92
#include <cstdio>
#include <cuda/atomic>

__device__ int mutex;

__device__ void lock() {
    while (atomicCAS(&mutex, 0, 1))
        ;
}

__global__ void count_good(int *word) {
    if (threadIdx.x == 0) {
        lock();
        *word += 1;
        __threadfence();
        atomicExch(&mutex, 0);
    }
}

__global__ void count_bad(int *word) {
    if (threadIdx.x == 0) {
        lock();
        *word += 1;
        atomicExch(&mutex, 0);
    }
}

// Unlocking by a plain store behind a fence is how many do it.
__global__ void plain_good(int *word, volatile int *held) {
    if (threadIdx.x == 0) {
        while (atomicCAS((int *)held, 0, 1))
            ;
        __threadfence();
        *word += 1;
        __threadfence();
        *held = 0;
    }
}

// A thread of each warp.
__global__ void warps_good(int *word) {
    if (threadIdx.x % 32 == 0) {
        lock();
        *word += 1;
        __threadfence();
        atomicExch(&mutex, 0);
    }
}

__global__ void scoped_good(cuda::atomic<int, cuda::thread_scope_device> *held, int *word) {
    if (threadIdx.x == 0) {
        int expected = 0;
        while (!held->compare_exchange_weak(expected, 1, cuda::memory_order_acquire))
            expected = 0;
        *word += 1;
        held->store(0, cuda::memory_order_release);
    }
}

__global__ void relaxed_bad(cuda::atomic<int, cuda::thread_scope_device> *held, int *word) {
    if (threadIdx.x == 0) {
        int expected = 0;
        while (!held->compare_exchange_weak(expected, 1, cuda::memory_order_relaxed))
            expected = 0;
        *word += 1;
        held->store(0, cuda::memory_order_relaxed);
    }
}

// The lock is held, and a thread reads past it.
__global__ void past_bad(int *word, int *seen) {
    if (threadIdx.x == 0) {
        lock();
        *word += 1;
        __threadfence();
        atomicExch(&mutex, 0);
    }
    if (threadIdx.x == 32)
        seen[blockIdx.x] = *word;
}

__global__ void ticket_bad(int *ticket, int *out) {
    if (threadIdx.x == 0)
        out[atomicAdd_block(ticket, 1)] = 1;
}

__global__ void ticket_good(int *ticket, int *out) {
    if (threadIdx.x == 0)
        out[atomicAdd(ticket, 1)] = 1;
}

int main() {
    int *words;
    cudaMalloc(&words, 256 * sizeof *words);
    cudaMemset(words, 0, 256 * sizeof *words);
    auto *held = (cuda::atomic<int, cuda::thread_scope_device> *)(words + 1);
    count_good<<<6, 64>>>(words);
    count_bad<<<6, 64>>>(words);
    plain_good<<<6, 64>>>(words, words + 1);
    warps_good<<<6, 64>>>(words);
    scoped_good<<<6, 64>>>(held, words);
    relaxed_bad<<<6, 64>>>(held, words);
    past_bad<<<6, 64>>>(words, words + 32);
    ticket_bad<<<6, 64>>>(words + 2, words + 64);
    ticket_good<<<6, 64>>>(words + 3, words + 128);
    cudaFree(words);
    puts("done");
}
