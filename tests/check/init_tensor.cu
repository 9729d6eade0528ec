// A tile that a copy of a tensor fills, with a hint for the cache; the word behind it nobody fills.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cudaTypedefs.h>

enum { SIDE = 16 };

static __device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__global__ void fetch(const __grid_constant__ CUtensorMap map, uint64_t hint, float *out) {
    __shared__ __align__(128) float tile[SIDE * SIDE];
    __shared__ __align__(8) uint64_t bar;
    const uint32_t at = shared_address(&bar);
    const int i = threadIdx.x;
    if (i == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    if (i == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
                     "n"(SIDE * SIDE * 4)
                     : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            ".L2::cache_hint [%0], [%1, {%2, %2}], [%3], %4;" ::"r"(shared_address(tile)),
            "l"(&map), "r"(0), "r"(at), "l"(hint)
            : "memory");
    }
    for (int done = 0; !done;)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[i] = tile[i];
}

__global__ void forget(float *out) {
    __shared__ float tile[SIDE * SIDE];
    tile[threadIdx.x] = 1;
    __syncthreads();
    float value = *(volatile float *)&tile[SIDE * SIDE - 1 - threadIdx.x];
    out[threadIdx.x] = value;
}
// finds: init undefined-store 48 47

int main() {
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                     cudaEnableDefault, &found);
    float *in, *out;
    cudaMalloc(&in, SIDE * SIDE * 4);
    cudaMalloc(&out, SIDE * SIDE * 4);
    cudaMemset(in, 0, SIDE * SIDE * 4);
    const cuuint64_t size[2] = {SIDE, SIDE}, stride[1] = {SIDE * 4};
    const cuuint32_t box[2] = {SIDE, SIDE}, step[2] = {1, 1};
    CUtensorMap map;
    const CUresult made =
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, size, stride, box, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    fetch<<<1, SIDE * SIDE>>>(map, 0, out);
    forget<<<1, 32>>>(out);
    printf("%d %s\n", (int)made, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
