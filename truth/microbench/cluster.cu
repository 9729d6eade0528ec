// Distributed shared memory: the warps of one block of a cluster of two access the other block's.
// Usage as in bench.h; block 0 issues, block 1 waits.
#include "bench.h"

#include <cooperative_groups.h>

enum { MINE, OTHERS };

template <class Op, int WHOSE>
__global__ void __cluster_dims__(2, 1, 1)
    clustered(const pattern *patterns, unsigned count, unsigned copies, unsigned zero,
              float *cycles, float *never) {
    unsigned base = (unsigned)__cvta_generic_to_shared(shared_bytes), lane = threadIdx.x % 32;
    auto cluster = cooperative_groups::this_cluster();
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote)
                 : "r"(base), "r"(WHOSE == MINE ? 0 : 1));
    cluster.sync();
    for (unsigned p = 0; p < count && cluster.block_rank() == 0; p++) {
        bool is_on = patterns[p].mask >> lane & 1;
        unsigned shared = remote + patterns[p].offset[lane];
        long long best = 1LL << 60;
        unsigned sink = 0;
        for (int repeat = 0; repeat < (cycles ? REPEATS : 1); repeat++) {
            if (cycles)
                __syncthreads();
            long long begin = clock64();
            if (is_on) {
#pragma unroll 4
                for (unsigned i = 0; i < copies; i++)
                    Op::run(shared, nullptr, lane + i * 32, zero * i, sink);
            }
            if (cycles)
                __syncthreads();
            long long taken = clock64() - begin;
            best = taken < best ? taken : best;
        }
        if (threadIdx.x == 0 && cycles)
            cycles[p] = best / (copies * 32.0f);
        if (sink == NEVER)
            *never = sink;
    }
    cluster.sync();
}

OP(load_4, unsigned a;
   asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(shared + again) : "memory");
   sink += a;)
OP(load_8, unsigned long long a;
   asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(a) : "r"(shared + again) : "memory");
   sink += (unsigned)a + (unsigned)(a >> 32);)
OP(load_16, unsigned a, b, c, d;
   asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared + again) : "memory");
   sink += a + b + c + d;)
OP(store_4, asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(shared + again), "r"(value)
                         : "memory");)
OP(store_8, asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %1};" ::"r"(shared + again),
                         "r"(value)
                         : "memory");)
OP(store_16, asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(shared + again),
                          "r"(value) : "memory");)
OP(add_4, unsigned a; asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;"
                                   : "=r"(a) : "r"(shared + again), "r"(value) : "memory");)

struct cluster_operation {
    const char *name;
    void (*run)(const pattern *, unsigned, unsigned, unsigned, float *, float *);
};
#define BOTH(name, id) {name " @other", clustered<id, OTHERS>}, {name " @mine", clustered<id, MINE>}
static const cluster_operation operations[] = {
    BOTH("ld.shared::cluster.u32", load_4),      BOTH("ld.shared::cluster.u64", load_8),
    BOTH("ld.shared::cluster.v4.u32", load_16),  BOTH("st.shared::cluster.u32", store_4),
    BOTH("st.shared::cluster.v2.u32", store_8),  BOTH("st.shared::cluster.v4.u32", store_16),
    BOTH("atom.shared::cluster.add.u32", add_4),
};

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    bool is_clock = !strcmp(argv[1], "clock");
    std::vector<named_pattern> all = read_patterns(argv[2]);
    pattern *one;
    float *cycles, result;
    CHECK(cudaMalloc(&one, sizeof *one));
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    for (size_t i = 0; i < all.size(); i++) {
        for (const cluster_operation &operation : operations) {
            if (all[i].instruction != operation.name)
                continue;
            CHECK(cudaMemcpy(one, &all[i].lanes, sizeof *one, cudaMemcpyHostToDevice));
            operation.run<<<2, is_clock ? 1024 : 32, SHARED_BYTES>>>(
                one, 1, is_clock ? COPIES : COUNTED, 0, is_clock ? cycles : nullptr, cycles);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(&result, cycles, sizeof result, cudaMemcpyDeviceToHost));
            if (is_clock)
                printf("%zu,%.4f\n", i, result);
            else
                printf("%zu\n", i);
        }
    }
    return 0;
}
