// Blocks of a cluster read each other's shared memory: before it is written, and after its block has
// gone on.
#include "race.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void exchange(const int *in, int *out, bool waits_before, bool waits_after) {
    __shared__ int tile[64];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    tile[threadIdx.x] = in[threadIdx.x] + blockIdx.x;
    if (waits_before)
        cluster.sync();
    int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x];
    if (waits_after)
        cluster.sync();
    tile[threadIdx.x] = 0;
    cluster.sync();
}
// finds: race read-write 13 17
// finds: race read-write 20 17

__global__ void __cluster_dims__(2) good(const int *in, int *out) {
    exchange(in, out, true, true);
}

__global__ void __cluster_dims__(2) too_early(const int *in, int *out) {
    exchange(in, out, false, true);
}

__global__ void __cluster_dims__(2) too_late(const int *in, int *out) {
    exchange(in, out, true, false);
}

int main() {
    launch(good, 2, 64);
    launch(too_early, 2, 64);
    launch(too_late, 2, 64);
}
