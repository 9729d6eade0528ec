// Rows that are declared: a number, a macro, a constant, a sum, an expression that binds less, a
// template parameter, several arrays in one declaration.
#include "case.cuh"

#define TILE 32
constexpr int SIDE = 32, SHIFT = 5;

__global__ void number(float *out, const float *in) {
    __shared__ float tile[32][32]; // a comment
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void macro(float *out, const float *in) {
    __shared__ __align__(16) volatile float
        tile[TILE][TILE];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

#define AT(y, x) block[(y)][(x)]
__global__ void through_macro(float *out, const float *in) {
    __shared__ float block[SIDE][SIDE];
    AT(threadIdx.y, threadIdx.x) = in[threadIdx.y * SIDE + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * SIDE + threadIdx.x] = AT(threadIdx.x, threadIdx.y);
}

__global__ void shifted(float *out, const float *in) {
    __shared__ float tile[1 << SHIFT][1 << SHIFT];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <class T, int N> __global__ void templated(T *out, const T *in) {
    __shared__ T tile[N][N];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * N + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void several(float *out, const float *in) {
    __shared__ float left[32][32], right[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    left[y][x] = in[y * 32 + x], right[x][y] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = left[y][31 - x] + right[y][x];
}

// Rows of half a warp's length: the swizzle that textbooks name leaves two lanes in each bank.
__global__ void narrow(float *out, const float *in) {
    __shared__ float tile[32][16];
    const int t = threadIdx.y * 32 + threadIdx.x;
    tile[t / 16][t % 16] = in[t];
    __syncthreads();
    out[t] = tile[t % 32][t / 32];
}

int main() {
    const dim3 square(32, 32), low(32, 16);
    return run<float>(8192, [=](float *out, const float *in) {
        number<<<1, square>>>(out, in);
        macro<<<1, square>>>(out + 1024, in);
        through_macro<<<1, square>>>(out + 2048, in);
        shifted<<<1, square>>>(out + 3072, in);
        templated<float, 32><<<1, square>>>(out + 4096, in);
        several<<<2, square>>>(out + 5120, in);
        narrow<<<1, low>>>(out + 6144, in);
    });
}
