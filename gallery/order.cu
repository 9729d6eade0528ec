// The same 32 places, and which lane has which.
//
//     bankrun gallery/order.cu
//
// What to look at: 32 lanes that read a float4 each want 512 bytes, four wavefronts at best. A
// quarter of the warp is served at a time, lanes 0-7, 8-15, 16-23 and 24-31. In "dealt" lane n
// reads the element n / 8 of row n % 8 of 4: the eight lanes of a quarter are 64 bytes apart, on
// two places in the banks, and meet 4-way. In "ascending" the same places are read in the order of
// lanes, and nothing meets. A layout could cure that, too; the report says both.
//
// bankrun counts      op    array  requests  wavefronts  ideal  degree
//   total<Dealt>      load  rows          4          64     16       4
//   total<Ascending>  load  rows          4          16     16       1
#include "gallery.cuh"

constexpr unsigned LANES = 32, QUARTER = 8, ROW = LANES / QUARTER;

struct Dealt {
    static __device__ __host__ unsigned place(unsigned lane) {
        return lane % QUARTER * ROW + lane / QUARTER;
    }
};

struct Ascending {
    static __device__ __host__ unsigned place(unsigned lane) {
        return lane;
    }
};

template <class Order> __global__ void total(float *out, const float4 *in) {
    __shared__ float4 rows[LANES];
    rows[threadIdx.x] = in[blockIdx.x * LANES + threadIdx.x];
    __syncwarp();
    const float4 four = rows[Order::place(threadIdx.x)];
    out[blockIdx.x * LANES + threadIdx.x] = four.x + four.y + four.z + four.w;
}

template <class Order> static void show_order(Show &show, const char *name, unsigned blocks) {
    std::vector<float4> values(blocks * LANES);
    for (unsigned i = 0; i < values.size(); i++)
        values[i] = make_float4(i % 61, 1, 2, 3);
    Buffer<float4> in(values);
    Buffer<float> out(values.size());
    show.kernel(
        name, [&] { total<Order><<<blocks, LANES>>>(out, in); },
        [&] {
            return count_wrong(out, [](size_t i) {
                return (i / LANES * LANES + Order::place(i % LANES)) % 61 + 6;
            });
        });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    const unsigned blocks = show.blocks(4, 65536);
    show_order<Dealt>(show, "dealt", blocks);
    show_order<Ascending>(show, "ascending", blocks);
    return show.status();
}
