// The transpose of gallery/transpose.cu without padding and at the speed of a copy.
//
//     bankrun gallery/transpose_fast.cu
//     transpose_fast --time        on a GPU: against a copy, at 4000 x 4000 and 16384 x 16384
//
// What to look at: "swizzled" is the textbook's tile of 32 x 32 with column x of row y at x ^ y:
// free, without a word of padding. What makes lib/transpose.cuh fast comes on top. Where rows begin
// at multiples of 16 bytes (transpose_tile): 16 bytes a lane on both sides of global memory and in
// shared memory, squares turned in registers, and blocks in the order of the result's rows. Where
// they begin anywhere (transpose_window): words of four bytes or more, and windows of the result
// that begin at sectors. Neither has conflicts, for elements of any size; where the matrix ends
// inside a tile, the few chunks that are left of its lines can share a bank.
//
// bankrun counts                                  op    array  requests  wavefronts  ideal  degree
//   transpose_swizzled                            load  tile        192         192    192       1
//   transpose_tile<cut<1, 16, 128, 256, 128>, 0>  load  tile        128         512    512       1
//   transpose_window<window<1, 64, 256, 512>>     load  tile      3,680       3,680  3,680       1
//   transpose_tile<cut<2, 8, 128, 128, 256>, 0>   load  tile         64         256    256       1
//   transpose_window<window<2, 128, 128, 512>>    load  tile      3,772       3,772  3,772       1
//   transpose_tile<cut<4, 4, 64, 64, 256>, 0>     load  tile        192         768    768       1
//   transpose_window<window<4, 128, 64, 256>>     load  tile        684         684    684       1
//   transpose_tile<cut<8, 2, 32, 32, 256>, 0>     load  tile         96         384    384       1
//   transpose_window<window<8, 64, 32, 256>>      load  tile        252         486    486       1
//   transpose_tile<cut<16, 1, 32, 32, 512>, 0>    load  tile         97         388    388       1
//   transpose_window<window<16, 32, 32, 256>>     load  tile      1,878       7,503  7,503       1
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

// Also of what lies before the result, where `shift` elements must be left as they were.
template <class T>
static size_t count_misplaced(const Buffer<T> &out, const std::vector<T> &values, size_t width,
                              size_t height, size_t shift = 0) {
    std::vector<T> result = out.read();
    size_t wrong = 0;
    std::vector<unsigned char> untouched(shift * sizeof(T), 0xff);
    if (shift > 0)
        wrong += memcmp(result.data(), untouched.data(), untouched.size()) != 0;
    for (size_t x = 0; x < width; x++)
        for (size_t y = 0; y < height; y++)
            wrong += result[shift + x * height + y] != values[shift + y * width + x];
    return wrong;
}

// With a shift both matrices begin that many elements behind the beginning of their memory.
template <class T>
static void show_size(Show &show, size_t width, size_t height, size_t shift = 0) {
    std::vector<T> values = elements<T>(width * height + shift);
    Buffer<T> in(values), out(values.size());
    char name[64];
    snprintf(name, sizeof name, "%zu x %zu, %zu byte%s%s", width, height, sizeof(T),
             sizeof(T) > 1 ? "s" : "", shift ? ", shifted" : "");
    show.kernel(
        name, [&] { CHECK(fast::transpose<T>(out + shift, in + shift, width, height)); },
        [&] { return count_misplaced(out, values, width, height, shift); });
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
    show_size<unsigned char>(show, 131, 67);
    show_size<unsigned char>(show, 263, 521, 3);
    show_size<unsigned short>(show, 128, 128);
    show_size<unsigned short>(show, 65, 131);
    show_size<unsigned short>(show, 271, 263, 5);
    show_size<float>(show, 128, 192);
    show_size<float>(show, 130, 66);
    show_size<float>(show, 33, 97, 1);
    show_size<float>(show, 1, 1000);
    show_size<double>(show, 64, 96);
    show_size<double>(show, 63, 97, 1);
    show_size<Sixteen>(show, 64, 32);
    show_size<Sixteen>(show, 33, 31, 1);
    show_size<Sixteen>(show, 3, 20001);
    return show.status();
}
