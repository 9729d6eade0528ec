// Every lane reads a word of its own choice out of 8,192: the fullest of 32 banks then serves 3.53
// lanes on average, as 32 balls in 32 bins do.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int WORDS = 8192, ROUNDS = 64, BLOCKS = 32;

// The word that a thread reads in a round: a hash, so that neighbours have nothing in common.
__host__ __device__ unsigned choose(unsigned thread, unsigned round) {
    unsigned hash = thread * ROUNDS + round;
    hash = (hash ^ hash >> 16) * 0x7feb352du;
    hash = (hash ^ hash >> 15) * 0x846ca68bu;
    return (hash ^ hash >> 16) % WORDS;
}

__global__ void read_random(unsigned *out) {
    __shared__ unsigned words[WORDS];
    for (unsigned i = threadIdx.x; i < WORDS; i += 32)
        words[i] = i;
    __syncthreads();
    unsigned thread = blockIdx.x * 32 + threadIdx.x, sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += words[choose(thread, round)];
    out[thread] = sum;
}

int main() {
    const unsigned count = BLOCKS * 32;
    unsigned *out, wrong = 0;
    if (cudaMallocManaged(&out, count * sizeof *out) != cudaSuccess)
        return 1;
    read_random<<<BLOCKS, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned sum = 0;
        for (int round = 0; round < ROUNDS; round++)
            sum += choose(i, round);
        wrong += out[i] != sum;
    }
    printf("random words: %s\n", wrong ? "FAIL" : "PASS");
    cudaFree(out);
    return wrong ? 1 : 0;
}
