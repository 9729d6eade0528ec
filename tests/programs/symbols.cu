// Variables of the device by their symbols: device, constant, managed, static, in a namespace.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int counter = 5;
__constant__ float scale[4] = {1, 2, 3, 4};
__managed__ int shared_value = 7;
static __device__ double hidden[2] = {0.5, 0.25};
namespace inner {
__device__ short small = -3;
}
__device__ int *pointer = &counter;
__device__ int untouched[8];

__global__ void work(float *out) {
    out[threadIdx.x] = scale[threadIdx.x] * counter + (float)hidden[threadIdx.x & 1] + inner::small;
    if (threadIdx.x == 0) {
        *pointer += 100;
        shared_value *= 2;
    }
}

static void show(const char *what, cudaError_t error) {
    cudaGetLastError();
    printf("%-24s %s\n", what, cudaGetErrorName(error));
}

int main() {
    float *out, host[4];
    cudaMalloc(&out, sizeof host);
    shared_value += 1;
    work<<<1, 4>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
    int value = 0;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    printf("counter %d, managed %d\n", value, shared_value);
    const float faster[2] = {10, 20};
    cudaMemcpyToSymbol(scale, faster, sizeof faster, 2 * sizeof(float));
    value = 1;
    cudaMemcpyToSymbol(counter, &value, sizeof value);
    work<<<1, 4>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
    printf("managed %d\n", shared_value);

    void *address = NULL;
    size_t bytes = 0;
    cudaGetSymbolSize(&bytes, hidden);
    printf("hidden has %zu bytes\n", bytes);
    cudaGetSymbolAddress(&address, untouched);
    cudaMemset(address, 0xff, 8);
    int words[8];
    cudaMemcpyFromSymbol(words, untouched, sizeof words);
    printf("untouched %d %d %d\n", words[0], words[1], words[2]);
    cudaGetSymbolAddress(&address, shared_value);
    printf("managed address %s\n", address == &shared_value ? "is the host's" : "differs");
    static int no_symbol;
    show("no symbol", cudaMemcpyToSymbol(no_symbol, &value, 4));
    show("too much", cudaMemcpyToSymbol(counter, words, 8));
    show("past the end", cudaMemcpyToSymbol(scale, words, 4, 16));
    show("wrong direction", cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyDeviceToHost));
    cudaFree(out);
}
