// Threads that access different bytes of one word do not race; and those of words that overlap do.
#include "race.cuh"

__global__ void good(const int *in, int *out) {
    __shared__ unsigned char bytes[64];
    __shared__ unsigned short halves[64];
    bytes[threadIdx.x] = in[threadIdx.x];
    halves[threadIdx.x] = bytes[threadIdx.x] + 1;
    halves[threadIdx.x] += bytes[threadIdx.x];
    out[threadIdx.x] = halves[threadIdx.x];
}

__global__ void bad(const int *in, int *out) {
    __shared__ alignas(4) unsigned char bytes[256];
    bytes[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = reinterpret_cast<int *>(bytes)[threadIdx.x / 4];
}
// finds: race read-write 15 16

int main() {
    launch(good, 1, 64);
    launch(bad, 1, 64);
}
