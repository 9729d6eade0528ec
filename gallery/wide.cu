// Elements of 8 and 16 bytes: float2, float4, double.
//
//     bankrun gallery/wide.cu
//
// What to look at: the column "ideal". A warp that reads 8 bytes a lane is served in two halves, 16
// bytes in four quarters: that is the width of the data, not a conflict. What counts is how many
// wavefronts each half or quarter takes: the degree. Reading .x of a float4 is a stride of four
// words, 4-way; reading the whole float4 and using .x costs the same four wavefronts and brings
// four times as much. Lanes in pairs that read the same element make two halves into one ("pairs
// agree").
//
// bankrun counts                    op    array  requests  wavefronts  ideal  degree
//   read_wide<float2, Neighbours>   load  wide          4           8      8       1
//   read_wide<float2, EverySecond>  load  wide          4          16      8       2
//   read_wide<float2, Pairs>        load  wide          4           4      4       1
//   read_wide<double, Neighbours>   load  wide          4           8      8       1
//   read_wide<double, EverySecond>  load  wide          4          16      8       2
//   read_wide<float4, Neighbours>   load  wide          4          16     16       1
//   read_wide<float4, EverySecond>  load  wide          4          32     16       2
//   read_wide<float4, Pairs>        load  wide          4           8      8       1
//   read_member                     load  wide          4          16      4       4
#include "gallery.cuh"

constexpr int LANES = 32;

struct Neighbours {
    static __host__ __device__ int element(int lane) {
        return lane;
    }
};
struct EverySecond {
    static __host__ __device__ int element(int lane) {
        return 2 * lane;
    }
};
struct Pairs {
    static __host__ __device__ int element(int lane) {
        return lane / 2;
    }
};

__device__ float sum_of(float2 v) {
    return v.x + v.y;
}

__device__ float sum_of(float4 v) {
    return v.x + v.y + v.z + v.w;
}

__device__ float sum_of(double v) {
    return float(v);
}

__device__ void fill(float2 &v, int i) {
    v = make_float2(i, 0);
}

__device__ void fill(float4 &v, int i) {
    v = make_float4(i, 0, 0, 0);
}

__device__ void fill(double &v, int i) {
    v = i;
}

template <class T, class Pattern> __global__ void read_wide(float *out) {
    __shared__ T wide[2 * LANES];
    fill(wide[threadIdx.x], threadIdx.x);
    fill(wide[threadIdx.x + LANES], threadIdx.x + LANES);
    __syncwarp();
    out[blockIdx.x * LANES + threadIdx.x] = sum_of(wide[Pattern::element(threadIdx.x)]);
}

__global__ void read_member(float *out) {
    __shared__ float4 wide[2 * LANES];
    fill(wide[threadIdx.x], threadIdx.x);
    fill(wide[threadIdx.x + LANES], threadIdx.x + LANES);
    __syncwarp();
    out[blockIdx.x * LANES + threadIdx.x] = wide[threadIdx.x].x;
}

template <class T, class Pattern>
static void show_wide(Show &show, const char *name, unsigned blocks) {
    Buffer<float> out(blocks * LANES);
    show.kernel(
        name, [&] { read_wide<T, Pattern><<<blocks, LANES>>>(out); },
        [&] {
            return count_wrong(out, [](size_t i) { return Pattern::element(int(i % LANES)); });
        });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    show_wide<float2, Neighbours>(show, "float2", blocks);
    show_wide<float2, EverySecond>(show, "float2, every second", blocks);
    show_wide<float2, Pairs>(show, "float2, pairs", blocks);
    show_wide<double, Neighbours>(show, "double", blocks);
    show_wide<double, EverySecond>(show, "double, every second", blocks);
    show_wide<float4, Neighbours>(show, "float4", blocks);
    show_wide<float4, EverySecond>(show, "float4, every second", blocks);
    show_wide<float4, Pairs>(show, "float4, pairs", blocks);
    Buffer<float> out(blocks * LANES);
    show.kernel(
        ".x of float4", [&] { read_member<<<blocks, LANES>>>(out); },
        [&] { return count_wrong(out, [](size_t i) { return i % LANES; }); });
    return show.status();
}
