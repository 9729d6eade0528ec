// Conflicts of a stride that the launch chose, for which the report names the parameter and the
// next number that is free: an int, a member of a structure, a long; or blockDim.x. And such of
// which it must not: no parameter alone decides, or lanes do not lie multiples of it apart.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int LANES = 32, WORDS = 12288;

struct Shape {
    int rows, pitch;
};

__shared__ int words[WORDS];

// ---- The launch's choice ----------------------------------------------------------------------

__global__ void stride(int *out, int s) {
    words[s * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void member(int *out, Shape shape) {
    words[shape.pitch * threadIdx.x + shape.rows] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void wide(int *out, long s) {
    words[s * threadIdx.x + 5] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void width(int *out) {
    words[blockDim.x * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

// ---- Of no one parameter, or no stride ------------------------------------------------------

__global__ void product(int *out, int a, int b) {
    words[a * b * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void half(int *out, int s) {
    words[s / 2 * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void shifted(int *out, int s) {
    words[threadIdx.x << s] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void loaded(int *out, const int *s) {
    words[*s * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void doubled(int *out, int s) { // no number is free
    words[2 * s * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

__global__ void reduced(int *out) { // strides that double are not the block's width
    words[threadIdx.x] = threadIdx.x;
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        __syncthreads();
        if (2 * s * threadIdx.x < blockDim.x)
            words[2 * s * threadIdx.x] += words[2 * s * threadIdx.x + s];
    }
    out[threadIdx.x] = words[0];
}

__global__ void halves(int *out) {
    words[blockDim.x / 2 * threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[0];
}

int main() {
    int *out, *memory;
    const int s = 32;
    cudaMalloc(&out, LANES * sizeof *out);
    cudaMalloc(&memory, sizeof *memory);
    cudaMemcpy(memory, &s, sizeof s, cudaMemcpyHostToDevice);
    stride<<<1, LANES>>>(out, 32);
    stride<<<1, LANES>>>(out, 33);
    member<<<1, LANES>>>(out, Shape{3, 24});
    wide<<<1, LANES>>>(out, 48);
    product<<<1, LANES>>>(out, 4, 8);
    half<<<1, LANES>>>(out, 64);
    shifted<<<1, LANES>>>(out, 5);
    loaded<<<1, LANES>>>(out, memory);
    doubled<<<1, LANES>>>(out, 16);
    width<<<1, LANES>>>(out);
    reduced<<<1, LANES>>>(out);
    halves<<<1, LANES>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
