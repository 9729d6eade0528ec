// Bulk copies (cp.async.bulk, 1D) from global to shared memory and back, by size and alignment.
// Usage: bulk_copy clock|count. Prints instruction,bytes,shared offset,global offset,copies in a
// row[,cycles of one copy]; one launch a row, in this order.
#include "bench.h"

__device__ static void wait(unsigned barrier, unsigned parity) {
    asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
                 "%1; @!done bra again; }" ::"r"(barrier), "r"(parity) : "memory");
}

template <bool IS_LOAD>
__global__ void bulk(char *global, unsigned bytes, unsigned offset, unsigned copies,
                     long long *cycles) {
    __shared__ unsigned long long barrier_word;
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&barrier_word);
    unsigned shared = (unsigned)__cvta_generic_to_shared(shared_bytes) + offset;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    long long best = 1LL << 60;
    for (unsigned repeat = 0; repeat < (cycles ? REPEATS : 1); repeat++) {
        long long begin = clock64();
        if (IS_LOAD) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
                         "r"(bytes * copies) : "memory");
            for (unsigned i = 0; i < copies; i++)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                             "[%0], [%1], %2, [%3];" ::"r"(shared), "l"(global), "r"(bytes),
                             "r"(barrier) : "memory");
            wait(barrier, repeat & 1);
        } else {
            for (unsigned i = 0; i < copies; i++)
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                                 global), "r"(shared), "r"(bytes) : "memory");
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
        long long taken = clock64() - begin;
        best = taken < best ? taken : best;
    }
    if (cycles)
        *cycles = best;
}

static void one(bool is_clock, bool is_load, char *global, unsigned bytes, unsigned offset,
                unsigned from, long long *cycles) {
    unsigned copies = is_clock ? 32 : COUNTED; // an mbarrier counts less than 1 MB
    auto kernel = is_load ? bulk<true> : bulk<false>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    kernel<<<1, 1, 40 * 1024>>>(global + from, bytes, offset, copies, is_clock ? cycles : nullptr);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    long long taken = 0;
    CHECK(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    printf("%s,%u,%u,%u,%u", is_load ? "cp.async.bulk.load" : "cp.async.bulk.store", bytes, offset,
           from, copies);
    if (is_clock)
        printf(",%.4f", (double)taken / copies);
    printf("\n");
}

int main(int argc, char **argv) {
    bool is_clock = argc > 1 && !strcmp(argv[1], "clock");
    const unsigned sizes[] = {16, 32, 48, 64, 96, 128, 144, 256, 512, 1024, 4096, 16384};
    const unsigned offsets[] = {0, 16, 48, 64, 112};
    char *global;
    long long *cycles;
    CHECK(cudaMalloc(&global, GLOBAL_BYTES));
    CHECK(cudaMemset(global, 1, GLOBAL_BYTES));
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    for (int is_load = 1; is_load >= 0; is_load--)
        for (unsigned bytes : sizes)
            for (unsigned offset : offsets)
                for (unsigned from : {0u, 16u, 80u})
                    one(is_clock, is_load, global, bytes, offset, from, cycles);
    return 0;
}
