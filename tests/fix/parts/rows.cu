// What folders.cu launches.
#include "../case.cuh"
#include "deep/columns.cuh"

__global__ void rows(float *out, const float *in) {
    __shared__ float tile[SIDE][SIDE];
    PLACE;
    tile[y][x] = in[t];
    __syncthreads();
    out[blockIdx.x * SIDE * SIDE + t] = tile[x][y] + column(in, t);
}
