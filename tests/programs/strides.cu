// One warp reads words that lie `stride` words apart, for strides 1 to 33: launch number s, from 1,
// takes gcd(s, 32) wavefronts for its one load.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int LONGEST = 33, WORDS = 31 * LONGEST + 1;

__global__ void read_stride(int *out, int stride) {
    __shared__ int words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += 32)
        words[i] = 3 * i;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

int main() {
    int *out;
    if (cudaMallocManaged(&out, 32 * sizeof(int)) != cudaSuccess)
        return 1;
    int wrong = 0;
    for (int stride = 1; stride <= LONGEST; stride++) {
        read_stride<<<1, 32>>>(out, stride);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 1;
        for (int lane = 0; lane < 32; lane++)
            wrong += out[lane] != 3 * lane * stride;
    }
    printf("strides 1 to %d: %s\n", LONGEST, wrong ? "FAIL" : "PASS");
    cudaFree(out);
    return wrong ? 1 : 0;
}
