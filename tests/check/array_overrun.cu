// Indices that run from one shared array into the next, and kernels that look as if.
#include <cstdio>

__global__ void one_too_many(int *out) {
    __shared__ int sums[64];
    __shared__ int limits[64];
    limits[threadIdx.x] = 1000;
    for (int i = threadIdx.x; i <= 64; i += blockDim.x)
        sums[i] = i;
    __syncthreads();
    out[threadIdx.x] = sums[63 - threadIdx.x] + limits[threadIdx.x];
}
// finds: memory array-overrun 9

__global__ void exactly(int *out) {
    __shared__ int sums[64];
    __shared__ int limits[64];
    limits[threadIdx.x] = 1000;
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        sums[i] = i;
    __syncthreads();
    out[threadIdx.x] = sums[63 - threadIdx.x] + limits[threadIdx.x];
}

// The left neighbour of thread 0.
__global__ void in_front(int *out, int distance) {
    __shared__ int first[64];
    __shared__ int second[64];
    first[threadIdx.x] = 1;
    second[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = second[(int)threadIdx.x - distance] + first[threadIdx.x];
}
// finds: memory array-overrun 32

// From a static array into the dynamic one, by a function that gets a pointer.
__device__ __forceinline__ void put(float *array, int i, float value) {
    array[i] = value;
}

__global__ void into_dynamic(float *out, int n) {
    extern __shared__ float work[];
    __shared__ float table[32];
    put(work, threadIdx.x, 1);
    __syncthreads();
    put(table, threadIdx.x * n, 2);
    __syncthreads();
    out[threadIdx.x] = work[threadIdx.x] + table[threadIdx.x % 32];
}
// finds: memory array-overrun 38

// Pieces of one dynamic array, rows of one array of two dimensions, members of a structure: all are
// one array.
__global__ void one_array(float *out, int n) {
    extern __shared__ float work[];
    __shared__ float tile[2][33];
    __shared__ struct {
        float a[32], b[32];
    } both;
    float *low = work, *high = work + n;
    low[threadIdx.x] = 1;
    high[threadIdx.x] = 2;
    tile[0][threadIdx.x] = 3;
    both.a[threadIdx.x] = 5;
    __syncthreads();
    out[threadIdx.x] = low[threadIdx.x + n - 1] + tile[0][threadIdx.x] + both.a[threadIdx.x % 64];
}

// One of two arrays, which the launch chooses; and two that change places.
__global__ void two_arrays(float *out, int n) {
    __shared__ float even[64], odd[64];
    float *chosen = n & 1 ? odd : even, *other = n & 1 ? even : odd;
    chosen[threadIdx.x] = 1;
    other[threadIdx.x] = 2;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        other[threadIdx.x] = chosen[63 - threadIdx.x];
        float *before = other;
        other = chosen;
        chosen = before;
    }
    __syncthreads();
    out[threadIdx.x] = chosen[threadIdx.x];
}

// Requests that are like those before them, but for where they begin: the last round leaves.
__global__ void rows_of_a_table(int *out, int rows) {
    __shared__ int table[8 * 32], behind[8 * 32];
    const int lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x)
        table[i] = behind[i] = i;
    __syncthreads();
    int sum = behind[threadIdx.x];
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        sum += table[r * 32 + lane];
        sum += table[r * 32];
        sum += table[r * 32 + (lane ^ 5)];
        if (lane < 9)
            sum += table[r * 32 + lane * 2];
    }
    out[threadIdx.x] = sum;
}
// finds: memory array-overrun 96
// finds: memory array-overrun 97
// finds: memory array-overrun 98
// finds: memory array-overrun 100

__global__ void rows_there_are(int *out, int rows) {
    __shared__ int table[8 * 32], behind[8 * 32];
    const int lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x)
        table[i] = behind[i] = i;
    __syncthreads();
    int sum = behind[threadIdx.x];
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        sum += table[r * 32 + lane];
        sum += table[r * 32];
        sum += table[r * 32 + (lane ^ 5)];
        if (lane < 9)
            sum += table[r * 32 + lane * 2];
    }
    out[threadIdx.x] = sum;
}

int main() {
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    one_too_many<<<1, 64>>>(out);
    exactly<<<1, 64>>>(out);
    in_front<<<1, 64>>>(out, 1);
    into_dynamic<<<1, 64, 256 * sizeof(float)>>>((float *)out, 1);
    one_array<<<1, 64, 128 * sizeof(float)>>>((float *)out, 64);
    two_arrays<<<1, 64>>>((float *)out, 3);
    rows_of_a_table<<<2, 64>>>(out, 9);
    rows_there_are<<<2, 64>>>(out, 8);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
