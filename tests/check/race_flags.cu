// One warp tells another by a flag: with fences it is an order, without none.
#include "race.cuh"

__global__ void good(const int *in, int *out) {
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = in[5];
        __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (!flag)
            ;
        __threadfence_block();
        *out = data;
    }
}

__global__ void atomics(const int *in, int *out) {
    __shared__ int data, count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        data = in[5];
    if (threadIdx.x % 32 == 0) {
        __threadfence();
        if (atomicAdd(&count, 1) == 1) {
            __threadfence();
            if (threadIdx.x == 32)
                *out = data;
        }
    }
}

__global__ void bad(const int *in, int *out) {
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = in[5];
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (!flag)
            ;
        *out = data;
    }
}
// finds: race read-write 47 53

int main() {
    launch(good, 1, 64);
    launch(atomics, 1, 64);
    launch(bad, 1, 64);
}
