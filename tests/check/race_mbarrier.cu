// A buffer that goes from two warps to one and back by two mbarriers; without the wait for one, its
// reader is not told of what the others wrote.
#include "race.cuh"

#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void pass(const int *in, int *out, int *tile, barrier *full, bool waits) {
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = in[threadIdx.x];
        (void)full->arrive();
    } else {
        barrier::arrival_token token = full->arrive();
        if (waits)
            full->wait(std::move(token));
        out[threadIdx.x] = tile[threadIdx.x - 64] + tile[threadIdx.x - 32];
    }
}
// finds: race read-write 11 17

__global__ void good(const int *in, int *out) {
    __shared__ int tile[64];
    __shared__ barrier full;
    if (threadIdx.x == 0)
        init(&full, 96);
    __syncthreads();
    pass(in, out, tile, &full, true);
}

__global__ void bad(const int *in, int *out) {
    __shared__ int tile[64];
    __shared__ barrier full;
    if (threadIdx.x == 0)
        init(&full, 96);
    __syncthreads();
    pass(in, out, tile, &full, false);
}

int main() {
    launch(good, 1, 96);
    launch(bad, 1, 96);
}
