// Two warps write for two that read, by barriers of their own: those that write arrive and go on,
// those that read wait. The bad ones write again and nobody has told them that all is read.
#include "race.cuh"

#define BARRIER(how, id) asm volatile("bar." how " %0, 128;" ::"r"(id) : "memory")

__device__ void pass(const int *in, int *out, int *tile, bool waits) {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x < 64) {
            if (waits && round)
                BARRIER("sync", 2);
            tile[threadIdx.x] = in[round * 64 + threadIdx.x];
            BARRIER("arrive", 1);
        } else {
            BARRIER("sync", 1);
            sum += tile[127 - threadIdx.x];
            if (waits && round < 2)
                BARRIER("arrive", 2);
        }
    }
    if (threadIdx.x >= 64)
        out[threadIdx.x] = sum;
}

__global__ void good(const int *in, int *out) {
    __shared__ int tile[64];
    pass(in, out, tile, true);
}

__global__ void one_way(const int *in, int *out) {
    __shared__ int tile[64];
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = in[threadIdx.x];
        BARRIER("arrive", 1);
        tile[threadIdx.x] = 0;
    } else {
        BARRIER("sync", 1);
        out[threadIdx.x] = tile[127 - threadIdx.x];
    }
}
// finds: race read-write 36 39

int main() {
    launch(good, 1, 128);
    launch(one_way, 1, 128);
}
