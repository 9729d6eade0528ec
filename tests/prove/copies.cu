// Asynchronous copies: each writes at any time until its thread has waited for it.
// bankrun: --block 256
#include <cuda_pipeline.h>

__global__ void one_tile(float *out, const float *in) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[t ^ 1];
}
// races: free

__global__ void one_tile_not_waited_for(float *out, const float *in) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __syncthreads();
    out[t] = s[t];
    __pipeline_wait_prior(0);
}
// races: not proved: before it has waited

// Its own element is not read, but others' are.
__global__ void neighbour_not_waited_for(float *out, const float *in) {
    __shared__ float s[512];
    const int t = threadIdx.x;
    if (t < 128)
        __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __syncthreads();
    if (t >= 128)
        out[t] = s[t - 128];
    __pipeline_wait_prior(0);
}
// races: not proved: where both come there

__global__ void no_barrier(float *out, const float *in) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[t ^ 1];
}
// races: not proved: where both come there

// The older of two groups is waited for, and it alone.
__global__ void two_groups(float *out, const float *in) {
    __shared__ float a[256], b[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&a[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&b[t], &in[t + 256], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float sum = a[t ^ 1];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = sum + b[t ^ 1];
}
// races: free

__global__ void newer_of_two_groups(float *out, const float *in) {
    __shared__ float a[256], b[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&a[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&b[t], &in[t + 256], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float sum = b[255 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = sum + a[t ^ 1];
}
// races: not proved: where both come there

// How many groups are newer hangs on a parameter: it may be none.
__global__ void maybe_two_groups(float *out, const float *in, int n) {
    __shared__ float a[256], b[256];
    const int t = threadIdx.x;
    b[t] = 0;
    __pipeline_memcpy_async(&a[t], &in[t], 4);
    __pipeline_commit();
    if (n > 3) {
        __pipeline_memcpy_async(&b[t], &in[t + 256], 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    const float sum = a[255 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = sum + b[t ^ 1];
}
// races: not proved: where both come there

// Rounds of any number, each with its own copy.
__global__ void tiles(float *out, const float *in, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&s[t], &in[i * 256 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[255 - t];
        __syncthreads();
    }
    out[t] = sum;
}
// races: free

// What the next round copies to is still being read.
__global__ void tiles_too_early(float *out, const float *in, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&s[t], &in[i * 256 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[255 - t];
    }
    out[t] = sum;
}
// races: not proved: where both come there

// Two buffers in turn, in as many rounds as are known.
__global__ void in_turn(float *out, const float *in) {
    __shared__ float s[2][256];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        if (i < 7)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 256 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i % 2][255 - t];
        __syncthreads();
    }
    out[t] = sum;
}
// races: free

__global__ void in_turn_one_group_short(float *out, const float *in) {
    __shared__ float s[2][256];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        if (i < 7)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 256 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += s[i % 2][255 - t];
        __syncthreads();
    }
    out[t] = sum;
    __pipeline_wait_prior(0);
}
// races: not proved: before it has waited

// Of rounds of any number it is not followed which buffer a copy is of that is still under way.
__global__ void in_turn_of_any(float *out, const float *in, int n) {
    __shared__ float s[2][256];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 256 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i % 2][255 - t];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    out[t] = sum;
}
// races: not proved: from one round of a loop to the next

// Whether a thread waits is its own affair.
__global__ void some_wait(float *out, const float *in, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    if (in[t] > n)
        __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[t ^ 1];
    __pipeline_wait_prior(0);
}
// races: not proved: where both come there

// A barrier of the warp orders what has been waited for.
__global__ void in_a_warp(float *out, const float *in) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[t] = s[t ^ 1];
}
// races: free

__global__ void in_a_warp_too_early(float *out, const float *in) {
    __shared__ float s[512];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[2 * t], &in[t], 4);
    __pipeline_commit();
    __syncwarp();
    out[t] = s[2 * (t ^ 1)];
    __pipeline_wait_prior(0);
}
// races: not proved: where both come there
