// A kernel that another file has.
#pragma once

__global__ void elsewhere(float *out, const float *in) {
    __shared__ float apart[32][32];
    apart[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = apart[threadIdx.x][threadIdx.y];
}
