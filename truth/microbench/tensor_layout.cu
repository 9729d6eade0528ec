// The 128 bytes of tensor maps: what the driver's encoder makes of its arguments, what
// tensormap.replace makes of a map, and what copies do with maps made so, and with maps of which
// single bits are turned. Each line of a file of cases is printed, and then what came of it.
//
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o tensor_layout tensor_layout.cu &&
//       ./tensor_layout CASES [FIRST]
//
// tensor_layout_cases.py writes the cases:
//   op=encode ...                the encoder alone
//   op=replace from=BYTES field=NAME place=DIMENSION value=NUMBER
//                                one tensormap.replace
//   op=load ... flip=BITS        a load with a map of which bits are turned
//   op=load ... made=BYTES       a load with a map that a kernel makes, each field by
//                                tensormap.replace, and publishes by tensormap.cp_fenceproxy
// BYTES are what the map is at first: zeros, ones, noise, or that of the line's fields (map).
#include "tensor.h"

enum field { ADDRESS, RANK, SIZE, STRIDE, BOX, STEP, TYPE, INTERLEAVE, SWIZZLE, FILL, FIELDS };
static const char *const field_names[FIELDS] = {
    "global_address", "rank",     "global_dim",        "global_stride", "box_dim",
    "element_stride", "elemtype", "interleave_layout", "swizzle_mode",  "fill_mode"};

struct change {
    int field, place;
    uint64_t value;
};

// ---- The kernels --------------------------------------------------------------------------------

#define REPLACE_IN(name, type, space, at, place, letter, value)                                    \
    asm volatile("tensormap.replace.tile." name space "b1024." type " [%0], " place "%1;" ::at,    \
                 letter(value)                                                                     \
                 : "memory")
#define REPLACE(name, type, place, letter, value)                                                  \
    do {                                                                                           \
        if (is_shared)                                                                             \
            REPLACE_IN(name, type, ".shared::cta.", "r"(shared_address(map)), place, letter,       \
                       value);                                                                     \
        else                                                                                       \
            REPLACE_IN(name, type, ".global.", "l"(map), place, letter, value);                    \
    } while (0)
#define PLACED(name, type, n, letter, value)                                                       \
    case n:                                                                                        \
        REPLACE(name, type, #n ", ", letter, value);                                               \
        break
#define PLACES4(name, type, letter, value)                                                         \
    PLACED(name, type, 0, letter, value);                                                          \
    PLACED(name, type, 1, letter, value);                                                          \
    PLACED(name, type, 2, letter, value);                                                          \
    PLACED(name, type, 3, letter, value)
#define PLACES5(name, type, letter, value)                                                         \
    switch (c.place) {                                                                             \
        PLACES4(name, type, letter, value);                                                        \
        PLACED(name, type, 4, letter, value);                                                      \
    }
// These take constants alone.
#define CONSTANT(name, n)                                                                          \
    case n:                                                                                        \
        REPLACE(name, "b32", "", "n", n);                                                          \
        break
#define CONSTANTS4(name, n)                                                                        \
    CONSTANT(name, n);                                                                             \
    CONSTANT(name, n + 1);                                                                         \
    CONSTANT(name, n + 2);                                                                         \
    CONSTANT(name, n + 3)

template <bool is_shared> __device__ void replace_constant(void *map, const change &c) {
    if (c.field == TYPE)
        switch (c.value) {
            CONSTANTS4("elemtype", 0);
            CONSTANTS4("elemtype", 4);
            CONSTANTS4("elemtype", 8);
            CONSTANT("elemtype", 12);
        }
    else if (c.field == INTERLEAVE)
        switch (c.value) {
            CONSTANT("interleave_layout", 0);
            CONSTANT("interleave_layout", 1);
            CONSTANT("interleave_layout", 2);
        }
    else if (c.field == SWIZZLE)
        switch (c.value) { CONSTANTS4("swizzle_mode", 0); }
    else if (c.field == FILL)
        switch (c.value) {
            CONSTANT("fill_mode", 0);
            CONSTANT("fill_mode", 1);
        }
}

template <bool is_shared> __device__ void replace(void *map, const change &c) {
    const uint32_t value = (uint32_t)c.value;
    switch (c.field) {
    case ADDRESS:
        REPLACE("global_address", "b64", "", "l", c.value);
        break;
    case RANK:
        REPLACE("rank", "b32", "", "r", value);
        break;
    case SIZE:
        PLACES5("global_dim", "b32", "r", value);
        break;
    case STRIDE:
        switch (c.place) { PLACES4("global_stride", "b64", "l", c.value); }
        break;
    case BOX:
        PLACES5("box_dim", "b32", "r", value);
        break;
    case STEP:
        PLACES5("element_stride", "b32", "r", value);
        break;
    default:
        replace_constant<is_shared>(map, c);
    }
}

__global__ void change_map(CUtensorMap *map, const __grid_constant__ change c) {
    replace<false>(map, c);
}

// As Triton's kernels make theirs.
__global__ void make_map(CUtensorMap *map, const change *changes, int count) {
    __shared__ __align__(128) CUtensorMap mine;
    if (threadIdx.x == 0) {
        mine = *map;
        for (int i = 0; i < count; i++)
            replace<true>(&mine, changes[i]);
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                 ".aligned [%0], [%1], 128;" ::"l"(map),
                 "r"(shared_address(&mine))
                 : "memory");
}

// ---- Cases --------------------------------------------------------------------------------------

static CUtensorMap *there; // on the device
static change *changes;

static void print_map(const CUtensorMap &map) {
    printf("=");
    for (int i = 0; i < 32; i++)
        printf(" %08x", ((const uint32_t *)&map)[i]);
    printf("\n");
}

// False: the encoder refuses the fields.
static bool begin_map(CUtensorMap *map, const spec &s, const std::string &bytes) {
    uint32_t noise = 12345;
    memset(map, bytes == "ones" ? 0xff : 0, sizeof *map);
    for (size_t i = 0; bytes == "noise" && i < sizeof *map; i++) {
        noise = noise * 1664525 + 1013904223;
        ((uint8_t *)map)[i] = (uint8_t)(noise >> 24);
    }
    return bytes != "map" || !encode(map, s);
}

// All fields but those of im2col mode.
static std::vector<change> changes_of(const spec &s) {
    static const int types[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12}; // of CUtensorMapDataType
    std::vector<change> all = {{ADDRESS, 0, (uint64_t)(buffer + BASE + s.base)},
                               {RANK, 0, (uint64_t)s.rank - 1},
                               {TYPE, 0, (uint64_t)types[s.type]},
                               {INTERLEAVE, 0, (uint64_t)s.interleave},
                               {SWIZZLE, 0, (uint64_t)s.swizzle},
                               {FILL, 0, (uint64_t)s.fill}};
    for (int i = 0; i < s.rank; i++) {
        all.push_back({SIZE, i, s.size[i]});
        all.push_back({BOX, i, s.box[i]});
        all.push_back({STEP, i, s.step[i]});
        if (i > 0)
            all.push_back({STRIDE, i - 1, s.stride[i - 1]});
    }
    return all;
}

static cudaError_t make(CUtensorMap *map, const spec &s) {
    const std::vector<change> all = changes_of(s);
    cudaMemcpy(there, map, sizeof *map, cudaMemcpyHostToDevice);
    cudaMemcpy(changes, all.data(), all.size() * sizeof all[0], cudaMemcpyHostToDevice);
    make_map<<<1, 32>>>(there, changes, (int)all.size());
    return cudaMemcpy(map, there, sizeof *map, cudaMemcpyDeviceToHost);
}

static cudaError_t run_replace(const std::string &line, const spec &s) {
    CUtensorMap map;
    change c = {};
    for (int i = 0; i < FIELDS; i++)
        if (field(line, "field") == field_names[i])
            c.field = i;
    number(line, "place", &c.place), number(line, "value", &c.value);
    begin_map(&map, s, field(line, "from"));
    cudaMemcpy(there, &map, sizeof map, cudaMemcpyHostToDevice);
    change_map<<<1, 1>>>(there, c);
    const cudaError_t error = cudaMemcpy(&map, there, sizeof map, cudaMemcpyDeviceToHost);
    if (error)
        printf("= %s\n", cudaGetErrorName(error));
    else
        print_map(map);
    return error;
}

static cudaError_t run_case(const std::string &line) {
    const spec s = parse(line);
    const std::string made = field(line, "made");
    int flips[4] = {-1, -1, -1, -1};
    CUtensorMap map;
    printf("%s\n", line.c_str());
    if (line.compare(0, 10, "op=replace") == 0)
        return run_replace(line, s);
    memset(&map, 0, sizeof map);
    if (made.empty()) {
        const CUresult result = encode(&map, s);
        if (result)
            printf("= encode %d\n", (int)result);
        else if (s.op == ENCODE)
            print_map(map);
        if (result || s.op == ENCODE)
            return cudaSuccess;
    } else {
        begin_map(&map, s, made);
        const cudaError_t error = make(&map, s);
        if (error)
            return error;
        CUtensorMap shown = map; // with an address that is the same in each run
        const uint64_t address = *(uint64_t *)&shown - (uint64_t)buffer;
        memcpy(&shown, &address, sizeof address);
        print_map(shown);
    }
    numbers(line, "flip", flips, 4);
    for (int i = 0; i < 4 && flips[i] >= 0; i++)
        ((uint8_t *)&map)[flips[i] / 8] ^= (uint8_t)(1 << flips[i] % 8);
    return run_load(map, job_of(s), s);
}

int main(int argc, char **argv) {
    prepare();
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&changes, 64 * sizeof *changes);
    return run_cases(argc, argv, run_case);
}
