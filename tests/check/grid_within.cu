// Threads of one block that meet in global memory.
// finds: race read-write 12 11
// finds: race read-write 25 25
// finds: race read-write 38 39
// finds: race read-write 49 49
// finds: race write-write 49 49
#include <cstdio>

__global__ void reverse_bad(int *data) {
    const int t = threadIdx.x;
    const int other = data[blockDim.x - 1 - t];
    data[t] = other;
}

__global__ void reverse_good(int *data) {
    const int t = threadIdx.x;
    const int other = data[blockDim.x - 1 - t];
    __syncthreads();
    data[t] = other;
}

__global__ void ladder_bad(int *data) {
    for (int step = 32; step; step /= 2)
        if (threadIdx.x < step)
            data[threadIdx.x] += data[threadIdx.x + step];
}

__global__ void ladder_good(int *data) {
    for (int step = 32; step; step /= 2) {
        if (threadIdx.x < step)
            data[threadIdx.x] += data[threadIdx.x + step];
        __syncthreads();
    }
}

// Threads of a warp need not run in step.
__global__ void warp_bad(int *data) {
    data[threadIdx.x] = threadIdx.x;
    data[threadIdx.x + 64] = data[threadIdx.x ^ 1];
}

__global__ void warp_good(int *data) {
    data[threadIdx.x] = threadIdx.x;
    __syncwarp();
    data[threadIdx.x + 64] = data[threadIdx.x ^ 1];
}

__global__ void bins_bad(const int *in, int *bins) {
    bins[in[threadIdx.x] & 3]++;
}

__global__ void bins_good(const int *in, int *bins) {
    atomicAdd(&bins[in[threadIdx.x] & 3], 1);
}

int main() {
    int *data;
    cudaMalloc(&data, 256 * sizeof *data);
    cudaMemset(data, 0, 256 * sizeof *data);
    reverse_bad<<<1, 64>>>(data);
    reverse_good<<<1, 64>>>(data);
    ladder_bad<<<1, 64>>>(data);
    ladder_good<<<1, 64>>>(data);
    warp_bad<<<1, 64>>>(data);
    warp_good<<<1, 64>>>(data);
    bins_bad<<<1, 64>>>(data, data + 128);
    bins_good<<<1, 64>>>(data, data + 128);
    cudaFree(data);
    puts("done");
}
