// status: 1
// Files that the compiler reads more than once, or in the midst of something, and arrays that more
// than one file names.
#include "case.cuh"
#include "sides.cuh"

#define KERNEL first
#include "parts/twice.inc"
#undef KERNEL
#define KERNEL second
#include "parts/twice.inc"

#define PICK(i) picked[(i)]
#include "parts/shared.cuh"

__global__ void third(float *out, const float *in) {
#include "parts/body.inc"
}

__global__ void fourth(float *out, const float *in) {
    __shared__ float partly[SIDE][SIDE];
    PLACE;
    partly[y][x] = in[t];
    __syncthreads();
#include "parts/end.inc"
}

__global__ void fifth(float *out, const float *in) {
    PLACE;
    common[t] = in[t];
    __syncthreads();
    out[t] = common[x * SIDE + y];
}

int main() {
    const dim3 block(SIDE, SIDE);
    return run<float>(8192, [=](float *out, const float *in) {
        first<<<1, block>>>(out, in);
        second<<<1, block>>>(out + 1024, in);
        third<<<1, block>>>(out + 2048, in);
        fourth<<<1, block>>>(out + 3072, in);
        fifth<<<1, block, 4096>>>(out + 4096, in);
        sixth<<<1, block>>>(out + 5120, in);
        seventh<<<1, 256, 767 * 4>>>(out + 6144, in);
    });
}
