// Compute capability 1.x: lanes that store bytes of one word wait for each other, and one of them
// could store all of it, which `words` does. Of `apart`, whose bytes are of words of their own in one
// bank, that must not be said.
//
// bankrun: --arch sm_13
// stderr: running its PTX for compute_75
#include <cstdio>
#include <cuda_runtime.h>

constexpr int LANES = 32;

__global__ void bytes(int *out) {
    __shared__ unsigned char small[LANES];
    small[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = small[0];
}

__global__ void words(int *out) {
    __shared__ unsigned char small[LANES];
    if (threadIdx.x % 4 == 0)
        ((unsigned *)small)[threadIdx.x / 4] = threadIdx.x * 0x01010101u + 0x03020100u;
    out[threadIdx.x] = small[0];
}

__global__ void apart(int *out) {
    __shared__ unsigned char small[LANES * 64];
    small[threadIdx.x * 64] = threadIdx.x;
    out[threadIdx.x] = small[0];
}

int main() {
    int *out;
    cudaMalloc(&out, LANES * sizeof *out);
    bytes<<<1, LANES>>>(out);
    words<<<1, LANES>>>(out);
    apart<<<1, LANES>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
