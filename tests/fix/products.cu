// A matrix product one of whose operands is stored transposed, a tile of an attention, and a scan
// that works its way up and down a tree.
#include "case.cuh"

constexpr int M = 32, K = 32;

__global__ void product(float *c, const float *a, const float *b) {
    __shared__ float left[K][M];
    __shared__ float right[K][M];
    int x = threadIdx.x, y = threadIdx.y;
    left[x][y] = a[y * K + x];
    right[y][x] = b[y * M + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += left[k][y] * right[k][x];
    c[y * M + x] = sum;
}

// A warp for each query, a lane for each key.
__global__ void scores(float *out, const float *q, const float *k) {
    constexpr int KEYS = 32, DEPTH = 64;
    __shared__ float keys[KEYS][DEPTH], queries[4][DEPTH];
    const int lane = threadIdx.x, warp = threadIdx.y;
    for (int i = warp; i < KEYS; i += 4)
        for (int d = lane; d < DEPTH; d += 32)
            keys[i][d] = k[i * DEPTH + d];
    for (int d = lane; d < DEPTH; d += 32)
        queries[warp][d] = q[warp * DEPTH + d];
    __syncthreads();
    float score = 0;
    for (int d = 0; d < DEPTH; d++)
        score += queries[warp][d] * keys[lane][d];
    out[warp * KEYS + lane] = score;
}

__global__ void scan(int *out, const int *in) {
    const int N = 512;
    __shared__ int sums[N];
    const int t = threadIdx.x;
    sums[2 * t] = in[2 * t];
    sums[2 * t + 1] = in[2 * t + 1];
    int gap = 1;
    for (int d = N / 2; d > 0; d /= 2, gap *= 2) {
        __syncthreads();
        if (t < d)
            sums[gap * (2 * t + 2) - 1] += sums[gap * (2 * t + 1) - 1];
    }
    if (t == 0)
        sums[N - 1] = 0;
    for (int d = 1; d < N; d *= 2) {
        gap /= 2;
        __syncthreads();
        if (t < d) {
            const int before = sums[gap * (2 * t + 1) - 1];
            sums[gap * (2 * t + 1) - 1] = sums[gap * (2 * t + 2) - 1];
            sums[gap * (2 * t + 2) - 1] += before;
        }
    }
    __syncthreads();
    out[2 * t] = sums[2 * t];
    out[2 * t + 1] = sums[2 * t + 1];
}

int main() {
    return run<float>(8192, [](float *out, const float *in) {
               product<<<1, dim3(32, 32)>>>(out, in, in + 1024);
               scores<<<1, dim3(32, 4)>>>(out + 1024, in, in + 1024);
           }) |
           run<int>(1024, [](int *out, const int *in) { scan<<<2, 256>>>(out, in); });
}
