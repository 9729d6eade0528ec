// A transpose through a tile whose rows are as long as the launch says.
//
//     bankrun gallery/pitch.cu
//
// What to look at: the source has no array to pad. The pitch is an argument, and what is a conflict
// for one number is none for another: 32 words put a column into one bank, 36 into eight, 33 into
// all. The report says which parameter it is, which number it had, and the next one that is proved
// to be free. In "as_wide" rows are as long as the block is wide, which nothing can change without
// other blocks: 33 in its place is what helps.
//
// bankrun counts  op    array  requests  wavefronts  ideal  degree
//   transposed    load  tile        384       4,736    384      32
//   as_wide       load  tile        128       4,096    128      32
#include "gallery.cuh"

constexpr unsigned EDGE = 32;

extern __shared__ float tile[];

__global__ void transposed(float *out, const float *in, unsigned n, unsigned pitch) {
    unsigned x = blockIdx.x * EDGE + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y;
    tile[threadIdx.y * pitch + threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * EDGE + threadIdx.x;
    y = blockIdx.x * EDGE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x * pitch + threadIdx.y];
}

// The same with the width of the block for a pitch.
__global__ void as_wide(float *out, const float *in, unsigned n) {
    unsigned x = blockIdx.x * EDGE + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y;
    tile[threadIdx.y * blockDim.x + threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * EDGE + threadIdx.x;
    y = blockIdx.x * EDGE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x * blockDim.x + threadIdx.y];
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    const unsigned blocks = show.blocks(2, 256), n = blocks * EDGE;
    std::vector<float> values(n * n);
    for (unsigned i = 0; i < n * n; i++)
        values[i] = float(scrambled(i) % 1024);
    Buffer<float> in(values), out(n * n);
    const dim3 grid(blocks, blocks), block(EDGE, EDGE);
    auto count = [&] {
        return count_wrong(out, [&](size_t i) { return values[i % n * n + i / n]; });
    };
    for (unsigned pitch : {32, 36, 33}) {
        char name[32];
        snprintf(name, sizeof name, "pitch %u", pitch);
        out.clear();
        const size_t bytes = EDGE * pitch * sizeof(float);
        show.kernel(
            name, [&] { transposed<<<grid, block, bytes>>>(out, in, n, pitch); }, count);
    }
    out.clear();
    const size_t bytes = EDGE * EDGE * sizeof(float);
    show.kernel(
        "blockDim.x", [&] { as_wide<<<grid, block, bytes>>>(out, in, n); }, count);
    return show.status();
}
