// Bitonic sort of 512 numbers a block.
//
//     bankrun gallery/bitonic.cu
//
// What to look at: each thread compares words i and i + step, where i skips every second run of
// "step" words. For steps below 32 the i of a warp spread over two rows of banks and leave half of
// the banks out: 2-way, in 35 of 45 rounds. "reflected" turns every second row round (word i lies
// at i ^ 31): then one row takes the banks that the other leaves, for every step, and no word is
// lost to padding.
//
// bankrun counts        op     array   requests  wavefronts  ideal  degree
//   bitonic<Plain>      store  values     1,472       2,592  1,472       2
//   bitonic<Plain>      load   values     1,472       2,592  1,472       2
//   bitonic<Reflected>  load   values     1,472       1,472  1,472       1
#include "gallery.cuh"

constexpr unsigned COUNT = 512, THREADS = COUNT / 2;

struct Plain {
    static __device__ unsigned at(unsigned i) {
        return i;
    }
};

struct Reflected {
    static __device__ unsigned at(unsigned i) {
        return i & 32 ? i ^ 31 : i;
    }
};

template <class Place> __global__ void bitonic(unsigned *out, const unsigned *in) {
    __shared__ unsigned values[COUNT];
    unsigned t = threadIdx.x;
    in += blockIdx.x * COUNT, out += blockIdx.x * COUNT;
    values[Place::at(t)] = in[t];
    values[Place::at(t + THREADS)] = in[t + THREADS];
    for (unsigned run = 2; run <= COUNT; run *= 2) {
#pragma unroll 1 // or the machine code joins the two accesses of step 1 into one of 64 bits
        for (unsigned step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned i = 2 * t - (t & (step - 1));
            unsigned &low = values[Place::at(i)], &high = values[Place::at(i + step)];
            unsigned a = low, b = high;
            bool is_falling = i & run;
            low = is_falling ? max(a, b) : min(a, b);
            high = is_falling ? min(a, b) : max(a, b);
        }
    }
    __syncthreads();
    out[t] = values[Place::at(t)];
    out[t + THREADS] = values[Place::at(t + THREADS)];
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(2, 16384);
    std::vector<unsigned> values(blocks * COUNT);
    for (unsigned i = 0; i < values.size(); i++)
        values[i] = scrambled(i);
    Buffer<unsigned> in(values), out(values.size());
    for (unsigned block = 0; block < blocks; block++)
        std::sort(&values[block * COUNT], &values[block * COUNT] + COUNT);
    auto wrong = [&] { return count_wrong(out, [&](size_t i) { return values[i]; }); };
    show.kernel(
        "plain", [&] { bitonic<Plain><<<blocks, THREADS>>>(out, in); }, wrong);
    out.clear();
    show.kernel(
        "reflected", [&] { bitonic<Reflected><<<blocks, THREADS>>>(out, in); }, wrong);
    return show.status();
}
