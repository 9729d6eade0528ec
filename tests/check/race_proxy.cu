// Bulk copies read shared memory by another proxy: what threads wrote there is behind a fence of that
// proxy, by whoever wrote or by somebody who waited for it.
// finds: race missing-proxy-fence 65 21
// finds: race missing-proxy-fence 75 21
// finds: race missing-proxy-fence 85 21
// finds: race missing-proxy-fence 98 21
#include <cstdio>

enum { THREADS = 64, BYTES = THREADS * sizeof(int) };

__device__ void fence() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ unsigned at(const int *shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void copy(int *out, const int *tile) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(at(tile)), "r"((unsigned)BYTES)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// All who write do it.
__global__ void writers_good(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    tile[threadIdx.x] = threadIdx.x;
    fence();
    __syncthreads();
    if (threadIdx.x == 0)
        copy(out + blockIdx.x * THREADS, tile);
}

// Who copies does it, behind the barrier.
__global__ void reader_good(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = threadIdx.x + round;
        __syncthreads();
        if (threadIdx.x == 0) {
            fence();
            copy(out, tile);
        }
        __syncthreads();
    }
}

// The same in a warp.
__global__ void warp_good(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    tile[threadIdx.x] = 1;
    tile[threadIdx.x + 32] = 2;
    __syncwarp();
    if (threadIdx.x == 0) {
        fence();
        copy(out, tile);
    }
}

__global__ void none_bad(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    // A barrier is no fence of the proxy, nor is __threadfence().
    tile[threadIdx.x] = threadIdx.x;
    __threadfence_block();
    __syncthreads();
    if (threadIdx.x == 0)
        copy(out, tile);
}

__global__ void early_bad(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    fence();
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        copy(out, tile);
}

// Thread 0 fences what it wrote itself.
__global__ void alone_bad(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    // Of the others' writes it knows behind the barrier alone.
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        fence();
    __syncthreads();
    if (threadIdx.x == 0)
        copy(out, tile);
}

// The first round's fence is none for the second.
__global__ void second_bad(int *out) {
    __shared__ alignas(128) int tile[THREADS];
    for (int round = 0; round < 2; round++) {
        // A loop.
        tile[threadIdx.x] = threadIdx.x + round;
        if (round == 0)
            fence();
        __syncthreads();
        if (threadIdx.x == 0)
            copy(out, tile);
        __syncthreads();
    }
}

int main() {
    int *out;
    cudaMalloc(&out, 2 * BYTES);
    writers_good<<<2, THREADS>>>(out);
    cudaDeviceSynchronize();
    reader_good<<<1, THREADS>>>(out);
    warp_good<<<1, 32>>>(out);
    none_bad<<<1, THREADS>>>(out);
    early_bad<<<1, THREADS>>>(out);
    alone_bad<<<1, THREADS>>>(out);
    second_bad<<<1, THREADS>>>(out);
    const bool ok = cudaDeviceSynchronize() == cudaSuccess;
    printf("%s\n", ok ? "ran" : "FAIL");
    cudaFree(out);
    return ok ? 0 : 1;
}
