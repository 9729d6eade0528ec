// status: 1
// No safe fix: what is done with the array is more than to index it, or no layout is a cure.
#include "case.cuh"
#include <mma.h>

#define PLACE int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x

__global__ void pointer(float *out, const float *in) {
    __shared__ float tile[32][32];
    PLACE;
    float *all = &tile[0][0];
    all[t] = in[t];
    __syncthreads();
    out[t] = tile[x][y];
}

__device__ float pick(const float (*rows)[32], int y, int x) {
    return rows[y][x];
}

__global__ void whole(float *out, const float *in) {
    __shared__ float tile[32][32];
    PLACE;
    tile[y][x] = in[t];
    __syncthreads();
    out[t] = pick(tile, x, y);
}

__global__ void row(float *out, const float *in) {
    __shared__ float tile[32][32];
    PLACE;
    float *mine = tile[x];
    mine[y] = in[t];
    __syncthreads();
    out[t] = tile[y][x];
}

__global__ void size(float *out, const float *in) {
    __shared__ float tile[32][32];
    PLACE;
    tile[y][x] = in[t];
    __syncthreads();
    out[t] = tile[x][y] + sizeof(tile);
}

__global__ void cast(float *out, const float *in) {
    __shared__ float4 quads[256];
    PLACE;
    reinterpret_cast<float *>(quads)[t] = in[t];
    __syncthreads();
    out[t] = quads[t % 256].x;
}

// Beyond the row: with another pitch it would be another element. A swizzle leaves rows where they
// are.
__global__ void past_the_row(float *out, const float *in) {
    __shared__ float tile[32][32];
    PLACE;
    tile[0][t] = in[t];
    __syncthreads();
    out[t] = tile[x][y];
}

__global__ void bins(float *out, const float *in) {
    __shared__ int counts[64];
    PLACE;
    if (t < 64)
        counts[t] = 0;
    __syncthreads();
    atomicExch(&counts[int(in[t]) & 1], t);
    __syncthreads();
    out[t] = counts[x] >= 0;
}

__global__ void random_places(float *out, const float *in) {
    __shared__ float table[1024];
    PLACE;
    table[t] = in[t];
    __syncthreads();
    unsigned at = t * 2654435761u;
    out[t] = table[(at ^ at >> 13) >> 7 & 1023];
}

template <int N> __global__ void instances(float *out, const float *in) {
    __shared__ float tile[32][N];
    PLACE;
    tile[y][x] = in[t];
    __syncthreads();
    out[t] = tile[x][y];
}

__global__ void fragments(float *out, const float *in) {
    namespace wmma = nvcuda::wmma;
    __shared__ __half tile[16][64];
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * 64; i += 32)
        tile[i / 64][i % 64] = __float2half(in[i]);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::load_matrix_sync(a, &tile[0][0], 64);
    out[lane] = __half2float(a.x[0]) + __half2float(a.x[3]);
}

struct together {
    float tile[32][32];
};

__global__ void member(float *out, const float *in) {
    __shared__ together all;
    PLACE;
    all.tile[y][x] = in[t];
    __syncthreads();
    out[t] = all.tile[x][y];
}

__global__ void side_effect(float *out, const float *in) {
    __shared__ float tile[96][128]; // all that may be declared: no padding fits
    PLACE;
    for (int i = 0; i < 96;)
        tile[i++][t % 128] = in[t];
    __syncthreads();
    out[t] = tile[t % 96][t / 96];
}

int main() {
    const dim3 block(32, 32);
    return run<float>(16384, [=](float *out, const float *in) {
        pointer<<<1, block>>>(out, in);
        whole<<<1, block>>>(out + 1024, in);
        row<<<1, block>>>(out + 2048, in);
        size<<<1, block>>>(out + 3072, in);
        cast<<<1, block>>>(out + 4096, in);
        past_the_row<<<1, block>>>(out + 5120, in);
        bins<<<1, block>>>(out + 6144, in);
        random_places<<<1, block>>>(out + 7168, in);
        instances<32><<<1, block>>>(out + 8192, in);
        instances<33><<<1, block>>>(out + 9216, in);
        fragments<<<1, 32>>>(out + 10240, in);
        member<<<1, block>>>(out + 11264, in);
        side_effect<<<1, dim3(128)>>>(out + 12288, in);
    });
}
