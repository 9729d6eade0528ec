// A tensor map whose fields a kernel replaces. The architecture is 9.0a, which has the instruction.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

__device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// A map whose fields are replaced in shared memory, and which is then used from global memory: for
// rows of a matrix, or for an interleaved tensor.
template <bool SLICES>
__global__ void replaced(const __grid_constant__ CUtensorMap map, CUtensorMap *other, uint32_t *to,
                         uint32_t *out) {
    __shared__ __align__(1024) uint8_t tile[1024];
    __shared__ __align__(128) CUtensorMap mine;
    __shared__ __align__(8) uint64_t bar;
    const uint32_t m = shared_address(&mine);
    for (unsigned i = threadIdx.x; i < sizeof tile; i += 32)
        tile[i] = 0x5a;
    if (threadIdx.x == 0) {
        mine = map;
#define REPLACE(field, type, value, letter)                                                        \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " value        \
                 ";" ::"r"(m),                                                                     \
                 letter                                                                            \
                 : "memory")
        REPLACE("global_address", "b64", "%1", "l"(to));
        if (SLICES) {
            REPLACE("rank", "b32", "2", "r"(0));
            REPLACE("global_dim", "b32", "0, %1", "r"(20));
            REPLACE("global_dim", "b32", "1, %1", "r"(5));
            REPLACE("global_dim", "b32", "2, %1", "r"(3));
            REPLACE("global_stride", "b64", "0, %1", "l"(512ull));
            REPLACE("global_stride", "b64", "1, %1", "l"(4096ull));
            REPLACE("box_dim", "b32", "0, %1", "r"(8));
            REPLACE("box_dim", "b32", "1, %1", "r"(1));
            REPLACE("box_dim", "b32", "2, %1", "r"(2));
            REPLACE("element_stride", "b32", "0, %1", "r"(2));
            REPLACE("element_stride", "b32", "1, %1", "r"(1));
            REPLACE("element_stride", "b32", "2, %1", "r"(1));
            REPLACE("elemtype", "b32", "2", "r"(0));
            REPLACE("interleave_layout", "b32", "1", "r"(0));
            REPLACE("swizzle_mode", "b32", "0", "r"(0));
        } else {
            REPLACE("rank", "b32", "1", "r"(0));
            REPLACE("global_dim", "b32", "0, %1", "r"(20));
            REPLACE("global_dim", "b32", "1, %1", "r"(9));
            REPLACE("global_stride", "b64", "0, %1", "l"(96ull));
            REPLACE("box_dim", "b32", "0, %1", "r"(16));
            REPLACE("box_dim", "b32", "1, %1", "r"(6));
            REPLACE("element_stride", "b32", "0, %1", "r"(1));
            REPLACE("element_stride", "b32", "1, %1", "r"(2));
            REPLACE("elemtype", "b32", "2", "r"(0));
            REPLACE("interleave_layout", "b32", "0", "r"(0));
            REPLACE("swizzle_mode", "b32", "2", "r"(0));
        }
        REPLACE("fill_mode", "b32", "0", "r"(0));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bar)));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                 ".aligned [%0], [%1], 128;" ::"l"(other),
                 "r"(m)
                 : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(other) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(other) : "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&bar)),
            "r"(SLICES ? 128 : 192)
            : "memory");
        if (SLICES)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                         ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
                             shared_address(tile)),
                         "l"(other), "r"(shared_address(&bar)), "r"(15), "r"(4), "r"(1)
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                         ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
                             shared_address(tile)),
                         "l"(other), "r"(shared_address(&bar)), "r"(8), "r"(3)
                         : "memory");
    }
    for (int done = 0, tries = 0; !done && tries < 1 << 20; tries++)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&bar))
                     : "memory");
    for (unsigned i = threadIdx.x; i < sizeof tile; i += 32)
        ((uint8_t *)out)[i] = tile[i];
}

int main() {
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                     cudaEnableDefault, &found);
    static uint32_t words[8192];
    uint32_t *tensor, *out;
    CUtensorMap map, *other;
    const cuuint64_t size[1] = {1000};
    const cuuint32_t box[1] = {64}, step[1] = {1};
    for (unsigned i = 0; i < 8192; i++)
        words[i] = i;
    cudaMalloc(&tensor, sizeof words);
    cudaMalloc(&out, 1024);
    cudaMalloc(&other, sizeof *other);
    cudaMemcpy(tensor, words, sizeof words, cudaMemcpyHostToDevice);
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, tensor, size, nullptr, box, step,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    for (int i = 0; i < 2; i++) {
        if (i)
            replaced<true><<<1, 32>>>(map, other, tensor + 256, out);
        else
            replaced<false><<<1, 32>>>(map, other, tensor + 256, out);
        const cudaError_t error = cudaMemcpy(words, out, 1024, cudaMemcpyDeviceToHost);
        printf("%s\n", cudaGetErrorName(error));
        for (unsigned word = 0; word < 64; word++)
            printf("%d%c", (int)words[word], word % 16 == 15 ? '\n' : ' ');
    }
    return 0;
}
