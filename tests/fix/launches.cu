// Dynamic shared memory: each launch gives more bytes where an index is padded.
// status: 1
#include "case.cuh"

template <typename T>
__global__ void __launch_bounds__(256) column(T *out, const T *in) {
    extern __shared__ float words[];
    for (int i = threadIdx.x; i < 1024; i += 256)
        words[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[i] = words[i % 32 * 32 + i / 32];
}

extern __shared__ float pairs[][32];

__global__ void rows(float *out, const float *in) {
    const int x = threadIdx.x, y = threadIdx.y;
    pairs[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = pairs[x][y];
}

__global__ void more_rows(float *out, const float *in) {
    const int x = threadIdx.x, y = threadIdx.y;
    pairs[y + 32][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = pairs[x + 32][y];
}

// Another one gives it its bytes.
__global__ void passed_on(float *out, const float *in) {
    extern __shared__ float far[];
    for (int i = threadIdx.x; i < 1024; i += 256)
        far[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[i] = far[i % 32 * 32 + i / 32];
}

// No swizzle keeps it as it is, so that its launch would have to be edited.
__global__ void out_of_reach(float *out, const float *in) {
    extern __shared__ float sparse[];
    for (int i = threadIdx.x; i < 767; i += 256)
        sparse[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 736; i += 256)
        out[i] = sparse[i % 32 * 24 + i / 32];
}

static void launch(void (*kernel)(float *, const float *), float *out, const float *in, int n) {
    kernel<<<1, 256, n * sizeof(float)>>>(out, in);
}

int main() {
    const dim3 block(32, 32);
    const int n = 1024, bytes = n * 4;
    return run<float>(8192, [=](float *out, const float *in) {
        column<<<1, 256, n * sizeof(float)>>>(out, in);
        column<float><<<1 + (n >> 20), 256, n + n * 3, 0>>>(out + 1024, in);
        rows<<<1, block, bytes>>>(out + 2048, in);
        more_rows<<<dim3(1, 1), block, 8192 /* twice */>>>(out + 3072, in);
        launch(passed_on, out + 4096, in, n);
        launch(out_of_reach, out + 5120, in, 767);
    });
}
