// A warp reads a column of int tile[32][32] once (32 wavefronts), and of int tile[32][33] (1).
#include <cstdio>
#include <cuda_runtime.h>

template <int PITCH> __global__ void read_column(int *out) {
    __shared__ int tile[32][PITCH];
    int lane = threadIdx.x;
    for (int row = 0; row < 32; row++)
        tile[row][lane] = row * 100 + lane;
    __syncthreads();
    out[lane] = tile[lane][7];
}

template <int PITCH> static bool check(int *out) {
    read_column<PITCH><<<1, 32>>>(out);
    bool passed = cudaDeviceSynchronize() == cudaSuccess;
    for (int lane = 0; passed && lane < 32; lane++)
        passed = out[lane] == lane * 100 + 7;
    printf("int tile[32][%d]: %s\n", PITCH, passed ? "PASS" : "FAIL");
    return passed;
}

int main() {
    int *out;
    if (cudaMallocManaged(&out, 32 * sizeof(int)) != cudaSuccess)
        return 1;
    bool passed = check<32>(out);
    passed &= check<33>(out);
    cudaFree(out);
    return passed ? 0 : 1;
}
