// The sum of 256 numbers a block in a tree, four ways.
//
//     bankrun gallery/reduction.cu
//
// What to look at: "interleaved" and "strided" add the same pairs in the same rounds. Strided lets
// every 2nd, 4th, 8th, ... thread work: no bank conflicts, but warps half asleep. Interleaved packs
// the work into the first threads, which then lie 2, 4, 8, ... words apart: up to 8-way.
// Sequential packs the work and the words: free. Shuffles need shared memory for one word of each
// warp.
//
// bankrun counts  op     array  requests  wavefronts  ideal  degree
//   strided       load   sums        380         380    380       1
//   interleaved   store  sums         80         220     80       8
//   interleaved   load   sums        100         380    100       8
//   sequential    load   sums        100         100    100       1
//   shuffled      load   sums          4           4      4       1
#include "gallery.cuh"

constexpr unsigned THREADS = 256;

__global__ void strided(unsigned *out, const unsigned *in) {
    __shared__ unsigned sums[THREADS];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (unsigned step = 1; step < THREADS; step *= 2) {
        if (t % (2 * step) == 0)
            sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void interleaved(unsigned *out, const unsigned *in) {
    __shared__ unsigned sums[THREADS];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
#pragma unroll 1 // or the machine code joins the two loads of step 1 into one of 64 bits
    for (unsigned step = 1; step < THREADS; step *= 2) {
        unsigned at = 2 * step * t;
        if (at < THREADS)
            sums[at] += sums[at + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void sequential(unsigned *out, const unsigned *in) {
    __shared__ unsigned sums[THREADS];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (unsigned step = THREADS / 2; step > 0; step /= 2) {
        if (t < step)
            sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void shuffled(unsigned *out, const unsigned *in) {
    __shared__ unsigned sums[THREADS / 32];
    unsigned t = threadIdx.x, sum = in[blockIdx.x * THREADS + t];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t < THREADS / 32) {
        sum = sums[t];
        for (int step = THREADS / 64; step > 0; step /= 2)
            sum += __shfl_down_sync(0xff, sum, step);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    std::vector<unsigned> values(blocks * THREADS), sums(blocks);
    for (unsigned i = 0; i < values.size(); i++)
        sums[i / THREADS] += values[i] = scrambled(i);
    Buffer<unsigned> in(values), out(blocks);
    struct {
        const char *name;
        void (*kernel)(unsigned *, const unsigned *);
    } ways[] = {{"strided", strided},
                {"interleaved", interleaved},
                {"sequential", sequential},
                {"shuffled", shuffled}};
    for (auto &way : ways) {
        out.clear();
        show.kernel(
            way.name, [&] { way.kernel<<<blocks, THREADS>>>(out, in); },
            [&] { return count_wrong(out, [&](size_t i) { return sums[i]; }); });
    }
    return show.status();
}
