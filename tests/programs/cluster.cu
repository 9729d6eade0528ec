// Clusters as programs use them: cooperative_groups, __cluster_dims__, launches with a cluster size,
// the errors of those that do not fit, and occupancy.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum { BINS_A_BLOCK = 64, BLOCKS = 4, THREADS = 128, N = 1 << 14 };

// A histogram whose bins are spread over the blocks of a cluster.
__global__ void histogram(const unsigned *data, unsigned n, unsigned *bins) {
    extern __shared__ unsigned mine[];
    cg::cluster_group cluster = cg::this_cluster();
    for (unsigned i = threadIdx.x; i < BINS_A_BLOCK; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    const unsigned step = blockDim.x * gridDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const unsigned bin = data[i] % (BINS_A_BLOCK * cluster.num_blocks());
        unsigned *there = cluster.map_shared_rank(mine, bin / BINS_A_BLOCK);
        atomicAdd(there + bin % BINS_A_BLOCK, 1);
    }
    cluster.sync();
    unsigned *out = bins + cluster.block_rank() * BINS_A_BLOCK;
    for (unsigned i = threadIdx.x; i < BINS_A_BLOCK; i += blockDim.x)
        atomicAdd(out + i, mine[i]);
}

// A ring of blocks: each sees what the one before it wrote, and knows its place.
__global__ void __cluster_dims__(2, 2, 1) places(int *out) {
    __shared__ int word;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&word, (rank + 1) % size) = 100 * blockIdx.x + 10 * blockIdx.y;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    const dim3 index = cluster.block_index();
    if (cluster.thread_rank() == 1 + rank * blockDim.x) {
        int *row = out + 6 * (blockIdx.y * gridDim.x + blockIdx.x);
        row[0] = word;
        row[1] = rank;
        row[2] = index.x * 10 + index.y;
        row[3] = cluster.num_threads();
        row[4] = cluster.query_shared_rank(cluster.map_shared_rank(&word, 3 - rank));
        row[5] = cluster.dim_blocks().x * 100 + cluster.dim_blocks().y * 10 + cluster.dim_blocks().z;
    }
}

__global__ void plain(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (int)(cluster.num_blocks() * 10 + cluster.block_rank());
}

static cudaLaunchAttribute attribute[1];

static cudaLaunchConfig_t configuration(unsigned grid, unsigned block, unsigned cluster,
                                        size_t shared) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

static void count() {
    unsigned *data, *bins, wrong = 0;
    cudaMallocManaged(&data, N * sizeof *data);
    cudaMallocManaged(&bins, BINS_A_BLOCK * BLOCKS * sizeof *bins);
    for (unsigned i = 0; i < N; i++)
        data[i] = i * 2654435761u >> 16;
    for (unsigned i = 0; i < BINS_A_BLOCK * BLOCKS; i++)
        bins[i] = 0;
    cudaLaunchConfig_t config =
        configuration(2 * BLOCKS, THREADS, BLOCKS, BINS_A_BLOCK * sizeof(unsigned));
    cudaError_t error = cudaLaunchKernelEx(&config, histogram, (const unsigned *)data, (unsigned)N,
                                           bins);
    cudaDeviceSynchronize();
    for (unsigned b = 0; b < BINS_A_BLOCK * BLOCKS; b++) {
        unsigned expected = 0;
        for (unsigned i = 0; i < N; i++)
            expected += data[i] % (BINS_A_BLOCK * BLOCKS) == b;
        wrong += expected != bins[b];
    }
    printf("histogram: %s, %u bins wrong\n", cudaGetErrorName(error), wrong);
}

static void show_places(int *out) {
    places<<<dim3(4, 2), 32>>>(out);
    printf("places: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int b = 0; b < 8; b++)
        printf("  %d %d %d %d %d %d\n", out[6 * b], out[6 * b + 1], out[6 * b + 2], out[6 * b + 3],
               out[6 * b + 4], out[6 * b + 5]);
}

static void launch_plain(int *out, unsigned grid, unsigned cluster) {
    cudaLaunchConfig_t config = configuration(grid, 32, cluster, 0);
    cudaError_t error = cudaLaunchKernelEx(&config, plain, out);
    cudaGetLastError();
    printf("grid %u, clusters of %u: %s", grid, cluster, cudaGetErrorName(error));
    if (error == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess)
        for (unsigned b = 0; b < grid; b++)
            printf(" %d", out[b]);
    printf("\n");
}

int main() {
    int *out;
    cudaMallocManaged(&out, 1024);
    count();
    show_places(out);
    plain<<<3, 32>>>(out);
    cudaDeviceSynchronize();
    printf("without clusters: %d %d %d\n", out[0], out[1], out[2]);
    launch_plain(out, 4, 1);
    launch_plain(out, 6, 3);
    launch_plain(out, 6, 4);
    launch_plain(out, 8, 8);
    launch_plain(out, 16, 16);
    launch_plain(out, 4, 0);
    cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch_plain(out, 16, 16);
    launch_plain(out, 32, 32);
    places<<<dim3(3, 2), 32>>>(out);
    printf("places on 3 x 2: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, places);
    printf("must be set %d: %d x %d x %d\n", attributes.clusterDimMustBeSet,
           attributes.requiredClusterWidth, attributes.requiredClusterHeight,
           attributes.requiredClusterDepth);
    const unsigned sizes[] = {2, 4, 8, 16};
    for (unsigned size : sizes) {
        cudaLaunchConfig_t config = configuration(size, 1024, size, 150000);
        int clusters = -1;
        cudaFuncSetAttribute(histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, 150000);
        const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, histogram, &config);
        printf("clusters of %u at once: %s %d\n", size, cudaGetErrorName(error), clusters);
    }
    cudaGetLastError();
    cudaLaunchConfig_t config = configuration(16, 256, 1, 0);
    int most = 0, large = 0;
    cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config);
    cudaOccupancyMaxPotentialClusterSize(&large, plain, &config);
    printf("largest clusters: %d, %d\n", most, large);
    int can = 0;
    cudaDeviceGetAttribute(&can, cudaDevAttrClusterLaunch, 0);
    printf("clusters: %d\n", can);
    return 0;
}
