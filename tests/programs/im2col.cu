// Convolutions in one, two and three dimensions whose matrix nobody writes down: copies of tensors
// in im2col mode fetch its rows, one tap of the filter after the other, and put the results where
// they belong; halves of the channels are added up by reductions. The lines say whether all is as a
// plain loop computes it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

enum { PIXELS = 32, CHANNELS = 16, FILTERS = 8, THREADS = 128 }; // of a block

// Spaces are W, H, D; those above the rank have size 1.
struct conv {
    int rank, images, channels;
    int size[3], filter[3], pad[3], stride[3], dilation[3];
    int out[3];
};

#define AT3 "r"(c[0]), "r"(c[1]), "r"(c[2])
#define AT4 AT3, "r"(c[3])
#define AT5 AT4, "r"(c[4])

__device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ void fetch(int rank, void *to, const CUtensorMap *map, const int *c, const uint16_t *off,
                      uint64_t *bar) {
    const uint32_t t = shared_address(to), b = shared_address(bar);
    const uint64_t m = (uint64_t)map;
#define FETCH(dim, list, offsets, ...)                                                             \
    asm volatile("cp.async.bulk.tensor." dim ".shared::cluster.global.im2col"                      \
                 ".mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2], {" offsets           \
                 "};" ::"r"(t),                                                                    \
                 "l"(m), "r"(b), "h"(off[0]), "h"(off[1]), "h"(off[2]), __VA_ARGS__                \
                 : "memory")
    if (rank == 3)
        FETCH("3d", "%6, %7, %8", "%3", AT3);
    else if (rank == 4)
        FETCH("4d", "%6, %7, %8, %9", "%3, %4", AT4);
    else
        FETCH("5d", "%6, %7, %8, %9, %10", "%3, %4, %5", AT5);
}

__device__ void add(int rank, const CUtensorMap *map, const int *c, const void *from) {
    const uint32_t f = shared_address(from);
    const uint64_t m = (uint64_t)map;
#define ADD(dim, list, ...)                                                                        \
    asm volatile("cp.reduce.async.bulk.tensor." dim ".global.shared::cta.add.im2col_no_offs"       \
                 ".bulk_group [%0, {" list "}], [%1];" ::"l"(m),                                   \
                 "r"(f), __VA_ARGS__                                                               \
                 : "memory")
    if (rank == 3)
        ADD("3d", "%2, %3, %4", AT3);
    else if (rank == 4)
        ADD("4d", "%2, %3, %4, %5", AT4);
    else
        ADD("5d", "%2, %3, %4, %5, %6", AT5);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ void wait(uint64_t *bar, unsigned phase) {
    for (int done = 0, tries = 0; !done && tries < 1 << 20; tries++)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(bar)), "r"(phase)
                     : "memory");
}

// The four channels `quad` of a pixel, where a swizzle of 64 bytes puts them.
__device__ int4 swizzled(const int4 *tile, int pixel, int quad, bool is_swizzled) {
    return tile[pixel * 4 + (is_swizzled ? quad ^ (pixel >> 1 & 3) : quad)];
}

// Block (x, y): 32 pixels from pixel 32 x on, channels 16 y to 16 y + 15.
__global__ void convolve(const __grid_constant__ CUtensorMap in,
                         const __grid_constant__ CUtensorMap out, const __grid_constant__ conv v,
                         const int *weights, bool is_swizzled) {
    __shared__ __align__(1024) int4 tile[PIXELS * CHANNELS / 4];
    __shared__ __align__(128) int sums[PIXELS * FILTERS];
    __shared__ __align__(8) uint64_t bar;
    const int taps = v.filter[0] * v.filter[1] * v.filter[2], first = blockIdx.y * CHANNELS;
    const int pixel = threadIdx.x % 32, filter = threadIdx.x / 32 * 2;
    int place[5] = {first}, target[5] = {0};
    for (int i = 0, rest = blockIdx.x * PIXELS; i < v.rank - 1; i++) {
        const int size = i < v.rank - 2 ? v.out[i] : v.images, at = rest % size;
        rest /= size;
        target[i + 1] = at;
        place[i + 1] = i < v.rank - 2 ? at * v.stride[i] - v.pad[i] : at;
    }
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bar)));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    int sum[2] = {0, 0};
    for (int tap = 0; tap < taps; tap++) {
        if (threadIdx.x == 0) {
            const int s = tap % v.filter[0], r = tap / v.filter[0] % v.filter[1],
                      t = tap / v.filter[0] / v.filter[1];
            const uint16_t off[3] = {(uint16_t)(s * v.dilation[0]), (uint16_t)(r * v.dilation[1]),
                                     (uint16_t)(t * v.dilation[2])};
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                             shared_address(&bar)),
                         "r"((uint32_t)sizeof tile)
                         : "memory");
            fetch(v.rank, tile, &in, place, off, &bar);
        }
        wait(&bar, tap & 1);
        for (int quad = 0; quad < CHANNELS / 4; quad++) {
            const int4 x = swizzled(tile, pixel, quad, is_swizzled);
            for (int f = 0; f < 2; f++) {
                const int *w =
                    weights + ((filter + f) * taps + tap) * v.channels + first + quad * 4;
                sum[f] += x.x * w[0] + x.y * w[1] + x.z * w[2] + x.w * w[3];
            }
        }
        __syncthreads();
    }
    for (int f = 0; f < 2; f++)
        sums[pixel * FILTERS + filter + f] = sum[f];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        add(v.rank, &out, target, sums);
}

static std::vector<int> plain(const conv &v, const std::vector<int> &in,
                              const std::vector<int> &weights) {
    const int taps = v.filter[0] * v.filter[1] * v.filter[2];
    std::vector<int> out;
    for (int n = 0; n < v.images; n++)
        for (int d = 0; d < v.out[2]; d++)
            for (int h = 0; h < v.out[1]; h++)
                for (int w = 0; w < v.out[0]; w++)
                    for (int k = 0; k < FILTERS; k++) {
                        int sum = 0;
                        for (int tap = 0; tap < taps; tap++) {
                            const int s = tap % v.filter[0], r = tap / v.filter[0] % v.filter[1],
                                      t = tap / v.filter[0] / v.filter[1];
                            const int x = w * v.stride[0] - v.pad[0] + s * v.dilation[0],
                                      y = h * v.stride[1] - v.pad[1] + r * v.dilation[1],
                                      z = d * v.stride[2] - v.pad[2] + t * v.dilation[2];
                            if (x < 0 || y < 0 || z < 0 || x >= v.size[0] || y >= v.size[1] ||
                                z >= v.size[2])
                                continue;
                            const int *pixel =
                                &in[(((n * v.size[2] + z) * v.size[1] + y) * v.size[0] + x) *
                                    v.channels];
                            for (int c = 0; c < v.channels; c++)
                                sum += pixel[c] * weights[(k * taps + tap) * v.channels + c];
                        }
                        out.push_back(sum);
                    }
    return out;
}

static PFN_cuTensorMapEncodeIm2col_v12000 encode;

// A tensor of ints: channels, then the spaces of the rank, then images.
static CUresult make_map(CUtensorMap *map, const conv &v, int *data, int channels, const int *size,
                         const int *lower, const int *upper, const int *stride, int box,
                         CUtensorMapSwizzle swizzle) {
    cuuint64_t sizes[5] = {(cuuint64_t)channels}, strides[4];
    cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    cuuint64_t bytes = (cuuint64_t)channels * sizeof *data;
    for (int i = 0; i < v.rank - 1; i++) {
        sizes[i + 1] = i < v.rank - 2 ? size[i] : v.images;
        if (i < v.rank - 2)
            steps[i + 1] = stride[i];
        strides[i] = bytes;
        bytes *= sizes[i + 1];
    }
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_INT32, v.rank, data, sizes, strides, lower, upper,
                  box, PIXELS, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static std::vector<int> numbers(size_t count, unsigned seed) {
    std::vector<int> made(count);
    for (int &x : made) {
        seed = seed * 1664525 + 1013904223;
        x = (int)(seed >> 24) - 128;
    }
    return made;
}

static int *on_device(const std::vector<int> &data) {
    int *to = nullptr;
    cudaMalloc(&to, data.size() * sizeof(int));
    cudaMemcpy(to, data.data(), data.size() * sizeof(int), cudaMemcpyHostToDevice);
    return to;
}

static void run(const char *name, conv v, bool is_swizzled) {
    static const int none[3] = {0, 0, 0}, ones[3] = {1, 1, 1};
    int lower[3], upper[3];
    size_t pixels = v.images, results = v.images;
    for (int i = 0; i < 3; i++) {
        const int reach = (v.filter[i] - 1) * v.dilation[i];
        v.out[i] = (v.size[i] + 2 * v.pad[i] - reach - 1) / v.stride[i] + 1;
        lower[i] = -v.pad[i];
        upper[i] = v.pad[i] - reach;
        pixels *= v.size[i];
        results *= v.out[i];
    }
    const int taps = v.filter[0] * v.filter[1] * v.filter[2];
    const std::vector<int> in = numbers(pixels * v.channels, 1),
                           weights = numbers((size_t)FILTERS * taps * v.channels, 2),
                           expected = plain(v, in, weights);
    std::vector<int> out(results * FILTERS);
    int *device_in = on_device(in), *device_weights = on_device(weights),
        *device_out = on_device(out);
    CUtensorMap maps[2];
    const CUresult made[2] = {
        make_map(&maps[0], v, device_in, v.channels, v.size, lower, upper, v.stride, CHANNELS,
                 is_swizzled ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_NONE),
        make_map(&maps[1], v, device_out, FILTERS, v.out, none, none, ones, FILTERS,
                 CU_TENSOR_MAP_SWIZZLE_NONE)};
    const dim3 grid((unsigned)((results + PIXELS - 1) / PIXELS), v.channels / CHANNELS);
    convolve<<<grid, THREADS>>>(maps[0], maps[1], v, device_weights, is_swizzled);
    const cudaError_t error =
        cudaMemcpy(out.data(), device_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s: maps %d %d, %s, %zu results, %s\n", name, (int)made[0], (int)made[1],
           cudaGetErrorName(error), out.size(), out == expected ? "PASS" : "FAIL");
    cudaFree(device_in);
    cudaFree(device_weights);
    cudaFree(device_out);
}

int main() {
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode, 12000,
                                     cudaEnableDefault, &found);
    printf("entry point: %d\n", (int)found);
    const conv line = {3, 3, 32, {37, 1, 1}, {5, 1, 1}, {2, 0, 0}, {1, 1, 1}, {1, 1, 1}, {}};
    const conv image = {4, 2, 32, {13, 11, 1}, {3, 3, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 1}, {}};
    const conv strided = {4, 3, 32, {14, 9, 1}, {3, 3, 1}, {1, 1, 0}, {2, 2, 1}, {1, 1, 1}, {}};
    const conv dilated = {4, 2, 16, {15, 12, 1}, {3, 2, 1}, {2, 0, 0}, {1, 3, 1}, {2, 3, 1}, {}};
    const conv volume = {5, 2, 16, {7, 6, 5}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {}};
    const conv sparse = {5, 2, 16, {9, 7, 6}, {2, 3, 2}, {0, 1, 1}, {2, 1, 2}, {1, 2, 1}, {}};
    run("line", line, true);
    run("image", image, false);
    run("image, swizzled", image, true);
    run("strides of 2", strided, true);
    run("dilated", dilated, true);
    run("volume", volume, true);
    run("volume, strides and dilation", sparse, true);
    return 0;
}
