// The kernels are in headers beside the source: one is mended by its declaration, one has its index
// changed, and two in one file are both.
#include "case.cuh"
#include "header.cuh"
#include "sides.cuh"

__global__ void here(float *out, const float *in) {
    __shared__ float tile[SIDE][SIDE];
    PLACE;
    tile[y][x] = in[t];
    __syncthreads();
    out[t] = tile[x][y];
}

int main() {
    const dim3 block(SIDE, SIDE);
    return run<float>(4096, [=](float *out, const float *in) {
        here<<<1, block>>>(out, in);
        turned<<<1, block>>>(out + 1024, in);
        strided<float, SIDE><<<1, block>>>(out + 2048, in);
    });
}
