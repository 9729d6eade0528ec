// What devices of 10.0 add to copies of tensors: four rows at once, and swizzles that keep 32 or 64
// bytes together. Where the 16 bytes of a line go is a table of the ISA.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

enum { COLUMNS = 64, ROWS = 20, BOX = 32, LINES = 8 };

__device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

struct rows {
    int column, row[4];
};

#define FIVE "r"(at.column), "r"(at.row[0]), "r"(at.row[1]), "r"(at.row[2]), "r"(at.row[3])

__device__ void wait(uint64_t *bar) {
    for (int done = 0, tries = 0; !done && tries < 1 << 20; tries++)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(bar))
                     : "memory");
}

__global__ void fetch(const __grid_constant__ CUtensorMap map, rows at, bool picks, uint32_t *out) {
    __shared__ __align__(1024) uint32_t tile[BOX * LINES];
    __shared__ __align__(8) uint64_t bar;
    const uint32_t to = shared_address(tile), b = shared_address(&bar);
    const uint64_t m = (uint64_t)&map;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b),
                     "r"(BOX * (picks ? 4 : LINES) * 4)
                     : "memory");
        if (picks) {
            asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 "
                         "[%0, {%1, %2, %3, %4, %5}];" ::"l"(m),
                         FIVE
                         : "memory");
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
                ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to),
                "l"(m), "r"(b), FIVE
                : "memory");
        } else {
            asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile"
                         ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                         "l"(m), "r"(b), "r"(at.column), "r"(at.row[0])
                         : "memory");
        }
    }
    __syncwarp();
    wait(&bar);
    for (unsigned i = threadIdx.x; i < BOX * LINES; i += 32)
        out[i] = tile[i];
}

__global__ void put(const __grid_constant__ CUtensorMap map, rows at) {
    __shared__ __align__(1024) uint32_t tile[BOX * 4];
    for (unsigned i = threadIdx.x; i < BOX * 4; i += 32)
        tile[i] = 100000 + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x)
        return;
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                 "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"((uint64_t)&map),
                 "r"(shared_address(tile)), FIVE
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static PFN_cuTensorMapEncodeTiled_v12000 encode;
static uint32_t *tensor, *out, words[COLUMNS * ROWS], found[BOX * LINES];

static CUtensorMap make(unsigned lines, CUtensorMapSwizzle swizzle, CUresult *result) {
    CUtensorMap map = {};
    const cuuint64_t size[2] = {COLUMNS, ROWS}, stride[1] = {4 * COLUMNS};
    const cuuint32_t box[2] = {BOX, lines}, step[2] = {1, 1};
    *result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, tensor, size, stride, box, step,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

static uint32_t word_at(int column, int row) {
    return row >= 0 && row < ROWS && column < COLUMNS ? (uint32_t)(row * COLUMNS + column) : 0;
}

// Which 16 bytes of a row stand at each place of a line.
static const uint8_t atoms_16[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                       {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                       {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                       {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
static const uint8_t atoms_32[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5},
                                       {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1},
                                       {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5},
                                       {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}};
static const uint8_t atoms_64[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3},
                                       {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3},
                                       {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3},
                                       {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}};

static void check_fetch(const char *name, unsigned lines, CUtensorMapSwizzle swizzle,
                        const uint8_t atoms[8][8], const rows &at, bool picks) {
    CUresult result;
    const CUtensorMap map = make(lines, swizzle, &result);
    fetch<<<1, 32>>>(map, at, picks, out);
    const cudaError_t error = cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
    bool passed = result == 0;
    for (int line = 0; line < (picks ? 4 : LINES); line++)
        for (int i = 0; i < BOX; i++) {
            const int column = at.column + atoms[line][i / 4] * 4 + i % 4;
            const int row = picks ? at.row[line] : at.row[0] + line;
            passed &= found[line * BOX + i] == word_at(column, row);
        }
    printf("%s: %d, %s, %s\n", name, (int)result, cudaGetErrorName(error),
           passed ? "PASS" : "FAIL");
}

static void check_put(const rows &at) {
    static uint32_t after[COLUMNS * ROWS];
    CUresult result;
    const CUtensorMap map = make(1, CU_TENSOR_MAP_SWIZZLE_NONE, &result);
    put<<<1, 32>>>(map, at);
    const cudaError_t error = cudaMemcpy(after, tensor, sizeof after, cudaMemcpyDeviceToHost);
    bool passed = result == 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            uint32_t expected = word_at(column, row);
            for (int i = 0; i < 4; i++)
                if (at.row[i] == row && column >= at.column && column < at.column + BOX)
                    expected = 100000 + i * BOX + column - at.column;
            passed &= after[row * COLUMNS + column] == expected;
        }
    printf("scatter: %d, %s, %s\n", (int)result, cudaGetErrorName(error), passed ? "PASS" : "FAIL");
}

int main(int argc, char **) {
    CUresult result;
    cudaDriverEntryPointQueryResult query;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                     cudaEnableDefault, &query);
    cudaMalloc(&tensor, sizeof words);
    cudaMalloc(&out, sizeof found);
    for (unsigned i = 0; i < COLUMNS * ROWS; i++)
        words[i] = i;
    cudaMemcpy(tensor, words, sizeof words, cudaMemcpyHostToDevice);
    make(1, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, &result);
    printf("flipped: %d\n", (int)result);
    const rows far = {48, {3, 19, 25, 0}}, near = {0, {7, 7, -1, 2}}, lines = {32, {14}};
    check_fetch("gather", 1, CU_TENSOR_MAP_SWIZZLE_128B, atoms_16, near, true);
    check_fetch("gather over the edge", 1, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, atoms_32, far,
                true);
    check_fetch("16-byte atoms", LINES, CU_TENSOR_MAP_SWIZZLE_128B, atoms_16, lines, false);
    check_fetch("32-byte atoms", LINES, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, atoms_32, lines,
                false);
    check_fetch("64-byte atoms", LINES, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, atoms_64, lines,
                false);
    check_put({16, {5, 2, 40, 19}});
    if (argc > 1) // ends in an error
        check_fetch("gather with a map of boxes", 2, CU_TENSOR_MAP_SWIZZLE_NONE, atoms_16, near,
                    true);
    return 0;
}
