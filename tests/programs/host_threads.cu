// Threads of the host launch kernels at the same time, in an order that nobody knows: in the profile the
// launches of each thread stand together, the main thread's first.
#include <cstdio>
#include <thread>

__global__ void stride(int *out, int step) {
    __shared__ int tile[1024];
    tile[threadIdx.x * step % 1024] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = tile[0];
}

static void work(int number) {
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    for (int i = 0; i < 8; i++)
        stride<<<1 + i % 3, 32 * number>>>(out, number);
    cudaDeviceSynchronize();
    cudaFree(out);
}

int main() {
    work(1);
    std::thread first(work, 2), second(work, 4), third(work, 2);
    first.join();
    second.join();
    third.join();
    work(1);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
