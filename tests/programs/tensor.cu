// Copies of tensors: maps from the driver's entry point, boxes of one to five dimensions, swizzles,
// boxes that reach over the edges, element strides, stores and reductions. Each line has a hash of
// what came.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

enum { BYTES = 1 << 14, TENSOR = 1 << 15 };

struct box {
    const char *name;
    CUtensorMapDataType type;
    unsigned rank;
    cuuint64_t size[5], stride[4];
    cuuint32_t count[5], step[5];
    CUtensorMapSwizzle swizzle;
    int first[5];
    CUtensorMapFloatOOBfill fill;
};

static PFN_cuTensorMapEncodeTiled_v12000 encode;
static uint8_t *tensor, *out, *source; // on the device
static uint8_t copy[TENSOR];

template <int RANK>
__device__ void load(uint32_t to, const CUtensorMap *map, const int *c, uint32_t bar) {
    const uint64_t m = (uint64_t)map;
#define LOAD "cp.async.bulk.tensor."
#define TO ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
    if (RANK == 1)
        asm volatile(LOAD "1d" TO "{%3}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]) : "memory");
    if (RANK == 2)
        asm volatile(LOAD "2d" TO "{%3, %4}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]),
                     "r"(c[1])
                     : "memory");
    if (RANK == 3)
        asm volatile(LOAD "3d" TO "{%3, %4, %5}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]),
                     "r"(c[1]), "r"(c[2])
                     : "memory");
    if (RANK == 4)
        asm volatile(LOAD "4d" TO "{%3, %4, %5, %6}], [%2];" ::"r"(to), "l"(m), "r"(bar), "r"(c[0]),
                     "r"(c[1]), "r"(c[2]), "r"(c[3])
                     : "memory");
    if (RANK == 5)
        asm volatile(LOAD "5d" TO "{%3, %4, %5, %6, %7}], [%2];" ::"r"(to), "l"(m), "r"(bar),
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])
                     : "memory");
}

__device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

struct place {
    int c[5];
};

// Dynamic shared memory from where a swizzle pattern may begin: static arrays lie before it.
static __device__ uint8_t *aligned_tile() {
    extern __shared__ uint8_t dynamic[];
    return dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
}

// The box in shared memory, byte by byte.
template <int RANK>
__global__ void fetch(const __grid_constant__ CUtensorMap map, place at, unsigned bytes,
                      uint8_t *out) {
    uint8_t *tile = aligned_tile();
    __shared__ __align__(8) uint64_t bar;
    for (unsigned i = threadIdx.x; i < BYTES; i += blockDim.x)
        tile[i] = 0x5a;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bar)));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&bar)),
            "r"(bytes)
            : "memory");
        load<RANK>(shared_address(tile), &map, at.c, shared_address(&bar));
    }
    for (int done = 0, tries = 0; !done && tries < 1 << 20; tries++)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&bar))
                     : "memory");
    for (unsigned i = threadIdx.x; i < BYTES; i += blockDim.x)
        out[i] = tile[i];
}

#define STORE(dim, list, ...)                                                                      \
    if (op == 0)                                                                                   \
        asm volatile("cp.async.bulk.tensor." dim ".global.shared::cta.tile.bulk_group [%0, " list  \
                     "], [%1];" ::"l"(&map),                                                       \
                     "r"(from), __VA_ARGS__                                                        \
                     : "memory");                                                                  \
    if (op == 1)                                                                                   \
        asm volatile("cp.reduce.async.bulk.tensor." dim                                            \
                     ".global.shared::cta.add.tile.bulk_group [%0, " list "], [%1];" ::"l"(&map),  \
                     "r"(from), __VA_ARGS__                                                        \
                     : "memory");                                                                  \
    if (op == 2)                                                                                   \
        asm volatile("cp.reduce.async.bulk.tensor." dim                                            \
                     ".global.shared::cta.max.tile.bulk_group [%0, " list "], [%1];" ::"l"(&map),  \
                     "r"(from), __VA_ARGS__                                                        \
                     : "memory");                                                                  \
    if (op == 3)                                                                                   \
        asm volatile("cp.reduce.async.bulk.tensor." dim                                            \
                     ".global.shared::cta.xor.tile.bulk_group [%0, " list "], [%1];" ::"l"(&map),  \
                     "r"(from), __VA_ARGS__                                                        \
                     : "memory");

// The other way, with an operation.
template <int RANK>
__global__ void put(const __grid_constant__ CUtensorMap map, place at, int op,
                    const uint8_t *source) {
    uint8_t *tile = aligned_tile();
    for (unsigned i = threadIdx.x; i < BYTES; i += blockDim.x)
        tile[i] = source[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
    const uint32_t from = shared_address(tile);
    if (RANK == 1) {
        STORE("1d", "{%2}", "r"(at.c[0]))
    } else if (RANK == 2) {
        STORE("2d", "{%2, %3}", "r"(at.c[0]), "r"(at.c[1]))
    } else {
        STORE("3d", "{%2, %3, %4}", "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]))
    }
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static uint64_t hash(const uint8_t *data, size_t bytes) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ data[i]) * 1099511628211u;
    return h;
}

static unsigned bytes_of(CUtensorMapDataType type) {
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

static CUresult make(CUtensorMap *map, const box *b) {
    return encode(map, b->type, b->rank, tensor, b->size, b->stride, b->count, b->step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, b->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  b->fill);
}

static unsigned box_bytes(const box *b) {
    unsigned bytes = bytes_of(b->type);
    for (unsigned i = 0; i < b->rank; i++)
        bytes *= i ? (b->count[i] + b->step[i] - 1) / b->step[i] : b->count[i];
    return bytes;
}

static void fill_tensor() {
    for (unsigned i = 0; i < TENSOR / 4; i++) {
        const uint32_t word = (i + 1) * 2654435761u ^ i >> 3;
        memcpy(copy + 4 * i, &word, 4);
    }
    cudaMemcpy(tensor, copy, TENSOR, cudaMemcpyHostToDevice);
}

template <int RANK> static void fetch_box(const CUtensorMap &map, const box *b) {
    place at;
    memcpy(at.c, b->first, sizeof at.c);
    cudaFuncSetAttribute(fetch<RANK>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES + 1024);
    fetch<RANK><<<1, 128, BYTES + 1024>>>(map, at, box_bytes(b), out);
}

static void show_load(const box *b) {
    CUtensorMap map;
    const CUresult result = make(&map, b);
    printf("load %s: ", b->name);
    if (result) {
        printf("error %d\n", result);
        return;
    }
    b->rank == 1   ? fetch_box<1>(map, b)
    : b->rank == 2 ? fetch_box<2>(map, b)
    : b->rank == 3 ? fetch_box<3>(map, b)
    : b->rank == 4 ? fetch_box<4>(map, b)
                   : fetch_box<5>(map, b);
    const cudaError_t error = cudaMemcpy(copy, out, BYTES, cudaMemcpyDeviceToHost);
    printf("%s %u bytes %016llx\n", cudaGetErrorName(error), box_bytes(b),
           (unsigned long long)hash(copy, BYTES));
}

template <int RANK> static void put_box(const CUtensorMap &map, const box *b, int op) {
    place at;
    memcpy(at.c, b->first, sizeof at.c);
    cudaFuncSetAttribute(put<RANK>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES + 1024);
    put<RANK><<<1, 128, BYTES + 1024>>>(map, at, op, source);
}

static void show_store(const box *b, int op) {
    static const char *const names[] = {"store", "add", "max", "xor"};
    CUtensorMap map;
    const CUresult result = make(&map, b);
    fill_tensor();
    printf("%s %s: ", names[op], b->name);
    if (result) {
        printf("error %d\n", result);
        return;
    }
    b->rank == 1   ? put_box<1>(map, b, op)
    : b->rank == 2 ? put_box<2>(map, b, op)
                   : put_box<3>(map, b, op);
    const cudaError_t error = cudaMemcpy(copy, tensor, TENSOR, cudaMemcpyDeviceToHost);
    printf("%s %016llx\n", cudaGetErrorName(error), (unsigned long long)hash(copy, TENSOR));
}

#define U8 CU_TENSOR_MAP_DATA_TYPE_UINT8
#define U16 CU_TENSOR_MAP_DATA_TYPE_UINT16
#define U32 CU_TENSOR_MAP_DATA_TYPE_UINT32
#define S32 CU_TENSOR_MAP_DATA_TYPE_INT32
#define U64 CU_TENSOR_MAP_DATA_TYPE_UINT64
#define F16 CU_TENSOR_MAP_DATA_TYPE_FLOAT16
#define F32 CU_TENSOR_MAP_DATA_TYPE_FLOAT32
#define F64 CU_TENSOR_MAP_DATA_TYPE_FLOAT64
#define BF16 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
#define NONE CU_TENSOR_MAP_SWIZZLE_NONE
#define S32B CU_TENSOR_MAP_SWIZZLE_32B
#define S64B CU_TENSOR_MAP_SWIZZLE_64B
#define S128B CU_TENSOR_MAP_SWIZZLE_128B
#define ZEROS CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
#define NANS CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA

static const box boxes[] = {
    {"1d u8", U8, 1, {1000}, {}, {64}, {1}, NONE, {48}, ZEROS},
    {"1d f32 over the end", F32, 1, {100}, {}, {32}, {1}, NONE, {80}, ZEROS},
    {"1d u16 before the start", U16, 1, {100}, {}, {64}, {1}, NONE, {-8}, ZEROS},
    {"2d u32", U32, 2, {64, 50}, {256}, {16, 10}, {1, 1}, NONE, {4, 7}, ZEROS},
    {"2d f32 32 B", F32, 2, {64, 50}, {256}, {8, 40}, {1, 1}, S32B, {8, 1}, ZEROS},
    {"2d f32 64 B", F32, 2, {64, 50}, {256}, {16, 40}, {1, 1}, S64B, {8, 1}, ZEROS},
    {"2d f16 128 B", F16, 2, {128, 100}, {256}, {64, 64}, {1, 1}, S128B, {64, 1}, ZEROS},
    {"2d f16 128 B, narrow", F16, 2, {128, 100}, {256}, {32, 64}, {1, 1}, S128B, {64, 1}, ZEROS},
    {"2d u8 64 B, narrow", U8, 2, {128, 100}, {256}, {32, 9}, {1, 1}, S64B, {16, 1}, ZEROS},
    {"2d u32 around", U32, 2, {20, 10}, {80}, {32, 16}, {1, 1}, NONE, {-4, -3}, ZEROS},
    {"2d u32 outside", U32, 2, {20, 10}, {80}, {32, 16}, {1, 1}, NONE, {20, 10}, ZEROS},
    {"2d f32 NaN", F32, 2, {20, 10}, {80}, {32, 16}, {1, 1}, NONE, {-4, -3}, NANS},
    {"2d f16 NaN", F16, 2, {24, 10}, {48}, {32, 16}, {1, 1}, NONE, {-8, -3}, NANS},
    {"2d bf16 NaN 64 B", BF16, 2, {24, 10}, {48}, {32, 16}, {1, 1}, S64B, {-8, -3}, NANS},
    {"2d f64 NaN", F64, 2, {24, 10}, {192}, {8, 16}, {1, 1}, NONE, {20, 5}, NANS},
    {"2d u32 every third row", U32, 2, {20, 40}, {80}, {8, 16}, {1, 3}, NONE, {16, 4}, ZEROS},
    {"2d u32 step of the first", U32, 2, {20, 40}, {80}, {8, 16}, {2, 1}, NONE, {4, 4}, ZEROS},
    {"2d u32 far steps", U32, 2, {20, 40}, {80}, {8, 64}, {1, 8}, NONE, {4, -8}, ZEROS},
    {"3d f32 128 B",
     F32,
     3,
     {32, 16, 12},
     {128, 2048},
     {32, 8, 4},
     {1, 1, 1},
     S128B,
     {0, 2, 9},
     ZEROS},
    {"3d u64", U64, 3, {16, 16, 12}, {128, 2048}, {4, 5, 6}, {1, 2, 1}, NONE, {2, 2, 9}, ZEROS},
    {"4d f16",
     F16,
     4,
     {16, 8, 6, 5},
     {32, 256, 1536},
     {8, 4, 3, 2},
     {1, 1, 2, 1},
     NONE,
     {-8, 5, 1, 4},
     ZEROS},
    {"5d s32 32 B",
     S32,
     5,
     {8, 6, 5, 4, 3},
     {32, 192, 960, 3840},
     {8, 3, 2, 3, 2},
     {1, 1, 1, 2, 1},
     S32B,
     {0, 4, -1, 1, 2},
     ZEROS},
    {"1d tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 1, {900}, {}, {256}, {1}, NONE, {0}, ZEROS},
    {"4d u8 with gaps",
     U8,
     4,
     {30, 7, 5, 3},
     {48, 400, 2048},
     {16, 5, 3, 3},
     {1, 1, 1, 1},
     NONE,
     {16, 3, 3, 1},
     ZEROS},
};

static void show_errors() {
    static const box good = {"", U32, 2, {64, 50}, {256}, {16, 10}, {1, 1}, NONE, {}, ZEROS};
    struct {
        const char *name;
        box b;
    } bad[16];
    unsigned n = 0;
    for (auto &entry : bad)
        entry.b = good;
    bad[n].name = "rank 0", bad[n++].b.rank = 0;
    bad[n].name = "rank 6", bad[n++].b.rank = 6;
    bad[n].name = "size 0", bad[n++].b.size[1] = 0;
    bad[n].name = "size 2^32", bad[n++].b.size[1] = 1ull << 32;
    bad[n].name = "size over 2^32", bad[n++].b.size[1] = (1ull << 32) + 1;
    bad[n].name = "stride 24", bad[n++].b.stride[0] = 24;
    bad[n].name = "stride 2^40", bad[n++].b.stride[0] = 1ull << 40;
    bad[n].name = "stride below the row", bad[n++].b.stride[0] = 128;
    bad[n].name = "box 257", bad[n++].b.count[1] = 257;
    bad[n].name = "box 0", bad[n++].b.count[1] = 0;
    bad[n].name = "box of 12 bytes", bad[n++].b.count[0] = 3;
    bad[n].name = "step 9", bad[n++].b.step[1] = 9;
    bad[n].name = "step 0", bad[n++].b.step[1] = 0;
    bad[n].name = "too wide to swizzle", bad[n].b.count[0] = 12, bad[n++].b.swizzle = S32B;
    bad[n].name = "NaN of integers", bad[n++].b.fill = NANS;
    bad[n].name = "type 99", bad[n++].b.type = (CUtensorMapDataType)99;
    alignas(64) CUtensorMap map;
    for (unsigned i = 0; i < n; i++)
        printf("%s: %d\n", bad[i].name, make(&map, &bad[i].b));
    tensor += 8;
    printf("address: %d\n", make(&map, &good));
    tensor -= 8;
    printf("map: %d\n", make((CUtensorMap *)((char *)&map + 32), &good));
}

int main() {
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                     cudaEnableDefault, &found);
    printf("entry point: %d\n", (int)found);
    cudaMalloc(&tensor, TENSOR);
    cudaMalloc(&out, BYTES);
    cudaMalloc(&source, BYTES);
    for (unsigned i = 0; i < BYTES; i++)
        copy[i] = (uint8_t)(i * 7 + (i >> 8));
    cudaMemcpy(source, copy, BYTES, cudaMemcpyHostToDevice);
    fill_tensor();
    for (const box &b : boxes)
        show_load(&b);
    for (const box &b : boxes)
        if (b.rank <= 3 && b.fill == ZEROS && b.first[0] >= 0 && b.first[1] >= 0)
            show_store(&b, 0);
    for (const box &b : boxes)
        if (b.rank <= 3 && (b.type == U32 || b.type == U64) && b.first[1] >= 0)
            for (int op = 1; op < 4; op++)
                show_store(&b, op);
    show_errors();
    return 0;
}
