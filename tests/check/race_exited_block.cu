// A block that may end while another one of its cluster still reads its shared memory.
#include "race.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void exchange(const int *in, int *out, bool waits) {
    __shared__ int tile[64];
    cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = in[threadIdx.x] + blockIdx.x;
    cluster.sync();
    int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    if (cluster.block_rank() == 1)
        out[threadIdx.x] = other[63 - threadIdx.x];
    if (waits)
        cluster.sync();
}
// finds: race exited-block 15

__global__ void __cluster_dims__(2) good(const int *in, int *out) {
    exchange(in, out, true);
}

__global__ void __cluster_dims__(2) bad(const int *in, int *out) {
    exchange(in, out, false);
}

int main() {
    launch(good, 2, 64);
    launch(bad, 2, 64);
}
