// Tensor maps as lines of text say them, loads with them, and what is shown of what arrived: what
// tensor_maps.cu and tensor_layout.cu have in common. A copy that ends in an error spoils the
// process; the program then starts itself again at the next line.
#pragma once
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

enum { TILE = 40960, ROOM = TILE + 1024, BUFFER = 8 << 20, BASE = 2 << 20 };

struct job {
    int op, use, rank, at[5];
    unsigned short off[3];
    unsigned to, bytes;
};
enum { LOAD, LOAD_CTA, MULTICAST, STORE, ADD, MAX, XOR, PREFETCH, ENCODE, OPS };
static const char *const op_names[OPS] = {"load", "load_cta", "multicast", "store", "add",
                                          "max",  "xor",      "prefetch",  "encode"};
enum { TILED, IM2COL };

// ---- The kernels --------------------------------------------------------------------------------

__device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

#define AT1 "r"(j.at[0])
#define AT2 AT1, "r"(j.at[1])
#define AT3 AT2, "r"(j.at[2])
#define AT4 AT3, "r"(j.at[3])
#define AT5 AT4, "r"(j.at[4])

#define TILE_LOAD(space, tail, dim, list, ...)                                                     \
    asm volatile("cp.async.bulk.tensor." dim "." space                                             \
                 ".global.tile.mbarrier::complete_tx::bytes" tail(list)::"r"(to),                  \
                 "l"(m), "r"(bar), "h"(mask), __VA_ARGS__                                          \
                 : "memory")
#define PLAIN(list) " [%0], [%1, {" list "}], [%2];"
#define TO_MANY(list) ".multicast::cluster [%0], [%1, {" list "}], [%2], %3;"
#define LOAD_TILE(space, tail)                                                                     \
    switch (j.rank) {                                                                              \
    case 1:                                                                                        \
        TILE_LOAD(space, tail, "1d", "%4", AT1);                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        TILE_LOAD(space, tail, "2d", "%4, %5", AT2);                                               \
        break;                                                                                     \
    case 3:                                                                                        \
        TILE_LOAD(space, tail, "3d", "%4, %5, %6", AT3);                                           \
        break;                                                                                     \
    case 4:                                                                                        \
        TILE_LOAD(space, tail, "4d", "%4, %5, %6, %7", AT4);                                       \
        break;                                                                                     \
    default:                                                                                       \
        TILE_LOAD(space, tail, "5d", "%4, %5, %6, %7, %8", AT5);                                   \
    }

#define IM2COL_LOAD(space, tail, dim, list, offsets, ...)                                          \
    asm volatile("cp.async.bulk.tensor." dim "." space                                             \
                 ".global.im2col.mbarrier::complete_tx::bytes" tail(list, offsets)::"r"(to),       \
                 "l"(m), "r"(bar), "h"(mask), "h"(j.off[0]), "h"(j.off[1]), "h"(j.off[2]),         \
                 __VA_ARGS__                                                                       \
                 : "memory")
#define PLAIN2(list, offsets) " [%0], [%1, {" list "}], [%2], {" offsets "};"
#define TO_MANY2(list, offsets)                                                                    \
    ".multicast::cluster [%0], [%1, {" list "}], [%2], {" offsets "}, %3;"
#define LOAD_IM2COL(space, tail)                                                                   \
    switch (j.rank) {                                                                              \
    case 3:                                                                                        \
        IM2COL_LOAD(space, tail, "3d", "%7, %8, %9", "%4", AT3);                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        IM2COL_LOAD(space, tail, "4d", "%7, %8, %9, %10", "%4, %5", AT4);                          \
        break;                                                                                     \
    default:                                                                                       \
        IM2COL_LOAD(space, tail, "5d", "%7, %8, %9, %10, %11", "%4, %5, %6", AT5);                 \
    }

__device__ void start_load(const job &j, const CUtensorMap *map, uint32_t to, uint32_t bar) {
    const uint64_t m = (uint64_t)map;
    const unsigned short mask = 3;
    if (j.use == TILED) {
        if (j.op == LOAD_CTA)
            LOAD_TILE("shared::cta", PLAIN)
        else if (j.op == MULTICAST)
            LOAD_TILE("shared::cluster", TO_MANY)
        else
            LOAD_TILE("shared::cluster", PLAIN)
    } else {
        if (j.op == LOAD_CTA)
            LOAD_IM2COL("shared::cta", PLAIN2)
        else if (j.op == MULTICAST)
            LOAD_IM2COL("shared::cluster", TO_MANY2)
        else
            LOAD_IM2COL("shared::cluster", PLAIN2)
    }
}

__device__ bool is_complete(uint32_t bar, int tries) {
    int done = 0;
    while (!done && tries--)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    return done;
}

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// The mbarrier waits for 16 bytes more than the copy should bring: it must not be complete before
// they came as well, and must be then.
__global__ void load(const __grid_constant__ CUtensorMap map, const __grid_constant__ job j,
                     uint4 *out, int *heard) {
    extern __shared__ __align__(1024) uint8_t dynamic[];
    __shared__ __align__(8) uint64_t word;
    const uint32_t bar = shared_address(&word);
    uint8_t *tile = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
    for (unsigned i = threadIdx.x; i < TILE / 16; i += blockDim.x)
        ((uint4 *)tile)[i] = make_uint4(0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(j.bytes + 16)
                     : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster_barrier();
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0)
            start_load(j, &map, shared_address(tile) + j.to, bar);
        const bool is_early = is_complete(bar, 600);
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%0], 16;" ::"r"(bar)
                     : "memory");
        heard[blockIdx.x] = !is_early && is_complete(bar, 600);
    }
    cluster_barrier();
    for (unsigned i = threadIdx.x; i < TILE / 16; i += blockDim.x)
        out[blockIdx.x * (TILE / 16) + i] = ((uint4 *)tile)[i];
}

// ---- Cases --------------------------------------------------------------------------------------

struct spec {
    int op, map, use, type, rank, dim, interleave, swizzle, promotion, fill, dump, wide, mode;
    cuuint64_t size[5], stride[4];
    cuuint32_t box[5], step[5], channels, pixels;
    int lower[3], upper[3], at[5], off[3];
    uint64_t base, address; // within the buffer, or anywhere
    unsigned to;
};

static std::string field(const std::string &line, const char *key) {
    const std::string wanted = std::string(" ") + key + "=", text = " " + line + " ";
    const size_t at = text.find(wanted);
    if (at == std::string::npos)
        return "";
    const size_t from = at + wanted.size();
    return text.substr(from, text.find(' ', from) - from);
}

template <typename T>
static void numbers(const std::string &line, const char *key, T *to, int most) {
    const std::string text = field(line, key);
    const char *at = text.c_str();
    for (int i = 0; i < most && *at; i++) {
        char *end;
        to[i] = (T)strtoull(at, &end, 0);
        at = *end == ',' ? end + 1 : end;
    }
}

template <typename T> static void number(const std::string &line, const char *key, T *to) {
    numbers(line, key, to, 1);
}

static spec parse(const std::string &line) {
    spec s = {};
    for (int i = 0; i < 5; i++)
        s.step[i] = 1;
    for (int i = 0; i < OPS; i++)
        if (field(line, "op") == op_names[i])
            s.op = i;
    s.map = field(line, "map") == "im2col" ? IM2COL : TILED;
    s.use = field(line, "use").empty() ? s.map : field(line, "use") == "im2col" ? IM2COL : TILED;
    number(line, "type", &s.type), number(line, "rank", &s.rank);
    s.dim = s.rank;
    number(line, "dim", &s.dim);
    number(line, "il", &s.interleave), number(line, "sw", &s.swizzle);
    number(line, "l2", &s.promotion), number(line, "fill", &s.fill);
    number(line, "dump", &s.dump), number(line, "to", &s.to), number(line, "base", &s.base);
    number(line, "address", &s.address);
    number(line, "wide", &s.wide), number(line, "mode", &s.mode);
    number(line, "ch", &s.channels), number(line, "px", &s.pixels);
    numbers(line, "size", s.size, 5), numbers(line, "stride", s.stride, 4);
    numbers(line, "box", s.box, 5), numbers(line, "step", s.step, 5);
    numbers(line, "lower", s.lower, 3), numbers(line, "upper", s.upper, 3);
    numbers(line, "at", s.at, 5), numbers(line, "off", s.off, 3);
    return s;
}

static PFN_cuTensorMapEncodeTiled_v12000 encode_tiled;
static PFN_cuTensorMapEncodeIm2col_v12000 encode_im2col;
static PFN_cuTensorMapEncodeIm2colWide_v12080 encode_wide;
static uint8_t *buffer, *out; // on the device
static int *heard;            // of each block: whether the mbarrier heard of all bytes
static std::vector<uint8_t> pattern(BUFFER), copy(BUFFER);

static CUresult encode(CUtensorMap *map, const spec &s) {
    uint8_t *base = s.address ? (uint8_t *)s.address : buffer + BASE + s.base;
    if (s.wide)
        return encode_wide(map, (CUtensorMapDataType)s.type, s.rank, base, s.size, s.stride,
                           s.lower[0], s.upper[0], s.channels, s.pixels, s.step,
                           (CUtensorMapInterleave)s.interleave, (CUtensorMapIm2ColWideMode)s.mode,
                           (CUtensorMapSwizzle)s.swizzle, (CUtensorMapL2promotion)s.promotion,
                           (CUtensorMapFloatOOBfill)s.fill);
    if (s.map == IM2COL)
        return encode_im2col(map, (CUtensorMapDataType)s.type, s.rank, base, s.size, s.stride,
                             s.lower, s.upper, s.channels, s.pixels, s.step,
                             (CUtensorMapInterleave)s.interleave, (CUtensorMapSwizzle)s.swizzle,
                             (CUtensorMapL2promotion)s.promotion, (CUtensorMapFloatOOBfill)s.fill);
    return encode_tiled(map, (CUtensorMapDataType)s.type, s.rank, base, s.size, s.stride, s.box,
                        s.step, (CUtensorMapInterleave)s.interleave, (CUtensorMapSwizzle)s.swizzle,
                        (CUtensorMapL2promotion)s.promotion, (CUtensorMapFloatOOBfill)s.fill);
}

static uint64_t hash(const uint8_t *data, size_t bytes) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

// Words that differ from what was there, as runs: ADDRESS: FIRST+COUNT ascend, FIRST*COUNT are the
// same.
static void show(const uint8_t *data, const uint8_t *old, size_t bytes) {
    uint32_t w[2], was;
    for (size_t i = 0; i < bytes; i += 4) {
        memcpy(w, data + i, 4);
        memcpy(&was, old + i, 4);
        if (w[0] == was)
            continue;
        size_t count = 1;
        uint32_t step = 0;
        for (; i + 4 * count < bytes; count++) {
            memcpy(&w[1], data + i + 4 * count, 4);
            memcpy(&was, old + i + 4 * count, 4);
            if (count == 1)
                step = w[1] - w[0];
            if (w[1] == was || step > 1 || w[1] != w[0] + (uint32_t)count * step)
                break;
        }
        if (count == 1)
            step = 0;
        printf(" %zx:%x%c%zu", i, w[0], step ? '+' : '*', count);
        i += 4 * (count - 1);
    }
    printf("\n");
}

static cudaError_t launch_load(const CUtensorMap &map, const job &j, unsigned blocks) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {blocks, 1, 1};
    config.gridDim = blocks;
    config.blockDim = 256;
    config.dynamicSmemBytes = ROOM;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, load, map, j, (uint4 *)out, heard);
}

static cudaError_t run_load(const CUtensorMap &map, const job &j, const spec &s) {
    static uint8_t empty[TILE];
    const unsigned blocks = s.op == MULTICAST ? 2 : 1;
    int is_right[2];
    memset(empty, 0x5a, TILE);
    cudaError_t error = launch_load(map, j, blocks);
    if (!error)
        error = cudaMemcpy(copy.data(), out, blocks * TILE, cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaMemcpy(is_right, heard, sizeof is_right, cudaMemcpyDeviceToHost);
    printf("= %s", cudaGetErrorName(error));
    for (unsigned b = 0; b < blocks && !error; b++)
        printf(" tx %s%u hash %016" PRIx64, is_right[b] ? "" : "not ", j.bytes,
               hash(copy.data() + b * TILE, TILE));
    printf("\n");
    if (!error && s.dump)
        show(copy.data(), empty, TILE);
    return error;
}

// Bytes in shared memory, without the gaps of swizzled rows.
static unsigned box_bytes(const spec &s) {
    static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    const unsigned unit = s.interleave ? 8u << s.interleave : sizes[s.type % 13];
    if (s.map == IM2COL)
        return s.pixels * unit * (s.interleave ? 1 : s.channels);
    unsigned bytes = unit;
    for (int i = 0; i < s.rank && i < 5; i++) {
        const unsigned step = i || s.interleave ? s.step[i] : 1;
        if (!s.interleave || i != s.rank - 2) // one slice of the channels
            bytes *= (s.box[i] + step - 1) / (step ? step : 1);
    }
    return bytes;
}

static job job_of(const spec &s) {
    job j = {s.op, s.use, s.dim, {}, {}, s.to, box_bytes(s)};
    memcpy(j.at, s.at, sizeof j.at);
    for (int i = 0; i < 3; i++)
        j.off[i] = (unsigned short)s.off[i];
    return j;
}

static void *entry(const char *name, unsigned version) {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found);
    if (!function)
        printf("no %s\n", name);
    return function;
}

static void prepare() {
    encode_tiled = (PFN_cuTensorMapEncodeTiled_v12000)entry("cuTensorMapEncodeTiled", 12000);
    encode_im2col = (PFN_cuTensorMapEncodeIm2col_v12000)entry("cuTensorMapEncodeIm2col", 12000);
    encode_wide =
        (PFN_cuTensorMapEncodeIm2colWide_v12080)entry("cuTensorMapEncodeIm2colWide", 12080);
    for (int32_t i = 0; i < BUFFER / 4; i++) {
        const int32_t word = i - BASE / 4;
        memcpy(&pattern[4 * i], &word, 4);
    }
    cudaMalloc(&buffer, BUFFER);
    cudaMalloc(&out, 2 * TILE);
    cudaMalloc(&heard, 2 * sizeof *heard);
    cudaMemcpy(buffer, pattern.data(), BUFFER, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
}

// Runs the cases of a file, each with what `run` does.
static int run_cases(int argc, char **argv, cudaError_t (*run)(const std::string &line)) {
    char line[1024];
    const long first = argc > 2 ? atol(argv[2]) : 0;
    FILE *cases = fopen(argc > 1 ? argv[1] : "/dev/stdin", "r");
    if (!cases)
        return 2;
    for (long n = 0; fgets(line, sizeof line, cases); n++) {
        line[strcspn(line, "\n")] = 0;
        if (n < first || !line[0] || line[0] == '#')
            continue;
        const cudaError_t error = run(line);
        fflush(stdout);
        if (!error)
            continue;
        const std::string next = std::to_string(n + 1);
        execl("/proc/self/exe", argv[0], argv[1], next.c_str(), (char *)nullptr);
    }
    return 0;
}
