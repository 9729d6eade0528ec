// A weighted histogram of 256 bins by shared atomics, of data that crowds into few bins.
//
//     bankrun gallery/histogram.cu
//
// What to look at: atomics are the one access for which lanes on the same word conflict too.
// "naive" lets all lanes add to one histogram; where many lanes want a bin, each waits for its
// turn. "privatised" has eight copies whose bins lie side by side: neighbours in the warp add to
// different words and banks. "aggregated" lets the lanes of one bin agree on a leader first, who
// adds for all of them.
//
// bankrun counts  op      array  requests  wavefronts  ideal  degree
//   naive         atomic  bins        256       1,162    256      10
//   naive         load    bins         32          32     32       1
//   privatised    atomic  bins        256         767    256       4
//   privatised    load    bins        256         256    256       1
//   aggregated    atomic  bins        256         616    256       4
//   aggregated    load    bins         32          32     32       1
#include "gallery.cuh"

constexpr unsigned BINS = 256, THREADS = 256, EACH = 8, COPIES = 8;

__device__ void write_out(unsigned *out, unsigned bin, unsigned sum) {
    out[blockIdx.x * BINS + bin] = sum;
}

__global__ void naive(unsigned *out, const uint2 *in) {
    __shared__ unsigned bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 0; i < EACH; i++) {
        uint2 item = in[(blockIdx.x * EACH + i) * THREADS + threadIdx.x];
        atomicAdd(&bins[item.x], item.y);
    }
    __syncthreads();
    write_out(out, threadIdx.x, bins[threadIdx.x]);
}

__global__ void privatised(unsigned *out, const uint2 *in) {
    __shared__ unsigned bins[BINS][COPIES];
    for (unsigned i = threadIdx.x; i < BINS * COPIES; i += THREADS)
        bins[i / COPIES][i % COPIES] = 0;
    __syncthreads();
    for (unsigned i = 0; i < EACH; i++) {
        uint2 item = in[(blockIdx.x * EACH + i) * THREADS + threadIdx.x];
        atomicAdd(&bins[item.x][threadIdx.x % COPIES], item.y);
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < COPIES;
         i++) // starting apart, so that a column is read without conflict
        sum += bins[threadIdx.x][(i + threadIdx.x / 4) % COPIES];
    write_out(out, threadIdx.x, sum);
}

__global__ void aggregated(unsigned *out, const uint2 *in) {
    __shared__ unsigned bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 0; i < EACH; i++) {
        uint2 item = in[(blockIdx.x * EACH + i) * THREADS + threadIdx.x];
        unsigned alike = __match_any_sync(0xffffffff, item.x);
        unsigned sum = __reduce_add_sync(alike, item.y);
        __syncwarp(); // the groups of alike lanes come back one by one
        if (threadIdx.x % 32 == __ffs(alike) - 1)
            atomicAdd(&bins[item.x], sum);
    }
    __syncthreads();
    write_out(out, threadIdx.x, bins[threadIdx.x]);
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 4096);
    std::vector<uint2> items(blocks * EACH * THREADS);
    std::vector<unsigned> expected(blocks * BINS);
    for (unsigned i = 0; i < items.size(); i++) {
        unsigned number = scrambled(i), bin = number % 256 * (number >> 8 & 0xff) >> 8; // few high
        items[i] = {bin * (number >> 16 & 0xff) >> 8, number >> 24};
        expected[i / (EACH * THREADS) * BINS + items[i].x] += items[i].y;
    }
    Buffer<uint2> in(items);
    Buffer<unsigned> out(expected.size());
    struct {
        const char *name;
        void (*kernel)(unsigned *, const uint2 *);
    } ways[] = {{"naive", naive}, {"privatised", privatised}, {"aggregated", aggregated}};
    for (auto &way : ways) {
        out.clear();
        show.kernel(
            way.name, [&] { way.kernel<<<blocks, THREADS>>>(out, in); },
            [&] { return count_wrong(out, [&](size_t i) { return expected[i]; }); });
    }
    return show.status();
}
