// Accesses beyond an allocation with --on-fault continue: what a GPU lets pass goes on and reads what was last
// written there, in the layout of an H200's cudaMalloc; what it does not let pass is a fault.
// bankrun: --on-fault continue
// stderr: let pass: .*on_fault\.cu:16: read of 4 bytes at 0x[0-9a-f]+: right behind the end of the 100-byte allocation
// stderr: on_fault\.cu:16: read of 4 bytes at 0x[0-9a-f]+: 1048576 bytes past the end of the 5242880-byte allocation
// gpu: no, it wants the pages around to be free
#include <cstdint>
#include <cstdio>
#include <cuda_pipeline.h>

struct __align__(16) wide {
    int a, b, c, d;
};

__global__ void probe(int *at, int *out) {
    out[0] = *at;
    *at = 7;
    out[1] = *at;
}

__global__ void others(char *at, int *out) {
    __shared__ wide tile[32];
    int lane = threadIdx.x;
    wide *mine = (wide *)at + lane;
    *mine = wide{lane, 1, 2, 3};
    __pipeline_memcpy_async(&tile[lane], mine, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    atomicAdd(&mine->a, 100);
    atomicCAS((unsigned long long *)&mine->c, 0x300000002ull, 5ull);
    out[lane] = tile[lane].a + mine->a + mine->c;
}

__global__ void inside(int *at, int *out) {
    out[threadIdx.x] = at[threadIdx.x];
}

static int *out;

static void try_at(const char *what, char *at) {
    int values[2] = {-1, -1};
    probe<<<1, 1>>>((int *)at, out);
    cudaError_t error = cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
    printf("%-34s %s: %d, then %d\n", what, cudaGetErrorName(error), values[0], values[1]);
}

int main() {
    const size_t page = 2 << 20;
    char *small, *neighbour, *last, *middle, *large;
    cudaMalloc(&small, 100);
    cudaMalloc(&neighbour, 1000), cudaMemset(neighbour, 0, 1000);
    cudaMalloc(&last, 512);
    cudaMalloc(&middle, 1 << 20);
    cudaMalloc(&large, 5 << 20);
    cudaMalloc(&out, 4096);
    printf("apart: %td, %td, %td; in pages at %zu, %zu\n", neighbour - small, last - neighbour, middle - last,
           (uintptr_t)small % page, (uintptr_t)large % page);

    try_at("right behind its end", small + 100);
    try_at("last word before the neighbour", small + 508);
    try_at("first word of the neighbour", small + 512);
    try_at("the neighbour's, from itself", neighbour);
    try_at("last word of the page", small + page - 4);
    try_at("behind 5 MiB", large + (5 << 20));
    try_at("last word of its third page", large + (6 << 20) - 4);

    int sums[32] = {};
    others<<<1, 32>>>(small + page - 4096, out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    printf("vectors, copies and atomics: %d, %d\n", sums[0], sums[31]);

    inside<<<1, 25>>>((int *)small, out); // no false alarm
    cudaFree(neighbour);
    try_at("freed, the page lives", small + 512);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    try_at("the page behind", large + (6 << 20));
    return 0;
}
