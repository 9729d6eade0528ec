// Lanes that read the same word are served together, wherever they sit in the warp.
//
//     bankrun gallery/broadcast.cu
//
// What to look at: only different words of one bank conflict. One word for all lanes, eight words
// for four lanes each, 32 words in any order: one wavefront. Two words of one bank: two, no matter
// that 16 lanes share each. (Before compute capability 2.0 only one word could be shared in a
// wavefront.)
//
// bankrun counts              op    array  requests  wavefronts  ideal  degree
//   read_words<One>           load  words         4           4      4       1
//   read_words<Eight>         load  words         4           4      4       1
//   read_words<Scattered>     load  words         4           4      4       1
//   read_words<Shuffled>      load  words         4           4      4       1
//   read_words<TwoOfABank>    load  words         4           8      4       2
//   read_words<PairsOfABank>  load  words         4           8      4       2
#include "gallery.cuh"

constexpr int LANES = 32, WORDS = 64;

struct One { // broadcast
    static __host__ __device__ int word(int lane) {
        return lane * 0 + 5;
    }
};
struct Eight { // multicast
    static __host__ __device__ int word(int lane) {
        return lane / 4;
    }
};
struct Scattered { // multicast to lanes that are not neighbours
    static __host__ __device__ int word(int lane) {
        return lane % 8 * 4;
    }
};
struct Shuffled { // every word once
    static __host__ __device__ int word(int lane) {
        return lane * 13 % LANES;
    }
};
struct TwoOfABank {
    static __host__ __device__ int word(int lane) {
        return lane % 2 * 32 + 7;
    }
};
struct PairsOfABank { // words n and n + 32, two lanes each
    static __host__ __device__ int word(int lane) {
        return lane / 4 + lane % 2 * 32;
    }
};

template <class Pattern> __global__ void read_words(int *out) {
    __shared__ int words[WORDS];
    words[threadIdx.x] = threadIdx.x;
    words[threadIdx.x + LANES] = threadIdx.x + LANES;
    __syncwarp();
    out[blockIdx.x * LANES + threadIdx.x] = words[Pattern::word(threadIdx.x)];
}

template <class Pattern> static void show_pattern(Show &show, const char *name, unsigned blocks) {
    Buffer<int> out(blocks * LANES);
    show.kernel(
        name, [&] { read_words<Pattern><<<blocks, LANES>>>(out); },
        [&] { return count_wrong(out, [](size_t i) { return Pattern::word(int(i % LANES)); }); });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    show_pattern<One>(show, "one word", blocks);
    show_pattern<Eight>(show, "eight words", blocks);
    show_pattern<Scattered>(show, "scattered", blocks);
    show_pattern<Shuffled>(show, "shuffled", blocks);
    show_pattern<TwoOfABank>(show, "two of a bank", blocks);
    show_pattern<PairsOfABank>(show, "pairs of a bank", blocks);
    return show.status();
}
