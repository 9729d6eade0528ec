// Atomics of shared memory at places that differ each time, for long enough that they are counted
// without being remembered, with results and without; then one lane's is out of bounds.
// bankrun: --threads 1
// stderr: bins\.cu:23: atomic access of 4 bytes at shared address 0x[0-9a-f]+: the block has 1792
// bytes of shared memory stderr: in kernel count\(.*\), block \(7,0,0\), thread \(39,0,0\) gpu: no,
// its last launch is a fault
#include <cstdio>

static const int BINS = 64, THREADS = 256, BLOCKS = 16, ROUNDS = 512;

__global__ void count(unsigned *out, int far) {
    __shared__ unsigned counts[BINS], sums[BINS], most[BINS], owners[THREADS];
    const unsigned t = threadIdx.x;
    owners[t] = 0;
    if (t < BINS)
        counts[t] = sums[t] = most[t] = 0;
    __syncthreads();
    unsigned state = blockIdx.x * 256 + t, turns = 0;
    for (int i = 0; i < ROUNDS; i++) {
        state = state * 1664525u + 1013904223u;
        const unsigned at = state >> 26, value = state >> 8 & 255;
        const bool is_far = far && i == ROUNDS - 2 && blockIdx.x == 7 && t == 39;
        atomicAdd(&counts[is_far ? at + far : at], 1u);
        atomicAdd(&sums[at], value);
        atomicMax(&most[at], value);
        turns += atomicExch(&owners[t ^ at % 32], value); // of the own warp
    }
    __syncthreads();
    for (int b = t; b < BINS; b += blockDim.x) {
        atomicAdd(&out[0], counts[b]);
        atomicAdd(&out[1], sums[b]);
        atomicAdd(&out[2], most[b]);
    }
    // Of lanes that are exchanged alike each time.
    if (atomicCAS(&owners[t ^ 5], turns & 1 ? 256 : owners[t ^ 5], state) != 256)
        turns += 1000;
    __syncthreads();
    atomicAdd(&out[3], turns + owners[t]);
}

int main() {
    unsigned *out, all[4];
    cudaMalloc(&out, sizeof all);
    for (int far = 0; far <= 1000; far += 1000) {
        cudaMemset(out, 0, sizeof all);
        count<<<BLOCKS, THREADS>>>(out, far);
        const cudaError_t error = cudaDeviceSynchronize();
        cudaMemcpy(all, out, sizeof all, cudaMemcpyDeviceToHost);
        if (error == cudaSuccess)
            printf("%u keys, sum %u, most %u, owners %u\n", all[0], all[1], all[2], all[3]);
        else
            printf("%s\n", cudaGetErrorName(error));
    }
}
