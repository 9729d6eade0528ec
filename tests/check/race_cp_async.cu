// Copies that nobody waits for before they are read: by the thread itself, and by others, for whom it
// is not enough that they wait for their own.
// bankrun: --arch sm_80
#include "race.cuh"

#include <cuda_pipeline.h>

__global__ void not_waited(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    out[threadIdx.x] = tile[threadIdx.x];
    __pipeline_wait_prior(0);
}
// finds: race async-copy 10 12

__global__ void not_synchronized(const int *in, int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
// finds: race read-write 19 22

// The last group is waited for by the barrier that orders the others.
__global__ void one_too_few(const int *in, int *out) {
    __shared__ int tile[2][64];
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][threadIdx.x], &in[64 + threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[0][63 - threadIdx.x] + tile[1][63 - threadIdx.x];
    __pipeline_wait_prior(0);
}
// finds: race async-copy 31 35

__global__ void good(const int *in, int *out) {
    __shared__ int tile[2][64];
    int sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    for (int round = 0; round < 4; round++) {
        const int next = (round + 1) % 2;
        __pipeline_memcpy_async(&tile[next][threadIdx.x], &in[64 * round + threadIdx.x],
                                sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[round % 2][63 - threadIdx.x];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    out[threadIdx.x] = sum;
}

int main() {
    launch(not_waited, 1, 64);
    launch(not_synchronized, 1, 64);
    launch(one_too_few, 1, 64);
    launch(good, 1, 64);
}
