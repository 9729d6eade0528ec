// Memory that is allocated by one of many ways, and not cleared; and that is.
#include <cstdio>

__global__ void add(float *sums, int n) {
    sums[threadIdx.x] += n;
}
// finds: init undefined-store 5 5

__global__ void heap(int *out) {
    int *own = (int *)malloc(64);
    own[1] = 1;
    out[threadIdx.x] = own[threadIdx.x & 1];
    free(own);
}
// finds: init undefined-store 12 12

__global__ void heap_filled(int *out) {
    int *own = (int *)malloc(64);
    own[0] = own[1] = 1;
    out[threadIdx.x] = own[threadIdx.x & 1];
    free(own);
}

__global__ void local(int *out, int n) {
    int own[16];
    for (int i = 0; i < n; i++)
        own[i * 3 & 15] = i;
    out[threadIdx.x] = own[threadIdx.x & 15];
}
// finds: init undefined-store 28 28

__global__ void histogram(const int *in, int *out) {
    __shared__ int bins[8];
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x];
}
// finds: init undefined-atomic 35
// finds: init undefined-store 38 38

__global__ void histogram_cleared(const int *in, int *out) {
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void total(const int *in, int *sum) {
    atomicAdd(sum, in[threadIdx.x]);
}
// finds: init undefined-atomic 55

__global__ void index(const int *table, int *out) {
    __shared__ int where[32];
    if (threadIdx.x < 31)
        where[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = table[where[threadIdx.x] & 31];
}
// finds: init undefined-address 64 64

__global__ void branch(int *out) {
    __shared__ int ready[2];
    ready[0] = 1;
    __syncthreads();
    if (ready[threadIdx.x & 1] == 1)
        out[threadIdx.x] = clock();
}
// finds: init undefined-branch 72 72

int main() {
    float *sums;
    int *in, *out, *sum;
    cudaMalloc(&in, 128);
    cudaMemset(in, 0, 128);
    cudaMalloc(&out, 128);
    cudaMalloc(&sums, 128);
    add<<<1, 32>>>(sums, 1);
    cudaMallocAsync(&sum, 4, 0);
    total<<<1, 32>>>(in, sum);
    heap<<<1, 32>>>(out);
    heap_filled<<<1, 32>>>(out);
    local<<<1, 32>>>(out, 9);
    histogram<<<1, 32>>>(in, out);
    histogram_cleared<<<1, 32>>>(in, out);
    index<<<1, 32>>>(in, out);
    branch<<<1, 32>>>(out);
    cudaMemset(sums, 0, 128);
    add<<<1, 32>>>(sums, 1);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums);
    cudaFreeAsync(sum, 0);
}
