// A lane that is not in the mask that it names: a GPU raises an illegal instruction.
#include <cstdio>

__global__ void in_the_mask(int *out) {
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
    if (threadIdx.x < 16) {
        out[threadIdx.x] = threadIdx.x;
        __syncwarp(mask);
    }
}

__global__ void not_in_the_mask(int *out) {
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
    if (threadIdx.x <= 16) {
        out[threadIdx.x] = threadIdx.x;
        __syncwarp(mask);
    }
}
// status: 4
// finds: sync mask-without-caller 16

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    in_the_mask<<<1, 32>>>(out);
    not_in_the_mask<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
