// bankrun: --prefer swizzle
// Layouts in which elements move, so that each index expression changes: of one index, of two and
// of three, of accesses of 16 bytes, of dynamic memory, of which no more is asked for.
#include "case.cuh"
#include <cuda_fp16.h>

__global__ void flat(float *out, const float *in) {
    __shared__ float words[1024];
    for (int i = threadIdx.x; i < 1024; i += 256)
        words[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += words[threadIdx.x % 32 * 32 + threadIdx.x / 32 * 4 + i];
    out[threadIdx.x] = sum;
}

__global__ void square(float *out, const float *in) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    tile[y][x] += tile[x][y]; // as each element is changed by one thread, but read by another
    __syncthreads();
    out[y * 32 + x] = tile[y][31 - x];
}

__global__ void buffers(float *out, const float *in) {
    __shared__ float tile[2][32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[0][y][x] = in[y * 32 + x];
    tile[1][y][x] = in[y * 32 + x + 1024];
    __syncthreads();
    for (int b = 0; b < 2; b++)
        out[b * 1024 + y * 32 + x] = tile[b][x][y];
}

extern __shared__ float dynamic[];
__global__ void given_at_launch(float *out, const float *in) {
    for (int i = threadIdx.x; i < 1024; i += 256)
        dynamic[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[i] = dynamic[i % 32 * 32 + i / 32];
}

__global__ void halves(float *out, const float *in) {
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
    const dim3 block(32, 32);
    return run<float>(8192, [=](float *out, const float *in) {
        flat<<<1, 256>>>(out, in);
        square<<<1, block>>>(out + 1024, in);
        buffers<<<1, block>>>(out + 2048, in);
        given_at_launch<<<1, 256, 4096>>>(out + 4096, in);
        halves<<<1, 32>>>(out + 5120, in);
    });
}
