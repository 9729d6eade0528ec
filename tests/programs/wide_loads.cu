// 128-bit loads: a quarter of the warp is served at a time. `one_column` has all lanes on the same
// four banks (32 wavefronts a request, ideal 4); `in_a_row` has them side by side (4, which is no
// conflict: a request for 512 bytes takes four).
#include <cstdio>
#include <cuda_runtime.h>

constexpr int LANES = 32, PITCH = 8; // 8 x 16 bytes are a row of all banks

__global__ void one_column(uint4 *out) {
    __shared__ uint4 rows[LANES * PITCH];
    unsigned lane = threadIdx.x;
    for (unsigned i = 0; i < PITCH; i++)
        rows[i * LANES + lane] = make_uint4(i * LANES + lane, 1, 2, 3);
    __syncthreads();
    out[blockIdx.x * LANES + lane] = rows[lane * PITCH];
}

__global__ void in_a_row(uint4 *out) {
    __shared__ uint4 rows[LANES * PITCH];
    unsigned lane = threadIdx.x;
    for (unsigned i = 0; i < PITCH; i++)
        rows[i * LANES + lane] = make_uint4(i * LANES + lane, 1, 2, 3);
    __syncthreads();
    out[blockIdx.x * LANES + lane] = rows[LANES + (lane ^ 1)];
}

static bool check(const char *name, void (*kernel)(uint4 *), unsigned step, unsigned first,
                  unsigned swap) {
    const int blocks = 10;
    uint4 *out;
    if (cudaMallocManaged(&out, blocks * LANES * sizeof *out) != cudaSuccess)
        return false;
    kernel<<<blocks, LANES>>>(out);
    bool passed = cudaDeviceSynchronize() == cudaSuccess;
    for (unsigned i = 0; passed && i < blocks * LANES; i++) {
        unsigned lane = i % LANES;
        passed = out[i].x == first + (lane ^ swap) * step && out[i].y == 1 && out[i].z == 2 &&
                 out[i].w == 3;
    }
    printf("%s: %s\n", name, passed ? "PASS" : "FAIL");
    cudaFree(out);
    return passed;
}

int main() {
    bool passed = check("one_column", one_column, PITCH, 0, 0);
    passed &= check("in_a_row", in_a_row, 1, LANES, 1);
    return passed ? 0 : 1;
}
