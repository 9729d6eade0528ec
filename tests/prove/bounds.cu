// Whether accesses stay in their arrays, and are aligned, of blocks of 64 threads.
// bankrun: --block 64
__global__ void inside(float *out, const float *in) {
    __shared__ float s[64];
    const unsigned t = threadIdx.x;
    s[t] = in[t]; // bounds: stays in s; aligned
    __syncthreads();
    out[t] = s[63 - t]; // bounds: stays in s; aligned
    out[t] += s[t ^ 5]; // bounds: stays in s; aligned
    if (t < 32)
        out[t] += s[2 * t + 1]; // bounds: stays in s; aligned
}

__global__ void beyond(float *out, const float *in) {
    __shared__ float s[32];
    const unsigned t = threadIdx.x;
    s[t] = in[t]; // bounds: leaves s: thread 32 accesses bytes 128 to 131 of 128, outside of the block's shared memory; aligned
    __syncthreads();
    out[t] = s[31 - t]; // bounds: leaves s: thread 32 accesses bytes -4 to -1 of 128, outside of the block's shared memory; aligned
}

__global__ void into_another(float *out, const float *in, int n) {
    __shared__ float first[64], second[64];
    const unsigned t = threadIdx.x;
    first[t] = in[t];  // bounds: stays in first; aligned
    second[t] = in[t]; // bounds: stays in second; aligned
    __syncthreads();
    out[t] = first[t + 1]; // bounds: leaves first: thread 63 accesses bytes 256 to 259 of 256, which are in second; aligned
    if (n > 3)
        out[t] += second[t + 1]; // bounds: can leave second: thread 63, where it comes here, accesses bytes 256 to 259 of 256, outside of the block's shared memory; aligned
}

// The warp whose lanes are none of the array's does not come by.
__global__ void guarded(float *out, const float *in) {
    __shared__ float s[32];
    const unsigned t = threadIdx.x;
    if (t >= 32)
        return;
    s[t] = in[t]; // bounds: stays in s; aligned
    __syncwarp();
    out[t] = t > 0 ? s[t - 1] : 0; // bounds: stays in s; aligned
}

__global__ void data(float *out, const int *index, const unsigned char *bytes) {
    __shared__ float s[256];
    const unsigned t = threadIdx.x;
    s[4 * t + 3] = s[4 * t] = 1; // bounds: stays in s; aligned
    __syncthreads();
    out[t] = s[bytes[t]];        // bounds: stays in s; aligned
    out[t] += s[index[t] & 255]; // bounds: stays in s; aligned
    const int at = index[t];
    out[t] += s[at]; // bounds: not proved to stay in s: index loaded from memory, line 51; aligned
    const int first = index[0];
    if (first >= 0 && first < 192)
        out[t] += s[first + t]; // bounds: stays in s; aligned
    const int second = index[1];
    if (second < 192)
        out[t] += s[second + t]; // bounds: not proved to stay in s: index loaded from memory, line 56; aligned
    const int third = index[2 + t];
    if (third < 64 && third > -10)
        out[t] += s[third + 10]; // bounds: stays in s; aligned
    const unsigned fourth = index[t + 3];
    if (fourth + t < 256)
        out[t] += s[fourth + t]; // bounds: stays in s; aligned
}

__global__ void wide_index(float *out, long at, unsigned long other) {
    __shared__ float s[256];
    const unsigned t = threadIdx.x;
    s[4 * t] = s[4 * t + 3] = 1; // bounds: stays in s; aligned
    __syncthreads();
    if (at >= 0 && at < 100)
        out[t] = s[at + t]; // bounds: stays in s; aligned
    if (at < 100)
        out[t] += s[at]; // bounds: stays in s if parameter 2 is not negative; aligned
    if (other <= 192)
        out[t] += s[other + t]; // bounds: stays in s; aligned
    if (other < 194)
        out[t] += s[other + t]; // bounds: stays in s if parameter 3 is at most 192; aligned
}

__global__ void alignment(float4 *out, const float *in, int n) {
    __shared__ float s[1024];
    const unsigned t = threadIdx.x;
    for (int i = 0; i < 16; i++)
        s[t + 64 * i] = in[t]; // bounds: stays in s; aligned
    __syncthreads();
    out[t] = *(const float4 *)&s[4 * t]; // bounds: stays in s; aligned
    if (t < 32)
        out[t] = *(const float4 *)&s[4 * t + 2]; // bounds: stays in s; misaligned: thread 0 accesses 16 bytes at byte 8 of shared memory
    if (n > 0 && n < 100)
        out[t] = *(const float4 *)&s[4 * t + 4 * n]; // bounds: stays in s; aligned
    __syncthreads();
    if (n > 2 && n < 90)
        out[t] = *(const float4 *)&s[4 * t + 2 * n]; // bounds: stays in s; not proved aligned: depends on a parameter of the kernel
}

__global__ void loops(float *out, int n, unsigned m) {
    __shared__ float s[1000];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1000; i += blockDim.x)
        s[i] = i; // bounds: stays in s; aligned
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < 1000; i++)
        sum += s[i]; // bounds: stays in s; aligned
#pragma unroll 1
    for (int i = 999; i >= 0; i--)
        sum *= s[i]; // bounds: stays in s; aligned
#pragma unroll 1
    for (int i = 0; i <= 1000; i++)
        sum += s[i]; // bounds: not proved to stay in s: changes from round to round of a loop; bytes 0 to 4003 of 4000; aligned
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum *= s[i]; // bounds: stays in s if parameter 2 is at most 1000; aligned
#pragma unroll 1
    for (int i = t; i < n; i += blockDim.x)
        sum += s[i]; // bounds: stays in s if parameter 2 is at most 1000; aligned
#pragma unroll 1
    for (int i = n - 1; i >= 0; i--)
        sum *= s[i + 10]; // bounds: stays in s if parameter 2 is at most 990; aligned
#pragma unroll 1
    for (unsigned i = 0; i < m; i += 4)
        sum += s[i]; // bounds: stays in s if parameter 3 is from 0 to 1000; aligned
#pragma unroll 1
    for (int i = 0; i < n && i < 1000; i++)
        sum *= s[i]; // bounds: stays in s; aligned
    out[t] = sum;
}

// What a parameter must not be.
__global__ void offsets(float *out, int at, unsigned far, long wide, int row, int column) {
    __shared__ float s[512], square[32][33];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 512; i += blockDim.x)
        s[i] = square[i / 32][i % 32] = i; // bounds: stays in s; aligned / stays in square; aligned
    __syncthreads();
    out[t] = s[t + at]; // bounds: stays in s if parameter 2 is from 0 to 448; aligned
    out[t] += s[t + far]; // bounds: stays in s if parameter 3 is from 0 to 448; aligned
    if (at < 100)
        out[t] *= s[at]; // bounds: stays in s if parameter 2 is not negative; aligned
    if (wide < 500)
        out[t] += s[wide + t / 32]; // bounds: stays in s if parameter 4 is not negative; aligned
    if (row < 32 && column < 33)
        out[t] *= square[row][column]; // bounds: not proved to stay in square: depends on a parameter of the kernel; aligned
    if (row >= 0 && row < 32 && column >= 0 && column < 33)
        out[t] += square[row][column]; // bounds: stays in square; aligned
}

#include <mma.h>

// The last row of a matrix begins 15 strides behind the first one.
__global__ void fragments(half *out, const half *in, unsigned stride) {
    using namespace nvcuda;
    __shared__ __align__(32) half s[16 * 24];
    const unsigned t = threadIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    s[t] = in[t]; // bounds: stays in s; aligned
    __syncthreads();
    wmma::load_matrix_sync(a, s + 8, 24); // bounds: stays in s; aligned
    out[t] = a.x[0];
    wmma::load_matrix_sync(a, s + 16, 24); // bounds: leaves s: thread 31 accesses bytes 768 to 783 of 768, outside of the block's shared memory; aligned
    out[t + 64] = a.x[0];
    wmma::load_matrix_sync(a, s, 8 * stride); // bounds: stays in s if parameter 3 is from 0 to 3; aligned
    out[t + 128] = a.x[0];
}

// Of the first warp the access is the one that comes farthest.
__global__ void backwards(int *out, int n) {
    __shared__ int s[1000];
    const int t = threadIdx.x;
    if (t <= n)
        s[n - t] = t; // bounds: stays in s if parameter 2 is at most 999; aligned
    __syncthreads();
    *out = s[t]; // bounds: stays in s; aligned
}
