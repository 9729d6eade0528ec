// Parts of a warp that synchronise each on its own; and one part that does not.
#include "race.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void rotate(const int *in, int *out, int *tile, unsigned distance) {
    cg::thread_block_tile<8> group = cg::tiled_partition<8>(cg::this_thread_block());
    for (int round = 0; round < 2; round++) {
        tile[threadIdx.x] = in[threadIdx.x] + round;
        group.sync();
        out[threadIdx.x] = tile[threadIdx.x ^ distance];
        group.sync();
    }
}
// finds: race read-write 11 13

__global__ void good(const int *in, int *out) {
    __shared__ int tile[64];
    rotate(in, out, tile, 7);
}

__global__ void bad(const int *in, int *out) {
    __shared__ int tile[64];
    rotate(in, out, tile, 8);
}

int main() {
    launch(good, 1, 64);
    launch(bad, 1, 64);
}
