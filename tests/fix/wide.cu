// Accesses of 8 and 16 bytes, which padding must leave aligned, and tiles of halves that matrix
// loads read.
#include "case.cuh"
#include <cuda_fp16.h>

__global__ void pairs(float *out, const float *in) {
    __shared__ float2 tile[16][16];
    const int t = threadIdx.x, y = t / 16, x = t % 16;
    tile[y][x] = make_float2(in[t], in[t + 1]);
    __syncthreads();
    out[t] = tile[x][y].x - tile[x][y].y;
}

__global__ void quads(float *out, const float *in) {
    __shared__ float tile[32][32];
    const int t = threadIdx.x, y = t / 8, x = t % 8 * 4;
    *reinterpret_cast<float4 *>(&tile[y][x]) = make_float4(in[t], in[t + 1], in[t + 2], in[t + 3]);
    __syncthreads();
    const float4 column = *reinterpret_cast<float4 *>(&tile[t % 32][t / 32 * 4]);
    out[t] = column.x + 2 * column.y + 3 * column.z + 4 * column.w;
}

__global__ void matrices(float *out, const float *in) {
    __shared__ __half tile[16][64];
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * 64; i += 32)
        tile[i / 64][i % 64] = __float2half(in[i]);
    __syncwarp();
    for (int step = 0; step < 4; step++) {
        const unsigned from =
            unsigned(__cvta_generic_to_shared(&tile[lane % 16][step * 16 + lane / 16 * 8]));
        unsigned r[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(from)
                     : "memory");
        out[step * 32 + lane] = float((r[0] ^ r[1] ^ r[2] ^ r[3]) & 0xffff);
    }
}

int main() {
    return run<float>(4096, [](float *out, const float *in) {
        pairs<<<1, 256>>>(out, in);
        quads<<<1, 256>>>(out + 1024, in);
        matrices<<<1, 32>>>(out + 2048, in);
    });
}
