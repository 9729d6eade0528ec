// The first blocks access memory in another way each, all others in one: native code that is not
// worth its while for those is tried again later.
#include <cstdio>

enum { THREADS = 128, BLOCKS = 900, FIRST = 200, WORDS = 4096 };

static __device__ __host__ unsigned step_of(unsigned block, unsigned warp) {
    return block < FIRST ? (block * 7 + warp * 29) % 61 * 2 + 1 : 3;
}

// The place in shared memory: each lane has its own in its warp's part.
static __device__ __host__ unsigned place_of(unsigned t, unsigned step) {
    return t / 32 * 32 + t * step % 32;
}

__global__ void walk(const double *in, double *out) {
    __shared__ double row[THREADS];
    const unsigned t = threadIdx.x, step = step_of(blockIdx.x, t / 32);
    row[place_of(t, step)] = in[(t * step + blockIdx.x * 4) % WORDS];
    __syncthreads();
    out[blockIdx.x * THREADS + t] = row[t] + in[(t * step * 5 + blockIdx.x * 8) % WORDS];
}

static bool is_right(const double *in, const double *out, unsigned block) {
    double row[THREADS];
    bool good = true;
    for (unsigned t = 0; t < THREADS; t++) {
        const unsigned step = step_of(block, t / 32);
        row[place_of(t, step)] = in[(t * step + block * 4) % WORDS];
    }
    for (unsigned t = 0; t < THREADS; t++)
        good &= out[t] == row[t] + in[(t * step_of(block, t / 32) * 5 + block * 8) % WORDS];
    return good;
}

int main() {
    double *in, *out;
    cudaMallocManaged(&in, WORDS * sizeof *in);
    cudaMallocManaged(&out, BLOCKS * THREADS * sizeof *out);
    for (int i = 0; i < WORDS; i++)
        in[i] = i * 0.5;
    walk<<<BLOCKS, THREADS>>>(in, out);
    const cudaError_t error = cudaDeviceSynchronize();
    unsigned right = 0;
    for (unsigned b = 0; b < BLOCKS; b++)
        right += is_right(in, out + b * THREADS, b);
    printf("%u of %d blocks\n", right, (int)BLOCKS);
    return error;
}
