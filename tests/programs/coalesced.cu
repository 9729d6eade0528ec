// Accesses to global memory of which the report must not say that they are not coalesced, as nobody
// would win by it: they waste nothing, or little, or what they leave is wanted beside them, or it
// is all over at once. Of the last three kernels it says what their lanes do.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int THREADS = 256, BLOCKS = 256, COUNT = THREADS * BLOCKS;

struct Point {
    float x, y, z;
};

__device__ int number() {
    return blockIdx.x * THREADS + threadIdx.x;
}

// ---- Nothing to say -------------------------------------------------------------------------

__global__ void reversed(float *out, const float *in) {
    out[COUNT - 1 - number()] = in[number()];
}

__global__ void broadcast(float *out, const float *in) {
    out[number()] = in[blockIdx.x];
}

__global__ void misaligned(float *out, const float *in) {
    out[number()] = in[number() + 1];
}

__global__ void tail(float *out, const float *in) { // few lanes of each warp
    if (threadIdx.x % 32 > 28)
        out[number() * 8] = in[number() * 8];
}

__global__ void leaders(float *out, const float *in) { // one lane of each warp
    if (threadIdx.x % 32 == 0)
        out[number()] = in[number()];
}

__global__ void colors(unsigned char *out, const unsigned char *in) { // bytes of words
    out[number() * 4] = in[number() * 4 + 1];
}

__global__ void points(Point *out, const Point *in) { // all members
    const Point p = in[number()];
    out[number()] = Point{p.y, p.z, p.x};
}

__global__ void once(float *out, const float *in) { // in a launch of one warp
    out[threadIdx.x * 32] = in[threadIdx.x * 32];
}

// ---- Not coalesced --------------------------------------------------------------------------

__global__ void heights(float *out, const Point *in) { // one member
    out[number()] = in[number()].z;
}

__global__ void downwards(float *out, const float *in) {
    out[number()] = in[(COUNT - 1 - number()) * 8];
}

__global__ void columns(float *out, const float *in) { // of blocks of 16 x 16
    out[number()] = in[threadIdx.x % 16 * 1024 + threadIdx.x / 16 + blockIdx.x * 16];
}

int main() {
    char *in, *out;
    const size_t bytes = COUNT * 8 * sizeof(float);
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes);
    float *to = (float *)out;
    const float *from = (const float *)in;
    reversed<<<BLOCKS, THREADS>>>(to, from);
    broadcast<<<BLOCKS, THREADS>>>(to, from);
    misaligned<<<BLOCKS, THREADS>>>(to, from);
    tail<<<BLOCKS, THREADS>>>(to, from);
    leaders<<<BLOCKS, THREADS>>>(to, from);
    colors<<<BLOCKS, THREADS>>>((unsigned char *)out, (const unsigned char *)in);
    points<<<BLOCKS, THREADS>>>((Point *)out, (const Point *)in);
    once<<<1, 32>>>(to, from);
    heights<<<BLOCKS, THREADS>>>(to, (const Point *)in);
    downwards<<<BLOCKS, THREADS>>>(to, from);
    columns<<<BLOCKS, THREADS>>>(to, from);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
