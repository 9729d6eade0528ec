// Lanes that part, and part again behind that, with words of shared memory: native code makes that
// way once, for some lanes and for all. Which of them it is differs from step to step and from warp to
// warp.
#include <algorithm>
#include <cstdio>

enum { THREADS = 128, ROUNDS = 6, BLOCKS = 8 };

static __device__ __host__ unsigned drawn(unsigned thread, unsigned round) {
    return (thread * 64 + round) * 0x9e3779b9u >> (round % 3 * 12);
}

__global__ void sort(unsigned *out) {
    __shared__ unsigned row[THREADS];
    const unsigned t = threadIdx.x, at = t + blockIdx.x * THREADS;
    unsigned swaps = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        row[t] = drawn(at, round);
        __syncthreads();
#pragma unroll 1
        for (unsigned size = 2; size <= THREADS; size *= 2) {
#pragma unroll
            for (unsigned distance = THREADS / 2; distance > 0; distance /= 2) {
                const unsigned partner = t ^ distance;
                if (distance < size && partner > t) {
                    const unsigned mine = row[t], other = row[partner];
                    if ((mine > other) == !(t & size)) {
                        row[t] = other;
                        row[partner] = mine;
                        swaps++;
                    }
                }
                __syncthreads();
            }
        }
        if (round % 2 == blockIdx.x % 2)
            out[at] = row[t];
        __syncthreads();
    }
    out[BLOCKS * THREADS + at] = swaps;
}

int main() {
    static unsigned all[2 * BLOCKS * THREADS];
    unsigned *device, wrong = 0, swaps = 0;
    cudaMalloc(&device, sizeof all);
    sort<<<BLOCKS, THREADS>>>(device);
    cudaMemcpy(all, device, sizeof all, cudaMemcpyDeviceToHost);
    for (unsigned b = 0; b < BLOCKS; b++) {
        const unsigned round = ROUNDS - 1 - (ROUNDS - 1 + b) % 2;
        unsigned expected[THREADS];
        for (unsigned t = 0; t < THREADS; t++)
            expected[t] = drawn(t + b * THREADS, round);
        std::sort(expected, expected + THREADS);
        for (unsigned t = 0; t < THREADS; t++)
            wrong += all[b * THREADS + t] != expected[t];
    }
    for (unsigned i = BLOCKS * THREADS; i < 2 * BLOCKS * THREADS; i++)
        swaps = swaps * 31 + all[i];
    printf("%u wrong, swaps %08x\n", wrong, swaps);
    return wrong != 0;
}
