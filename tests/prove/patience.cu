// Which of 1,024 numbers it is decides what an access costs: a few are tried, and not those of each
// round of a loop.
#define SHAPE __launch_bounds__(256)

__global__ void SHAPE once(int *out, unsigned n) {
    __shared__ int s[64 * 33];
    const unsigned t = (n + threadIdx.x) % 1024;
    s[t / 32 * 33 + t % 32] = n; // prove: at most 2-way
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // prove: proved free
}

__global__ void SHAPE often(int *out, unsigned n) {
    __shared__ int s[64 * 33 + 600];
    const unsigned t = (n + threadIdx.x) % 1024;
#pragma unroll 1
    for (int k = 0; k < 600; k++)
        s[t / 32 * 33 + t % 32 + k] = n; // prove: not proved
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // prove: proved free
}
