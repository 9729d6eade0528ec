// Bytes and halves, dense and with the padding that the first CUDA devices wanted.
//
//     bankrun gallery/subword.cu
//     bankrun --arch sm_13 gallery/subword.cu
//
// What to look at: the two tables. Compute capability 1.x serves a half warp in steps, each of
// which takes one lane of every bank and all lanes of one word: four bytes of a word are four lanes
// of one bank, so char[tid] takes 4 steps and char[4 * tid] one. Devices since then serve all lanes
// of a word together: char[tid] is free, and the old padding only wastes memory. What conflicts
// today are bytes of different words in one bank: a stride of 128.
//
// bankrun counts           op     array  requests  wavefronts  ideal  degree
//   read_small<char, 1>    load   small         4           4      4       1
//   read_small<char, 4>    load   small         4           4      4       1
//   read_small<char, 128>  store  small         4         128      4      32
//   read_small<char, 128>  load   small         4         128      4      32
//   read_small<short, 1>   load   small         4           4      4       1
//   read_small<short, 2>   load   small         4           4      4       1
//   read_small<short, 64>  store  small         4         128      4      32
//   read_small<short, 64>  load   small         4         128      4      32
//
// bankrun --arch sm_13 counts  op     array  requests  wavefronts  ideal  degree
//   read_small<char, 1>        store  small         4          32      8       4
//   read_small<char, 1>        load   small         4          32      8       4
//   read_small<char, 4>        load   small         4           8      8       1
//   read_small<char, 128>      store  small         4         128      8      16
//   read_small<char, 128>      load   small         4         128      8      16
//   read_small<short, 1>       store  small         4          16      8       2
//   read_small<short, 1>       load   small         4          16      8       2
//   read_small<short, 2>       load   small         4           8      8       1
//   read_small<short, 64>      store  small         4         128      8      16
//   read_small<short, 64>      load   small         4         128      8      16
#include "gallery.cuh"

constexpr int LANES = 32;

template <class T, int STRIDE> __global__ void read_small(int *out) {
    __shared__ T small[LANES * STRIDE];
    small[threadIdx.x * STRIDE] = T(threadIdx.x);
    __syncwarp();
    out[blockIdx.x * LANES + threadIdx.x] = small[(threadIdx.x ^ 1) * STRIDE];
}

template <class T, int STRIDE>
static void show_small(Show &show, const char *name, unsigned blocks) {
    Buffer<int> out(blocks * LANES);
    show.kernel(
        name, [&] { read_small<T, STRIDE><<<blocks, LANES>>>(out); },
        [&] { return count_wrong(out, [](size_t i) { return (i % LANES) ^ 1; }); });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    show_small<char, 1>(show, "char", blocks);
    show_small<char, 4>(show, "char, padded to words", blocks);
    show_small<char, 128>(show, "char, stride 128", blocks);
    show_small<short, 1>(show, "short", blocks);
    show_small<short, 2>(show, "short, padded to words", blocks);
    show_small<short, 64>(show, "short, stride 64", blocks);
    return show.status();
}
