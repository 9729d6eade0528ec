// Kernels that launch kernels: order within a block, nesting, tails, streams, copies, memory.
// bankrun: --nvcc-flag -rdc=true
#include <cstdio>
#include <cuda_runtime.h>

__device__ int last;

__global__ void append(int *list, int value) {
    list[last] = value * 10 + (int)blockIdx.x;
    last++;
}

// Each level appends what it was given, then launches the next; what a tail appends comes last.
__global__ void descend(int *list, int level) {
    append<<<1, 1>>>(list, level);
    if (level < 3)
        descend<<<1, 1>>>(list, level + 1);
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 100 + level);
    append<<<1, 1>>>(list, 50 + level);
}

struct pair {
    double weight;
    int count;
};

__global__ void weigh(const pair values, double *sum, int power) {
    extern __shared__ double part[];
    part[threadIdx.x] = values.weight * values.count * power;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < blockDim.x; i++)
            atomicAdd(sum, part[i]);
}

// Only the odd lanes launch, each with its own size.
__global__ void fan_out(double *sum) {
    if (threadIdx.x % 2 == 0)
        return;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    unsigned threads = 32 * threadIdx.x;
    weigh<<<dim3(2, 3), threads, threads * sizeof(double), stream>>>({0.5, (int)blockIdx.x + 1},
                                                                     sum + blockIdx.x, 2);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    if (cudaGetLastError() != cudaSuccess)
        printf("a launch failed\n");
}

__global__ void show(const int *a, int count) {
    for (int i = 0; i < count; i++)
        printf("%d%c", a[i], i + 1 < count ? ' ' : '\n');
}

// Copies keep their place among the launches.
__global__ void copy(int *from, int *to) {
    int *scratch;
    if (cudaMalloc((void **)&scratch, 16) != cudaSuccess)
        return;
    for (int i = 0; i < 4; i++)
        from[i] = scratch[i] = i + 1;
    cudaMemcpyAsync(to, from, 16, cudaMemcpyDeviceToDevice, 0);
    show<<<1, 1>>>(to, 4);
    cudaMemsetAsync(to, 0, 8, 0);
    show<<<1, 1>>>(to, 4);
    cudaFree(scratch);
}

__global__ void fails(int *nowhere) {
    *nowhere = 1;
}

__global__ void launches_failing() {
    fails<<<1, 1>>>(nullptr);
}

int main() {
    int *list, host[16] = {0};
    cudaMalloc(&list, sizeof host);
    descend<<<1, 1>>>(list, 1);
    cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 9; i++)
        printf("%d%c", host[i] / 10, i < 8 ? ' ' : '\n');

    double *sum, sums[2];
    cudaMalloc(&sum, sizeof sums);
    cudaMemset(sum, 0, sizeof sums);
    fan_out<<<2, 8>>>(sum);
    cudaMemcpy(sums, sum, sizeof sums, cudaMemcpyDeviceToHost);
    printf("%g %g\n", sums[0], sums[1]);

    copy<<<1, 1>>>(list, list + 8);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    launches_failing<<<1, 1>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
