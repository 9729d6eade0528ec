// What header.cu launches.
#pragma once
#include "sides.cuh"

__global__ void turned(float *out, const float *in) {
    __shared__ float tile[SIDE][SIDE];
    PLACE;
    tile[y][x] = in[t];
    __syncthreads();
    out[t] = tile[x][y];
}

namespace lines {

template <class T, int N> __global__ void strided(T *out, const T *in) {
    __shared__ T line[N * N];
    PLACE;
    line[t] = in[t];
    __syncthreads();
    out[t] = line[x * N + y];
}

} // namespace lines

using lines::strided;
