// A bitonic sort in shared memory. No padding and no XOR swizzle suits every step: those below 32
// skip every second run of "step" words, so that half of the banks are left out. Where every second
// row of the banks is mirrored, one row takes the banks that the other leaves.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr unsigned COUNT = 1024, BLOCKS = 4;

__global__ void sort_blocks(unsigned *data) {
    __shared__ unsigned keys[COUNT];
    unsigned t = threadIdx.x;
    data += blockIdx.x * COUNT;
    keys[t] = data[t];
    keys[t + COUNT / 2] = data[t + COUNT / 2];
    for (unsigned run = 2; run <= COUNT; run *= 2)
        for (unsigned step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned i = 2 * t - (t & (step - 1));
            unsigned a = keys[i], b = keys[i + step];
            if ((a > b) == ((i & run) == 0)) {
                keys[i] = b;
                keys[i + step] = a;
            }
        }
    __syncthreads();
    data[t] = keys[t];
    data[t + COUNT / 2] = keys[t + COUNT / 2];
}

int main() {
    std::vector<unsigned> data(COUNT * BLOCKS), sorted;
    unsigned seed = 1;
    for (unsigned &value : data)
        value = seed = seed * 1664525u + 1013904223u;
    sorted = data;
    for (unsigned b = 0; b < BLOCKS; b++)
        std::sort(&sorted[b * COUNT], &sorted[b * COUNT] + COUNT);
    unsigned *device;
    cudaMalloc(&device, data.size() * sizeof(unsigned));
    cudaMemcpy(device, data.data(), data.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    sort_blocks<<<BLOCKS, COUNT / 2>>>(device);
    cudaMemcpy(data.data(), device, data.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%s\n", data == sorted ? "sorted" : "WRONG");
    cudaFree(device);
    return data != sorted;
}
