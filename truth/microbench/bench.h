// What all microbenchmarks share: a file of patterns in, one line of results for each out.
//
// An operation is a struct with `static __device__ void run(unsigned shared, const char *global,
// unsigned value, unsigned again, unsigned &sink)`, which issues one instruction and adds what it
// loads to the sink, and `finish()`, which waits for what is left. It runs in two ways:
//   clock   32 warps of one block issue 64 copies each; cycles of one warp-level instruction
//   count   one warp issues 4 copies (or another number) in a launch of its own, for the profiler
// `again`, 0 at run time, and the sink keep the compiler from dropping a copy that repeats the one
// before, or whose result nobody needs.
#pragma once
#pragma nv_diag_suppress 550 // results that nobody needs
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

enum { COPIES = 64, COUNTED = 4, REPEATS = 3, SHARED_BYTES = 48 * 1024 - 1024 };
const unsigned NEVER = 0x9e3779b9; // no sum of what the patterns load
constexpr size_t GLOBAL_BYTES = 64 << 20, GLOBAL_ALIGN = 64 << 20;

struct pattern {
    unsigned mask;
    unsigned offset[32]; // into shared memory
    unsigned other[32];  // into global memory, or lanes of a shuffle
};

extern __shared__ __align__(1024) unsigned char shared_bytes[];

// With cp.async, for which there are no counters of stores to tell from it.
__device__ inline void clear_shared() {
    for (unsigned i = threadIdx.x * 4; i < SHARED_BYTES; i += blockDim.x * 4)
        *(unsigned *)(shared_bytes + i) = 0;
    __syncthreads();
}

template <class Op>
__global__ void clocked(const pattern *patterns, unsigned count, const char *global,
                        unsigned zero, float *cycles) {
    unsigned base = (unsigned)__cvta_generic_to_shared(shared_bytes), lane = threadIdx.x % 32;
    for (unsigned p = blockIdx.x; p < count; p += gridDim.x) {
        const pattern *one = patterns + p;
        bool is_on = one->mask >> lane & 1;
        unsigned shared = base + one->offset[lane];
        const char *from = global + one->other[lane];
        long long best = 1LL << 60;
        unsigned sink = 0;
        clear_shared();
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            __syncthreads();
            long long begin = clock64();
            if (is_on) {
#pragma unroll 8
                for (unsigned i = 0; i < COPIES; i++)
                    Op::run(shared, from, lane + 1 + i * 32, zero * i, sink);
                Op::finish();
            }
            __syncthreads();
            long long taken = clock64() - begin;
            best = taken < best ? taken : best;
        }
        if (threadIdx.x == 0)
            cycles[p] = best / (COPIES * 32.0f);
        if (sink == NEVER)
            cycles[p] = sink;
    }
}

template <class Op>
__global__ void counted(const pattern *one, const char *global, bool is_cleared, unsigned copies,
                        unsigned zero, float *never) {
    unsigned base = (unsigned)__cvta_generic_to_shared(shared_bytes), lane = threadIdx.x;
    if (is_cleared)
        clear_shared();
    unsigned shared = base + one->offset[lane];
    const char *from = global + one->other[lane];
    unsigned sink = 0;
    if (one->mask >> lane & 1) {
#pragma unroll 4
        for (unsigned i = 0; i < copies; i++)
            Op::run(shared, from, lane + 1 + i * 32, zero * i, sink);
        Op::finish();
    }
    if (sink == NEVER)
        *never = sink;
}

struct operation {
    const char *name;
    void (*clocked)(const pattern *, unsigned, const char *, unsigned, float *);
    void (*counted)(const pattern *, const char *, bool, unsigned, unsigned, float *);
    bool is_cleared;
};

struct named_pattern {
    std::string instruction;
    pattern lanes;
};

// instruction,mask,32 offsets,32 others (or nothing)
inline std::vector<named_pattern> read_patterns(const char *path) {
    std::vector<named_pattern> all;
    FILE *file = fopen(path, "r");
    static char line[8192];
    if (!file || !fgets(line, sizeof line, file)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        named_pattern one = {};
        char *at = strchr(line, ',');
        one.instruction.assign(line, at - line);
        one.lanes.mask = strtoul(at + 1, &at, 16);
        at++;
        for (unsigned &offset : one.lanes.offset)
            offset = strtoul(at, &at, 10);
        if (*at == ',')
            at++;
        for (unsigned &other : one.lanes.other)
            other = strtoul(at, &at, 10);
        all.push_back(one);
    }
    fclose(file);
    return all;
}

inline const operation *find(const operation *operations, size_t count, const std::string &name) {
    for (size_t i = 0; i < count; i++)
        if (name == operations[i].name)
            return &operations[i];
    return nullptr;
}

// Usage: PROGRAM clock|count PATTERNS [COPIES]. Patterns of instructions that this program lacks
// are skipped. Prints the row of the pattern, counted from 0, and with `clock` the cycles; with
// `count` the launches come in the same order.
inline int bench_main(int argc, char **argv, const operation *operations, size_t count) {
    if (argc < 3)
        return 2;
    bool is_clock = !strcmp(argv[1], "clock");
    unsigned copies = argc > 3 ? atoi(argv[3]) : COUNTED;
    std::vector<named_pattern> all = read_patterns(argv[2]);
    pattern *patterns;
    char *global;
    float *cycles;
    CHECK(cudaMalloc(&patterns, all.size() * sizeof *patterns));
    CHECK(cudaMalloc(&global, GLOBAL_BYTES + GLOBAL_ALIGN)); // addresses matter to cp.async
    global += -(size_t)global % GLOBAL_ALIGN;
    CHECK(cudaMalloc(&cycles, all.size() * sizeof *cycles));
    CHECK(cudaMemset(global, 1, GLOBAL_BYTES));
    for (size_t i = 0; i < all.size(); i++)
        CHECK(cudaMemcpy(patterns + i, &all[i].lanes, sizeof(pattern), cudaMemcpyHostToDevice));
    std::vector<float> result(all.size());
    for (size_t begin = 0, end; begin < all.size(); begin = end) {
        for (end = begin; end < all.size() && all[end].instruction == all[begin].instruction;)
            end++;
        const operation *operation = find(operations, count, all[begin].instruction);
        if (!operation)
            continue;
        if (is_clock) {
            operation->clocked<<<132, 1024, SHARED_BYTES>>>(patterns + begin, end - begin, global,
                                                            0, cycles + begin);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(&result[begin], cycles + begin, (end - begin) * sizeof(float),
                             cudaMemcpyDeviceToHost));
        }
        for (size_t i = begin; i < end; i++) {
            if (is_clock) {
                printf("%zu,%.4f\n", i, result[i]);
                continue;
            }
            operation->counted<<<1, 32, SHARED_BYTES>>>(
                patterns + i, global, operation->is_cleared, copies, 0, cycles);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            printf("%zu\n", i);
        }
    }
    return 0;
}

// Struct ID for an instruction; its statements may use run()'s arguments.
#define OP(id, ...)                                                                          \
    struct id {                                                                              \
        static __device__ __forceinline__ void run(unsigned shared, const char *from,        \
                                                   unsigned value, unsigned again,           \
                                                   unsigned &sink) {                         \
            (void)shared, (void)from, (void)value, (void)again, (void)sink;                  \
            __VA_ARGS__                                                                      \
        }                                                                                    \
        static __device__ __forceinline__ void finish() {}                                   \
    };
#define ROW(name, id, is_cleared) {name, clocked<id>, counted<id>, is_cleared}
#define MAIN(rows)                                                                           \
    int main(int argc, char **argv) {                                                        \
        return bench_main(argc, argv, rows, sizeof rows / sizeof *rows);                     \
    }
