// What copies of tensors do: each line of a file of cases says how a map is encoded and what one
// copy is asked to do with it; printed are the line, what the driver said, whether the mbarrier
// heard of all bytes, a hash of what arrived and, with dump=1, what arrived.
//
//   nvcc -std=c++17 -arch=sm_90 -o tensor_maps tensor_maps.cu && ./tensor_maps CASES [FIRST]
//
// tensor_cases.py writes the cases.
#include "tensor.h"

enum { SHOWN_BEFORE = 16384, SHOWN = 262144 }; // of the tensor, after a store

#define PUT(copy, tail, mode, dim, list, ...)                                                      \
    asm volatile(copy ".async.bulk.tensor." dim ".global.shared::cta" tail mode                    \
                      ".bulk_group [%0, {" list "}], [%1];" ::"l"(m),                              \
                 "r"(from), __VA_ARGS__                                                            \
                 : "memory")
#define PUT_RANKS(copy, tail, mode)                                                                \
    switch (j.rank) {                                                                              \
    case 3:                                                                                        \
        PUT(copy, tail, mode, "3d", "%2, %3, %4", AT3);                                            \
        break;                                                                                     \
    case 4:                                                                                        \
        PUT(copy, tail, mode, "4d", "%2, %3, %4, %5", AT4);                                        \
        break;                                                                                     \
    default:                                                                                       \
        PUT(copy, tail, mode, "5d", "%2, %3, %4, %5, %6", AT5);                                    \
    }
#define PUT_OPS(mode)                                                                              \
    if (j.op == STORE)                                                                             \
        PUT_RANKS("cp", "", mode)                                                                  \
    else if (j.op == ADD)                                                                          \
        PUT_RANKS("cp.reduce", ".add", mode)                                                       \
    else if (j.op == MAX)                                                                          \
        PUT_RANKS("cp.reduce", ".max", mode)                                                       \
    else                                                                                           \
        PUT_RANKS("cp.reduce", ".xor", mode)

__global__ void put(const __grid_constant__ CUtensorMap map, const __grid_constant__ job j) {
    extern __shared__ __align__(1024) uint8_t dynamic[];
    uint8_t *tile = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
    for (unsigned i = threadIdx.x; i < TILE / 4; i += blockDim.x)
        ((uint32_t *)tile)[i] = 0x01000000 + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
    const uint64_t m = (uint64_t)&map;
    const uint32_t from = shared_address(tile) + j.to;
    if (j.use == TILED) {
        PUT_OPS(".tile")
    } else {
        PUT_OPS(".im2col_no_offs")
    }
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

#define AHEAD(dim, list, offsets, ...)                                                             \
    if (j.use == TILED)                                                                            \
        asm volatile("cp.async.bulk.prefetch.tensor." dim ".L2.global.tile [%0, {" list            \
                     "}];" ::"l"(m),                                                               \
                     "h"(j.off[0]), "h"(j.off[1]), "h"(j.off[2]), __VA_ARGS__                      \
                     : "memory");                                                                  \
    else                                                                                           \
        asm volatile("cp.async.bulk.prefetch.tensor." dim ".L2.global.im2col [%0, {" list          \
                     "}], {" offsets "};" ::"l"(m),                                                \
                     "h"(j.off[0]), "h"(j.off[1]), "h"(j.off[2]), __VA_ARGS__                      \
                     : "memory")

__global__ void prefetch(const __grid_constant__ CUtensorMap map, const __grid_constant__ job j) {
    const uint64_t m = (uint64_t)&map;
    if (threadIdx.x)
        return;
    switch (j.rank) {
    case 3:
        AHEAD("3d", "%4, %5, %6", "%1", AT3);
        break;
    case 4:
        AHEAD("4d", "%4, %5, %6, %7", "%1, %2", AT4);
        break;
    default:
        AHEAD("5d", "%4, %5, %6, %7, %8", "%1, %2, %3", AT5);
    }
}

static cudaError_t run_put(const CUtensorMap &map, const job &j, const spec &s) {
    uint8_t *shown = buffer + BASE - SHOWN_BEFORE;
    const uint8_t *old = pattern.data() + BASE - SHOWN_BEFORE;
    cudaMemcpy(shown, old, SHOWN, cudaMemcpyHostToDevice);
    put<<<1, 256, ROOM>>>(map, j);
    const cudaError_t error = cudaMemcpy(copy.data(), shown, SHOWN, cudaMemcpyDeviceToHost);
    printf("= %s", cudaGetErrorName(error));
    if (!error)
        printf(" hash %016" PRIx64, hash(copy.data(), SHOWN));
    printf("\n");
    if (!error && s.dump)
        show(copy.data(), old, SHOWN);
    if (!error)
        cudaMemcpy(shown, old, SHOWN, cudaMemcpyHostToDevice);
    return error;
}

static cudaError_t run_case(const std::string &line) {
    const spec s = parse(line);
    alignas(64) CUtensorMap map;
    const job j = job_of(s);
    memset(&map, 0, sizeof map);
    const CUresult result = encode(&map, s);
    printf("%s\n", line.c_str());
    if (result || s.op == ENCODE) {
        printf("= encode %d\n", (int)result);
        return cudaSuccess;
    }
    if (s.op == PREFETCH) {
        prefetch<<<1, 32>>>(map, j);
        const cudaError_t error = cudaDeviceSynchronize();
        printf("= %s\n", cudaGetErrorName(error));
        return error;
    }
    return s.op >= STORE ? run_put(map, j, s) : run_load(map, j, s);
}

int main(int argc, char **argv) {
    prepare();
    cudaFuncSetAttribute(put, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
    return run_cases(argc, argv, run_case);
}
