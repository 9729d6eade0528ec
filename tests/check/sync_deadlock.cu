// Threads that wait for ever: one barrier waits for more threads than come.
#include <cstdio>

__global__ void enough(int *out) {
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void too_few(int *out) {
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = 1;
}
// status: 4
// finds: sync deadlock 13 14

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    enough<<<1, 96>>>(out);
    too_few<<<1, 96>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
