// Barriers and pipelines of libcu++ and cooperative groups, used as they are meant.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void with_barrier(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int tile[128];
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = threadIdx.x + round;
        barrier.arrive_and_wait();
        out[threadIdx.x] = tile[127 - threadIdx.x];
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
    }
}

__global__ void with_pipeline(const int *in, int *out) {
    constexpr int stages = 2;
    __shared__ int tile[stages][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int i = 0; i < 4 + stages - 1; i++) {
        if (i < 4) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[i % stages], in + i * 128, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        if (i >= stages - 1) {
            pipe.consumer_wait();
            sum += tile[(i - stages + 1) % stages][127 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    out[threadIdx.x] = sum;
}

__global__ void with_groups(const int *in, int *out) {
    __shared__ int tile[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    cg::wait(block);
    auto warp = cg::tiled_partition<8>(block);
    int sum = cg::reduce(warp, tile[threadIdx.x], cg::plus<int>());
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        sum += active.shfl(sum, 0) + active.size();
        active.sync();
    }
    block.sync();
    out[threadIdx.x] = sum;
}
// finds: nothing
// notes: race not-all-checked

int main() {
    int *in, *out;
    cudaMalloc(&in, 512 * sizeof(int));
    cudaMalloc(&out, 512 * sizeof(int));
    cudaMemset(in, 0, 512 * sizeof(int));
    with_barrier<<<1, 128>>>(out);
    with_pipeline<<<1, 128>>>(in, out);
    with_groups<<<1, 128>>>(in, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
}
