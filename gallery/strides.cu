// A warp reads 32 words at a stride of 1 to 33 words.
//
//     bankrun gallery/strides.cu
//
// What to look at: the degree is gcd(stride, 32). Odd strides are free, 2 and 6 are alike, and 32
// is the worst there is; 33 is what one column of padding makes of 32.
//
// bankrun counts  op    array  requests  wavefronts  ideal  degree
//   stride<1>     load  words         4           4      4       1
//   stride<2>     load  words         4           8      4       2
//   stride<3>     load  words         4           4      4       1
//   stride<4>     load  words         4          16      4       4
//   stride<5>     load  words         4           4      4       1
//   stride<6>     load  words         4           8      4       2
//   stride<7>     load  words         4           4      4       1
//   stride<8>     load  words         4          32      4       8
//   stride<9>     load  words         4           4      4       1
//   stride<10>    load  words         4           8      4       2
//   stride<11>    load  words         4           4      4       1
//   stride<12>    load  words         4          16      4       4
//   stride<13>    load  words         4           4      4       1
//   stride<14>    load  words         4           8      4       2
//   stride<15>    load  words         4           4      4       1
//   stride<16>    load  words         4          64      4      16
//   stride<17>    load  words         4           4      4       1
//   stride<18>    load  words         4           8      4       2
//   stride<19>    load  words         4           4      4       1
//   stride<20>    load  words         4          16      4       4
//   stride<21>    load  words         4           4      4       1
//   stride<22>    load  words         4           8      4       2
//   stride<23>    load  words         4           4      4       1
//   stride<24>    load  words         4          32      4       8
//   stride<25>    load  words         4           4      4       1
//   stride<26>    load  words         4           8      4       2
//   stride<27>    load  words         4           4      4       1
//   stride<28>    load  words         4          16      4       4
//   stride<29>    load  words         4           4      4       1
//   stride<30>    load  words         4           8      4       2
//   stride<31>    load  words         4           4      4       1
//   stride<32>    load  words         4         128      4      32
//   stride<33>    load  words         4           4      4       1
#include "gallery.cuh"
#include <utility>

constexpr int LANES = 32;

template <int STRIDE> __global__ void stride(int *out) {
    __shared__ int words[LANES * 33];
    for (int i = threadIdx.x; i < LANES * 33; i += LANES)
        words[i] = i;
    __syncwarp();
    out[blockIdx.x * LANES + threadIdx.x] = words[threadIdx.x * STRIDE];
}

template <int STRIDE> static void show_stride(Show &show, unsigned blocks) {
    Buffer<int> out(blocks * LANES);
    char name[24];
    snprintf(name, sizeof name, "stride %d", STRIDE);
    show.kernel(
        name, [&] { stride<STRIDE><<<blocks, LANES>>>(out); },
        [&] { return count_wrong(out, [](size_t i) { return i % LANES * STRIDE; }); });
}

template <int... N>
static void show_strides(Show &show, unsigned blocks, std::integer_sequence<int, N...>) {
    (show_stride<N + 1>(show, blocks), ...);
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    show_strides(show, show.blocks(4, 65536), std::make_integer_sequence<int, 33>());
    return show.status();
}
