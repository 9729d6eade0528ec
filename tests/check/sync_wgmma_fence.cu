// Fences before asynchronous matrix products: registers that are written behind the last one, and
// products that need none.
// bankrun: --arch sm_90a
#include <cstdint>
#include <cuda_fp16.h>

__device__ void fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void multiply(float (&d)[4], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, "
                 "1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
}

__device__ void wait(float (&d)[4]) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) :: "memory");
}

__device__ uint64_t descriptor(const void *tile) {
    return (uint32_t)__cvta_generic_to_shared(tile) >> 4 | 8ull << 16 | 16ull << 32;
}

__device__ void fill(half (&tiles)[2][64 * 16]) {
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        tiles[0][i] = tiles[1][i] = 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

__device__ void add_one(float &d) {
    asm volatile("add.f32 %0, %0, 0f3F800000;" : "+f"(d));
}

__global__ void written_behind_the_fence(int *out) {
    __shared__ __align__(128) half tiles[2][64 * 16];
    float d[4] = {};
    fill(tiles);
    fence();
    add_one(d[1]);
    multiply(d, descriptor(tiles[0]), descriptor(tiles[1]));
    wait(d);
    out[threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}
// finds: sync wgmma-not-fenced 13 34

__global__ void written_before_the_fence(int *out) {
    __shared__ __align__(128) half tiles[2][64 * 16];
    float d[4] = {};
    fill(tiles);
    add_one(d[1]);
    fence();
    multiply(d, descriptor(tiles[0]), descriptor(tiles[1]));
    wait(d);
    out[threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}

// One accumulator of products that follow each other; the second group begins behind a wait.
__global__ void products_in_a_row(int *out, int rounds) {
    __shared__ __align__(128) half tiles[2][64 * 16];
    float d[4] = {};
    fill(tiles);
    fence();
    for (int i = 0; i < rounds; i++) {
        multiply(d, descriptor(tiles[0]), descriptor(tiles[1]));
        multiply(d, descriptor(tiles[1]), descriptor(tiles[0]));
        wait(d);
    }
    out[threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}

// On one of two ways there is a fence: nothing is sure.
__global__ void fence_on_one_way(int *out, int rounds) {
    __shared__ __align__(128) half tiles[2][64 * 16];
    float d[4] = {};
    fill(tiles);
    if (rounds > 1)
        fence();
    multiply(d, descriptor(tiles[0]), descriptor(tiles[1]));
    wait(d);
    out[threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    written_behind_the_fence<<<1, 128>>>(out);
    written_before_the_fence<<<1, 128>>>(out);
    products_in_a_row<<<1, 128>>>(out, 3);
    fence_on_one_way<<<1, 128>>>(out, 2);
    cudaDeviceSynchronize();
    cudaFree(out);
}
