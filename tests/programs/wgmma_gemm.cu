// A matrix product by warpgroups, as libraries for 9.0 write it: one warp fills a ring of tiles in
// swizzled shared memory, two warpgroups multiply them, and barriers in shared memory tell each
// other who may go on. One thread speaks for its whole warpgroup.
// bankrun: --arch sm_90a
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

constexpr int M = 256, N = 192, K = 320;                 // of the problem
constexpr int TILE_M = 128, TILE_N = 64, TILE_K = 64;    // of a block; a row of a tile has 128 bytes
constexpr int STAGES = 3, CONSUMERS = 2, THREADS = 128 * CONSUMERS + 32;

struct Shared {
    half a[STAGES][TILE_M * TILE_K], b[STAGES][TILE_N * TILE_K];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ static uint32_t address_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Rows of 128 bytes, eight of them in a swizzled atom of 1024.
__device__ static uint64_t descriptor(const void *p) {
    const uint64_t at = (uint64_t)address_of(p);
    return (at & 0x3ffff) >> 4 | (uint64_t)(16 >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

__device__ static void barrier_init(uint64_t *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(arrivals));
}

__device__ static void arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_of(barrier)) : "memory");
}

__device__ static void wait(uint64_t *barrier, uint32_t parity) {
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(
                     address_of(barrier)),
                 "r"(parity)
                 : "memory");
}

#define EIGHT(i)                                                                                   \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])

__device__ static void multiply(float (&d)[32], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
                 "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, 1, 1, 1, 0, 0;"
                 : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)
                 : "l"(a), "l"(b));
}

// Puts 64 halves of each row, from column `k` on, into a swizzled tile.
__device__ static void fill(half *tile, const half *matrix, int rows, int k) {
    for (int i = threadIdx.x % 32; i < rows * 8; i += 32) {
        const int row = i / 8, piece = i % 8;
        const int4 value = *(const int4 *)(matrix + row * K + k + piece * 8);
        *(int4 *)(tile + row * 64 + (piece ^ row % 8) * 8) = value;
    }
}

__device__ static void produce(Shared &s, const half *a, const half *b) {
    for (int step = 0; step < K / TILE_K; step++) {
        const int stage = step % STAGES;
        if (step >= STAGES)
            wait(&s.empty[stage], (step / STAGES - 1) % 2);
        fill(s.a[stage], a, TILE_M, step * TILE_K);
        fill(s.b[stage], b, TILE_N, step * TILE_K);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        arrive(&s.full[stage]);
    }
}

__device__ static void consume(Shared &s, float (&d)[32], int group) {
    for (int step = 0; step < K / TILE_K; step++) {
        const int stage = step % STAGES;
        wait(&s.full[stage], step / STAGES % 2);
        const uint64_t a = descriptor(s.a[stage] + group * 64 * TILE_K), b = descriptor(s.b[stage]);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < TILE_K / 16; k++) // 32 bytes further in each row
            multiply(d, a + 2 * k, b + 2 * k);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            arrive(&s.empty[stage]);
    }
}

__global__ void __launch_bounds__(THREADS)
    product(const half *a, const half *b, float *c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared &s = *(Shared *)memory;
    const int warp = threadIdx.x / 32, group = threadIdx.x / 128;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s.full[i], 32);
            barrier_init(&s.empty[i], CONSUMERS);
        }
    __syncthreads();
    a += blockIdx.x * TILE_M * K;
    b += blockIdx.y * TILE_N * K;
    if (warp == 4 * CONSUMERS) {
        produce(s, a, b);
        return;
    }
    float d[32] = {};
    consume(s, d, group);
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * TILE_M + group * 64 + warp % 4 * 16 + lane / 4;
    for (int i = 0; i < 32; i++)
        c[(row + i / 2 % 2 * 8) * N + blockIdx.y * TILE_N + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__host__ __device__ static float a_of(int r, int k) { return (float)((r * 7 + k * 3) % 13 - 6) / 4; }
__host__ __device__ static float b_of(int k, int c) { return (float)((k * 5 + c * 11) % 15 - 7) / 8; }

int main() {
    half *a, *b;
    float *c;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&c, M * N * sizeof *c);
    for (int r = 0; r < M; r++)
        for (int k = 0; k < K; k++)
            a[r * K + k] = __float2half(a_of(r, k));
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            b[n * K + k] = __float2half(b_of(k, n));
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    product<<<dim3(M / TILE_M, N / TILE_N), THREADS, sizeof(Shared)>>>(a, b, c);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    int wrong = 0;
    for (int r = 0; r < M; r++)
        for (int n = 0; n < N; n++) {
            float want = 0;
            for (int k = 0; k < K; k++)
                want += a_of(r, k) * b_of(k, n);
            wrong += c[r * N + n] != want;
        }
    printf("%d of %d wrong, the last is %g\n", wrong, M * N, c[M * N - 1]);
    return wrong != 0;
}
