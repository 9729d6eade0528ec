// Nothing is found: what is undefined is only moved, masked, or not chosen.
#include <cstdio>
#include <cuda_pipeline.h>

struct padded {
    char letter;
    int number;
    double value;
};

__global__ void copy_padding(const padded *in, padded *out) {
    padded here;
    here.letter = 'a';
    here.number = threadIdx.x;
    here.value = in ? 1 : 2;
    out[threadIdx.x] = here;
    __syncthreads();
    padded there = out[threadIdx.x ^ 1];
    __syncthreads();
    out[threadIdx.x] = there;
}

__global__ void copy_padding_by_words(const int *in, int4 *out) {
    __shared__ int4 tile[32];
    tile[threadIdx.x].x = in[threadIdx.x];
    tile[threadIdx.x].z = 1;
    out[threadIdx.x] = tile[threadIdx.x]; // its y and w hold nothing
}

__global__ void load_unused(int *out, int n) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int beyond = *(volatile int *)&tile[threadIdx.x + 32];
    out[threadIdx.x] = n > 100 ? beyond : tile[threadIdx.x];
}

__global__ void mask(int *out) {
    __shared__ int tile[32];
    tile[0] = 1;
    __syncthreads();
    int value = *(volatile int *)&tile[threadIdx.x];
    out[threadIdx.x] = value & (threadIdx.x == 0 ? 3 : 0);
}

__global__ void bits_of_a_field(unsigned *out) {
    __shared__ unsigned char tile[128];
    tile[threadIdx.x * 4 + 1] = threadIdx.x;
    __syncthreads();
    unsigned word = *(volatile unsigned *)&tile[threadIdx.x * 4];
    out[threadIdx.x] = __byte_perm(word, 0, 0x4441);
}

__global__ void fill_with_zeros(const int *in, int *out, int n) {
    __shared__ __align__(16) int tile[128];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i * 4], in + i * 4, 16, i * 4 < n ? 0 : 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[i * 4] + tile[127 - i * 4];
}

__global__ void choose(int *out, int n) {
    int own[8];
    for (int i = 0; i < n; i++)
        own[i] = i * 3;
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += i < n ? ((volatile int *)own)[i] : 0;
    out[threadIdx.x] = sum;
}

__global__ void shuffle(int *out) {
    __shared__ int tile[32];
    if (threadIdx.x < 16)
        tile[threadIdx.x] = threadIdx.x;
    int value = *(volatile int *)&tile[threadIdx.x];
    int low = __shfl_sync(~0u, value, threadIdx.x & 15);
    out[threadIdx.x] = low;
}

int main() {
    const size_t bytes = 4096;
    void *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemset(in, 1, 64); // the rest is never looked at
    copy_padding<<<1, 32>>>((padded *)in, (padded *)out);
    cudaMemset(in, 1, 128);
    copy_padding_by_words<<<1, 32>>>((int *)in, (int4 *)out);
    load_unused<<<1, 32>>>((int *)out, 5);
    mask<<<1, 32>>>((int *)out);
    bits_of_a_field<<<1, 32>>>((unsigned *)out);
    cudaFree(in);
    cudaMalloc(&in, bytes);
    cudaMemset(in, 0, 256);
    fill_with_zeros<<<1, 32>>>((int *)in, (int *)out, 64);
    choose<<<1, 32>>>((int *)out, 5);
    shuffle<<<1, 32>>>((int *)out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
}
// finds: nothing
