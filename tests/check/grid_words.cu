// Blocks of a grid run in any order and at the same time. Bad kernels, and beside each its mended twin.
// finds: race write-write 16 16
// finds: race write-write 33 33
// finds: race read-write 41 39
// finds: race read-write 51 51
// finds: race write-write 51 51
// finds: race write-write 64 64
// finds: race write-write 70 70
// finds: race read-write 80 82
#include <cstdio>

enum { BLOCKS = 6, THREADS = 64, N = BLOCKS * THREADS };

__global__ void last_bad(int *out) {
    if (threadIdx.x == 0)
        out[0] = blockIdx.x;
}

__global__ void last_good(int *out) {
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
        out[0] = blockIdx.x;
}

// All write the same.
__global__ void found_good(const int *in, int *found) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        *found = 1;
}

__global__ void found_bad(const int *in, int *found) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] == 0)
        *found = blockIdx.x;
}

// A neighbour of the block's first element is another block's last one.
__global__ void smooth_bad(int *data) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = i ? data[i - 1] : 0;
    __syncthreads();
    data[i] = left + data[i];
}

__global__ void smooth_good(const int *from, int *to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = (i ? from[i - 1] : 0) + from[i];
}

__global__ void histogram_bad(const unsigned char *in, int *bins) {
    if (threadIdx.x == 0)
        bins[in[blockIdx.x]] += 1;
}

__global__ void histogram_good(const unsigned char *in, int *bins) {
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x]], 1);
}

// Bytes of one word are no conflict.
__global__ void bytes_good(unsigned char *out) {
    out[threadIdx.x * gridDim.x + blockIdx.x] = blockIdx.x;
}

__global__ void bytes_bad(unsigned char *out) {
    out[threadIdx.x * gridDim.x + blockIdx.x / 2 * 2] = blockIdx.x;
}

// The last row of a block's tile is the first of the next one's.
__global__ void rows_bad(float4 *rows) {
    const int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    rows[i] = make_float4(blockIdx.x, 1, 2, 3);
}

__global__ void rows_good(float4 *rows) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    rows[i] = make_float4(blockIdx.x, 1, 2, 3);
}

// What other blocks count meanwhile.
__global__ void progress_bad(int *counter, int *seen) {
    atomicAdd(counter, 1);
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *counter;
}

__global__ void progress_good(int *counter, int *seen) {
    const int before = atomicAdd(counter, 1);
    if (threadIdx.x == 0)
        seen[blockIdx.x] = before;
}

int main() {
    unsigned char *bytes;
    int *in, *out;
    float4 *rows;
    cudaMalloc(&bytes, N);
    cudaMalloc(&in, N * sizeof *in);
    cudaMalloc(&out, N * sizeof *out);
    cudaMalloc(&rows, N * sizeof *rows);
    cudaMemset(bytes, 0, N);
    cudaMemset(in, 0, N * sizeof *in);
    cudaMemset(out, 0, N * sizeof *out);
    last_bad<<<BLOCKS, THREADS>>>(out);
    last_good<<<BLOCKS, THREADS>>>(out);
    found_good<<<BLOCKS, THREADS>>>(in, out);
    found_bad<<<BLOCKS, THREADS>>>(in, out);
    smooth_bad<<<BLOCKS, THREADS>>>(in);
    smooth_good<<<BLOCKS, THREADS>>>(in, out);
    histogram_bad<<<BLOCKS, THREADS>>>(bytes, out);
    histogram_good<<<BLOCKS, THREADS>>>(bytes, out);
    bytes_good<<<BLOCKS, THREADS>>>(bytes);
    bytes_bad<<<BLOCKS, THREADS>>>(bytes);
    rows_bad<<<BLOCKS, THREADS>>>(rows);
    rows_good<<<BLOCKS, THREADS>>>(rows);
    progress_bad<<<BLOCKS, THREADS>>>(out, in);
    progress_good<<<BLOCKS, THREADS>>>(out, in);
    cudaFree(bytes);
    cudaFree(in);
    cudaFree(out);
    cudaFree(rows);
    puts("done");
}
