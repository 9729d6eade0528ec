// cuda::barrier in shared memory: producers fill one of two buffers while consumers read the other.
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>

using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int CHUNK = 64, CHUNKS = 10;

// As arrive_and_wait, which reads a clock, so that the number of its instructions would not be fixed.
__device__ void arrive_and_poll(barrier &b, unsigned phase) {
    barrier::arrival_token token = b.arrive();
    (void)token;
    while (!cuda::ptx::mbarrier_test_wait_parity(cuda::device::barrier_native_handle(b), phase % 2))
        ;
}

__global__ void pipeline(const int *in, int *out) {
    __shared__ alignas(barrier) char storage[4][sizeof(barrier)];
    __shared__ int buffer[2][CHUNK];
    barrier *filled = reinterpret_cast<barrier *>(storage[0]);
    barrier *drained = reinterpret_cast<barrier *>(storage[2]);
    if (threadIdx.x < 2) {
        init(filled + threadIdx.x, 2 * CHUNK);
        init(drained + threadIdx.x, 2 * CHUNK);
    }
    __syncthreads();
    const int i = threadIdx.x % CHUNK;
    if (threadIdx.x < CHUNK) {
        for (int c = 0; c < CHUNKS; c++) {
            arrive_and_poll(drained[c % 2], c / 2);
            buffer[c % 2][i] = in[c * CHUNK + i];
            barrier::arrival_token token = filled[c % 2].arrive();
            (void)token;
        }
        return;
    }
    barrier::arrival_token first = drained[0].arrive(), second = drained[1].arrive();
    (void)first, (void)second;
    for (int c = 0; c < CHUNKS; c++) {
        arrive_and_poll(filled[c % 2], c / 2);
        out[c * CHUNK + i] = 2 * buffer[c % 2][CHUNK - 1 - i];
        barrier::arrival_token token = drained[c % 2].arrive();
        (void)token;
    }
}

int main() {
    int *in, *out, wrong = 0;
    cudaMallocManaged(&in, CHUNK * CHUNKS * sizeof *in);
    cudaMallocManaged(&out, CHUNK * CHUNKS * sizeof *out);
    for (int i = 0; i < CHUNK * CHUNKS; i++)
        in[i] = i * i;
    pipeline<<<1, 2 * CHUNK>>>(in, out);
    const cudaError_t error = cudaDeviceSynchronize();
    for (int i = 0; i < CHUNK * CHUNKS; i++) {
        const int from = i / CHUNK * CHUNK + CHUNK - 1 - i % CHUNK;
        wrong += out[i] != 2 * from * from;
    }
    printf("pipeline: %s, %d wrong\n", cudaGetErrorString(error), wrong);
    return wrong != 0;
}
