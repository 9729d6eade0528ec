// Tiles that arrive by asynchronous copies, two on their way while one is read down its columns.
//
//     bankrun gallery/pipeline.cu
//
// What to look at: copies of 16 bytes want rows that begin at multiples of 16 bytes. So one cannot
// pad by one word: a pitch of 36 words leaves a column 4-way, and so does a swizzle of whole
// 16-byte chunks, of which there are only eight. Copies of four bytes allow a pitch of 33, at four
// times the requests. Whether that pays depends on how often a tile is read.
//
// The copies themselves: those of four bytes (cp.async.ca) pass through the first-level cache, and
// an H200 counts 512 wavefronts for them, as bankrun does. Those of 16 bytes (cp.async.cg) go past
// it, and past its counters: they show 0, while bankrun gives a lower bound and marks it `~`, which
// is what a store of the same words would take.
//
// bankrun counts        op          array  requests  wavefronts  ideal  degree
//   sum_rows<Dense>     async_copy  tiles       128         512    512       1
//   sum_rows<Dense>     load        tiles       512      16,384    512      32
//   sum_rows<Padded>    async_copy  tiles       128         512    512       1
//   sum_rows<Padded>    load        tiles       512       2,048    512       4
//   sum_rows<Swizzled>  async_copy  tiles       128         512    512       1
//   sum_rows<Swizzled>  load        tiles       512       2,048    512       4
//   sum_rows<ByWords>   async_copy  tiles       512         512    512       1
//   sum_rows<ByWords>   load        tiles       512         512    512       1
#include "gallery.cuh"
#include <cuda_pipeline.h>

constexpr int SIDE = 32, STAGES = 3, TILES = 8;

struct Dense {
    enum { PITCH = SIDE, WORDS = 4 };
    static __device__ int place(int y, int x) {
        return y * PITCH + x;
    }
};

struct Padded { // as little as 16-byte copies allow
    enum { PITCH = SIDE + 4, WORDS = 4 };
    static __device__ int place(int y, int x) {
        return y * PITCH + x;
    }
};

struct Swizzled { // whole chunks of four words
    enum { PITCH = SIDE, WORDS = 4 };
    static __device__ int place(int y, int x) {
        return y * PITCH + (x ^ y % 8 * 4);
    }
};

struct ByWords {
    enum { PITCH = SIDE + 1, WORDS = 1 };
    static __device__ int place(int y, int x) {
        return y * PITCH + x;
    }
};

// One warp sums the rows of TILES tiles; lane y has row y.
template <class Layout> __global__ void sum_rows(int *out, const int *in) {
    __shared__ alignas(16) int tiles[STAGES][SIDE * Layout::PITCH];
    int lane = threadIdx.x;
    in += blockIdx.x * TILES * SIDE * SIDE;
    for (int tile = 0; tile < TILES + STAGES - 1; tile++) {
        if (tile < TILES) {
            int *stage = tiles[tile % STAGES];
            for (int i = lane * Layout::WORDS; i < SIDE * SIDE; i += 32 * Layout::WORDS)
                __pipeline_memcpy_async(&stage[Layout::place(i / SIDE, i % SIDE)],
                                        &in[tile * SIDE * SIDE + i], Layout::WORDS * sizeof(int));
        }
        __pipeline_commit();
        int ready = tile - (STAGES - 1);
        if (ready < 0)
            continue;
        __pipeline_wait_prior(STAGES - 1);
        __syncwarp();
        int sum = 0;
#pragma unroll 1
        for (int x = 0; x < SIDE; x++)
            sum += tiles[ready % STAGES][Layout::place(lane, x)];
        out[(blockIdx.x * TILES + ready) * SIDE + lane] = sum;
        __syncwarp();
    }
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(2, 8192);
    std::vector<int> values(blocks * TILES * SIDE * SIDE), sums(blocks * TILES * SIDE);
    for (unsigned i = 0; i < values.size(); i++)
        sums[i / SIDE] += values[i] = int(scrambled(i) % 100000);
    Buffer<int> in(values), out(sums.size());
    auto wrong = [&] {
        size_t count = count_wrong(out, [&](size_t i) { return sums[i]; });
        out.clear();
        return count;
    };
    show.kernel(
        "dense", [&] { sum_rows<Dense><<<blocks, 32>>>(out, in); }, wrong);
    show.kernel(
        "padded", [&] { sum_rows<Padded><<<blocks, 32>>>(out, in); }, wrong);
    show.kernel(
        "swizzled", [&] { sum_rows<Swizzled><<<blocks, 32>>>(out, in); }, wrong);
    show.kernel(
        "by words", [&] { sum_rows<ByWords><<<blocks, 32>>>(out, in); }, wrong);
    return show.status();
}
