// Which lanes can conflict at all: half warps then, warps now, half warps again for wide accesses.
//
//     bankrun gallery/half_warps.cu
//     bankrun --arch sm_13 gallery/half_warps.cu
//
// What to look at: "between_halves" reads 16 neighbouring words in one half of the warp and 16
// others of the same banks in the other. On compute capability 1.x each half was served by itself,
// so this is free there; today the warp is served as one, and it is 2-way. With 8 bytes a lane the
// halves are served one after the other even today, so "between_halves<double>" is free on 9.0. And
// "half_active" shows that lanes that are off want nothing: stride 2 over 16 active lanes is free
// on 32 banks.
//
// bankrun counts            op    array  requests  wavefronts  ideal  degree
//   between_halves<int>     load  words         4           8      4       2
//   between_halves<double>  load  words         4           8      8       1
//   half_active             load  words         4           4      4       1
//
// bankrun --arch sm_13 counts  op     array  requests  wavefronts  ideal  degree
//   between_halves<int>        load   words         4           8      8       1
//   between_halves<double>     store  words         8          64     32       2
//   between_halves<double>     load   words         4          32     16       2
//   half_active                load   words         4           8      4       2
#include "gallery.cuh"

constexpr int LANES = 32, WORDS = 64;

template <class T> __global__ void between_halves(T *out) {
    __shared__ T words[WORDS];
    words[threadIdx.x] = T(threadIdx.x);
    words[threadIdx.x + LANES] = T(threadIdx.x + LANES);
    __syncwarp();
    int half = threadIdx.x / 16;
    out[blockIdx.x * LANES + threadIdx.x] = words[threadIdx.x % 16 + 32 * half];
}

__global__ void half_active(int *out) {
    __shared__ int words[WORDS];
    words[threadIdx.x] = threadIdx.x;
    words[threadIdx.x + LANES] = threadIdx.x + LANES;
    __syncwarp();
    if (threadIdx.x < 16)
        out[blockIdx.x * 16 + threadIdx.x] = words[2 * threadIdx.x];
}

template <class T> static void show_halves(Show &show, const char *name, unsigned blocks) {
    Buffer<T> out(blocks * LANES);
    show.kernel(
        name, [&] { between_halves<T><<<blocks, LANES>>>(out); },
        [&] { return count_wrong(out, [](size_t i) { return i % 16 + i % LANES / 16 * 32; }); });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    show_halves<int>(show, "int, between halves", blocks);
    show_halves<double>(show, "double, between halves", blocks);
    Buffer<int> out(blocks * 16);
    show.kernel(
        "int, half active", [&] { half_active<<<blocks, LANES>>>(out); },
        [&] { return count_wrong(out, [](size_t i) { return i % 16 * 2; }); });
    return show.status();
}
