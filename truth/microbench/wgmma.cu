// wgmma.mma_async m64nNk16 (bf16): cycles and counters of operand reads from shared memory, by
// swizzle mode, strides between core matrices, N, and whether A comes from registers.
// Usage: wgmma clock|count. One launch a row.
#include "bench.h"

#include <cstdint>

// Addresses and strides are kept in units of 16 bytes.
__device__ static uint64_t descriptor(unsigned shared, unsigned leading, unsigned stride,
                                      unsigned swizzle) {
    return (uint64_t)(shared >> 4 & 0x3fff) | (uint64_t)(leading >> 4 & 0x3fff) << 16 |
           (uint64_t)(stride >> 4 & 0x3fff) << 32 | (uint64_t)swizzle << 62;
}

#define D8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]),      \
    "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define LIST32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,"  \
    "%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"

template <int N, bool A_SHARED>
__device__ static void multiply(float *d, uint64_t a, uint64_t b, const unsigned *r) {
    if (N == 8 && A_SHARED)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, "
                     "1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(a), "l"(b));
    else if (N == 8)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, %8, 1, 1, 1, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
    else if (A_SHARED)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " LIST32
                     ", %32, %33, 1, 1, 1, 0, 0;"
                     : D8(d, 0), D8(d, 8), D8(d, 16), D8(d, 24) : "l"(a), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " LIST32
                     ", {%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
                     : D8(d, 0), D8(d, 8), D8(d, 16), D8(d, 24)
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
}

template <int N, bool A_SHARED>
__global__ void __launch_bounds__(128, 1)
    matrix(unsigned swizzle, unsigned leading, unsigned stride, unsigned copies, long long *cycles,
           float *sink) {
    unsigned base = (unsigned)__cvta_generic_to_shared(shared_bytes);
    uint64_t a = descriptor(base, leading, stride, swizzle);
    uint64_t b = descriptor(base + 32 * 1024, leading, stride, swizzle);
    float d[32] = {};
    unsigned r[4] = {threadIdx.x, 1, 2, 3};
    long long best = 1LL << 60;
    for (int repeat = 0; repeat < (cycles ? REPEATS : 1); repeat++) {
        if (cycles)
            __syncthreads();
        long long begin = clock64();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (unsigned i = 0; i < copies; i++)
            multiply<N, A_SHARED>(d, a, b, r);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        long long taken = clock64() - begin;
        best = taken < best ? taken : best;
    }
    if (cycles && threadIdx.x == 0)
        *cycles = best;
    float sum = 0;
    for (float value : d)
        sum += value;
    if (sum == 12345)
        *sink = sum;
}

template <int N, bool A_SHARED>
static void one(bool is_clock, unsigned swizzle, unsigned leading, unsigned stride,
                long long *cycles) {
    unsigned copies = is_clock ? 128 : COUNTED;
    CHECK(cudaFuncSetAttribute(matrix<N, A_SHARED>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               100 * 1024));
    matrix<N, A_SHARED><<<1, 128, 100 * 1024>>>(swizzle, leading, stride, copies,
                                                is_clock ? cycles : nullptr, (float *)cycles);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    long long taken = 0;
    CHECK(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    const char *names[] = {"none", "128", "64", "32"};
    printf("wgmma.m64n%dk16.bf16,%s,%s,%u,%u,%u", N, A_SHARED ? "shared" : "registers",
           names[swizzle], leading, stride, copies);
    if (is_clock)
        printf(",%.4f", (double)taken / copies);
    printf("\n");
}

int main(int argc, char **argv) {
    bool is_clock = argc > 1 && !strcmp(argv[1], "clock");
    long long *cycles;
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    // swizzle mode, bytes between core matrices along K, and along M or N
    const unsigned layouts[][3] = {{0, 128, 256},  {0, 128, 128},  {0, 256, 128},  {0, 1024, 128},
                                   {0, 144, 288},  {0, 128, 1024}, {0, 16, 256},   {0, 2048, 128},
                                   {3, 16, 256},   {3, 16, 512},   {2, 16, 512},   {2, 16, 1024},
                                   {1, 16, 1024},  {1, 16, 2048},  {1, 16, 512}};
    for (auto &layout : layouts) {
        one<8, true>(is_clock, layout[0], layout[1], layout[2], cycles);
        one<8, false>(is_clock, layout[0], layout[1], layout[2], cycles);
        one<64, true>(is_clock, layout[0], layout[1], layout[2], cycles);
        one<64, false>(is_clock, layout[0], layout[1], layout[2], cycles);
    }
    return 0;
}
