// The transpose of gallery/transpose.cu without padding and at the speed of a copy.
//
//     bankrun gallery/transpose_fast.cu
//     transpose_fast --time        on a GPU: against a copy, at 4000 x 4000 and 16384 x 16384
//
// What to look at: "swizzled" is the textbook's tile of 32 x 32 with column x of row y at x ^ y:
// free, without a word of padding. What makes lib/transpose.cuh fast comes on top: 16 bytes a lane
// on both sides of global memory and in shared memory, squares turned in registers, and blocks in
// the order of the result's lines. It has no conflicts for elements of any size; where the matrix
// ends inside a tile, the few chunks that are left of its lines can share a bank.
//
// bankrun counts                                  op    array  requests  wavefronts  ideal  degree
//   transpose_swizzled                            load  tile        192         192    192       1
//   transpose_tile<cut<1, 16, 128, 256, 128>, 0>  load  tile        128         512    512       1
//   transpose_tile<cut<1, 8, 128, 128, 256>, 0>   load  tile        204         408    340       2
//   transpose_tile<cut<1, 4, 128, 128, 256>, 0>   load  tile        264         264    264       1
//   transpose_tile<cut<1, 1, 128, 128, 1024>, 0>  load  tile        393         393    393       1
//   transpose_tile<cut<2, 8, 128, 128, 256>, 0>   load  tile         64         256    256       1
//   transpose_tile<cut<2, 4, 64, 64, 256>, 0>     load  tile        102         204    170       2
//   transpose_tile<cut<2, 2, 64, 64, 256>, 0>     load  tile        132         132    132       1
//   transpose_tile<cut<2, 1, 64, 64, 512>, 0>     load  tile        325         325    325       1
//   transpose_tile<cut<4, 4, 64, 64, 256>, 0>     load  tile        192         768    768       1
//   transpose_tile<cut<4, 2, 64, 64, 256>, 0>     load  tile        260         390    390       1
//   transpose_tile<cut<4, 1, 32, 64, 256>, 0>     load  tile        164         164    164       1
//   transpose_tile<cut<8, 2, 32, 32, 256>, 0>     load  tile         96         384    384       1
//   transpose_tile<cut<8, 1, 32, 64, 512>, 0>     load  tile        252         441    441       1
//   transpose_tile<cut<16, 1, 32, 32, 512>, 0>    load  tile         97         388    388       1
#include "gallery.cuh"
#include "lib/transpose.cuh"

constexpr int TILE = 32;

__global__ void transpose_swizzled(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    if (x < width && y < height)
        tile[ty][tx ^ ty] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx, y = blockIdx.x * TILE + ty;
    if (x < height && y < width)
        out[y * height + x] = tile[tx][ty ^ tx];
}

struct alignas(16) Sixteen {
    unsigned long long low, high;
    Sixteen() = default;
    explicit Sixteen(unsigned value) : low(value), high(~value) {}
    bool operator!=(const Sixteen &other) const {
        return low != other.low || high != other.high;
    }
};

template <class T> static std::vector<T> elements(size_t count) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = T(scrambled(unsigned(i)) >> 8);
    return values;
}

template <class T>
static size_t count_misplaced(const Buffer<T> &out, const std::vector<T> &values, size_t width,
                              size_t height) {
    std::vector<T> result = out.read();
    size_t wrong = 0;
    for (size_t x = 0; x < width; x++)
        for (size_t y = 0; y < height; y++)
            wrong += result[x * height + y] != values[y * width + x];
    return wrong;
}

template <class T> static void show_size(Show &show, size_t width, size_t height) {
    std::vector<T> values = elements<T>(width * height);
    Buffer<T> in(values), out(values.size());
    char name[64];
    snprintf(name, sizeof name, "%zu x %zu, %zu byte%s", width, height, sizeof(T),
             sizeof(T) > 1 ? "s" : "");
    show.kernel(
        name, [&] { CHECK(fast::transpose<T>(out, in, width, height)); },
        [&] { return count_misplaced(out, values, width, height); });
}

static void show_time(Show &show, int side) {
    std::vector<float> values = elements<float>(size_t(side) * side);
    Buffer<float> in(values), out(values.size());
    printf("%d x %d\n", side, side);
    show.kernel(
        "copy",
        [&] {
            CHECK(
                cudaMemcpyAsync(out, in, values.size() * sizeof(float), cudaMemcpyDeviceToDevice));
        },
        [] { return 0; });
    unsigned tiles = (side + TILE - 1) / TILE;
    show.kernel(
        "swizzled",
        [&] { transpose_swizzled<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(out, in, side, side); },
        [&] { return count_misplaced(out, values, side, side); });
    out.clear();
    show.kernel(
        "fast::transpose", [&] { CHECK(fast::transpose<float>(out, in, side, side)); },
        [&] { return count_misplaced(out, values, side, side); });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    if (argc > 1) {
        show_time(show, 4000);
        show_time(show, 16384);
        return show.status();
    }
    std::vector<float> values = elements<float>(96 * 64);
    Buffer<float> in(values), out(values.size());
    show.kernel(
        "swizzled", [&] { transpose_swizzled<<<dim3(3, 2), dim3(TILE, TILE)>>>(out, in, 96, 64); },
        [&] { return count_misplaced(out, values, 96, 64); });
    show_size<unsigned char>(show, 256, 256);
    show_size<unsigned char>(show, 136, 264);
    show_size<unsigned char>(show, 132, 140);
    show_size<unsigned char>(show, 131, 67);
    show_size<unsigned short>(show, 128, 128);
    show_size<unsigned short>(show, 68, 132);
    show_size<unsigned short>(show, 66, 70);
    show_size<unsigned short>(show, 65, 131);
    show_size<float>(show, 128, 192);
    show_size<float>(show, 130, 66);
    show_size<float>(show, 33, 97);
    show_size<float>(show, 1, 1000);
    show_size<double>(show, 64, 96);
    show_size<double>(show, 63, 97);
    show_size<Sixteen>(show, 64, 32);
    show_size<Sixteen>(show, 33, 31);
    return show.status();
}
