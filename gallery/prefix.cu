// Work-efficient prefix sum of 512 numbers a block: up a tree and down again.
//
//     bankrun gallery/prefix.cu
//
// What to look at: on its way up the tree reads words 2, 4, 8, ... apart, so the degree doubles
// with each level, to 16-way; then fewer lanes are left than would fill a bank. "offset" puts
// element i at i + i / 32: one word of padding after each row of banks, which turns a power of two
// into an odd stride.
//
// bankrun counts    op     array  requests  wavefronts  ideal  degree
//   prefix<Dense>   store  sums        308       1,208    308      16
//   prefix<Dense>   load   sums        464       1,964    464      16
//   prefix<Offset>  load   sums        464         464    464       1
#include "gallery.cuh"

constexpr unsigned COUNT = 512, THREADS = COUNT / 2;

struct Dense {
    static __device__ unsigned at(unsigned i) {
        return i;
    }
};

struct Offset {
    static __device__ unsigned at(unsigned i) {
        return i + i / 32;
    }
};

// out[i] is the sum of in[0] to in[i - 1] of the block.
template <class Place> __global__ void prefix(unsigned *out, const unsigned *in) {
    __shared__ unsigned sums[COUNT + COUNT / 32];
    unsigned t = threadIdx.x, step = 1;
    in += blockIdx.x * COUNT, out += blockIdx.x * COUNT;
    sums[Place::at(t)] = in[t];
    sums[Place::at(t + THREADS)] = in[t + THREADS];
#pragma unroll 1 // or the machine code joins the two accesses of step 1 into one of 64 bits
    for (unsigned pairs = COUNT / 2; pairs > 0; pairs /= 2, step *= 2) {
        __syncthreads();
        if (t < pairs) {
            unsigned left = step * (2 * t + 1) - 1;
            sums[Place::at(left + step)] += sums[Place::at(left)];
        }
    }
    if (t == 0)
        sums[Place::at(COUNT - 1)] = 0;
#pragma unroll 1
    for (unsigned pairs = 1; pairs < COUNT; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            unsigned left = step * (2 * t + 1) - 1;
            unsigned kept = sums[Place::at(left)];
            sums[Place::at(left)] = sums[Place::at(left + step)];
            sums[Place::at(left + step)] += kept;
        }
    }
    __syncthreads();
    out[t] = sums[Place::at(t)];
    out[t + THREADS] = sums[Place::at(t + THREADS)];
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 16384);
    std::vector<unsigned> values(blocks * COUNT), sums(blocks * COUNT);
    for (unsigned i = 0; i < values.size(); i++) {
        values[i] = scrambled(i);
        sums[i] = i % COUNT ? sums[i - 1] + values[i - 1] : 0;
    }
    Buffer<unsigned> in(values), out(values.size());
    auto wrong = [&] { return count_wrong(out, [&](size_t i) { return sums[i]; }); };
    show.kernel(
        "dense", [&] { prefix<Dense><<<blocks, THREADS>>>(out, in); }, wrong);
    out.clear();
    show.kernel(
        "offset", [&] { prefix<Offset><<<blocks, THREADS>>>(out, in); }, wrong);
    return show.status();
}
