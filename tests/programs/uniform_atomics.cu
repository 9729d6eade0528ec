// What ptxas makes of shared atomics for 9.0: lanes that count (an addition of 1 whose result
// nobody reads) are summed first, one address for the whole warp is reduced to one access, the rest
// is one access a lane.
#include <cstdio>

enum { THREADS = 64, WORDS = 8 };

__device__ int sums[8];

__global__ void count(const int *in) {
    __shared__ unsigned words[WORDS];
    if (threadIdx.x < WORDS)
        words[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&words[in[threadIdx.x] % WORDS], 1u); // 2 requests of 1 wavefront
    __syncthreads();
    if (threadIdx.x < WORDS)
        atomicAdd(&sums[0], words[threadIdx.x]);
}

__global__ void place(const int *in) {
    __shared__ unsigned words[WORDS];
    if (threadIdx.x < WORDS)
        words[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = atomicAdd(&words[in[threadIdx.x] % WORDS], 1u); // 4 lanes a word: 4 wavefronts
    atomicAdd(&sums[1], at);
}

__global__ void by_fives(const int *in) {
    __shared__ unsigned words[WORDS];
    if (threadIdx.x < WORDS)
        words[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&words[in[threadIdx.x] % WORDS], 5u); // 4 again
    __syncthreads();
    if (threadIdx.x < WORDS)
        atomicAdd(&sums[2], words[threadIdx.x]);
}

__global__ void one_word(const int *in) {
    __shared__ int sum, most, first;
    if (threadIdx.x == 0)
        sum = most = first = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]);                // 1: REDUX and one lane
    atomicMax(&most, in[threadIdx.x]);               // 1
    int before = atomicAdd(&first, in[threadIdx.x]); // 1: a scan of the full warp, then one lane
    int was = atomicMin(&most, before);              // 32: each lane wants what it found
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[3] = sum;
        sums[4] = first;
    }
    if (was < 0)
        sums[5] = was;
}

int main() {
    int in[THREADS], *device, out[8];
    for (int i = 0; i < THREADS; i++)
        in[i] = i;
    cudaMalloc(&device, sizeof in);
    cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
    count<<<1, THREADS>>>(device);
    place<<<1, THREADS>>>(device);
    by_fives<<<1, THREADS>>>(device);
    one_word<<<1, THREADS>>>(device);
    cudaMemcpyFromSymbol(out, sums, sizeof out);
    printf("%d %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5]);
    return 0;
}
