// One kernel reads what other warps may not have written yet, one does not wait for the lanes of its
// own warp; their twins wait.
// bankrun: --check sync --schedule 1
// finds: schedule order-dependent 11 11
// finds: schedule order-dependent 24 24
#include <cstdio>

__global__ void reverse(const int *in, int *out) {
    __shared__ int tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void reverse_mended(const int *in, int *out) {
    __shared__ int tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void neighbour(int *out) {
    volatile __shared__ int cell[32];
    cell[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = cell[(threadIdx.x + 1) % 32];
}

__global__ void neighbour_mended(int *out) {
    volatile __shared__ int cell[32];
    cell[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = cell[(threadIdx.x + 1) % 32];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 128 * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemset(in, 1, 128 * sizeof(int));
    reverse<<<1, 128>>>(in, out);
    reverse_mended<<<1, 128>>>(in, out);
    neighbour<<<1, 32>>>(out);
    neighbour_mended<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
