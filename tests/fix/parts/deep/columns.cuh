// A function with shared memory of its own.
#pragma once
#include "../../sides.cuh"

__device__ inline float column(const float *in, int t) {
    __shared__ float columns[SIDE * SIDE];
    columns[t] = in[t];
    __syncthreads();
    return columns[t % SIDE * SIDE + t / SIDE];
}
