// Whether kernels are free of races, beside others in which a barrier is missing. bankrun check finds
// a race in each that is said to have one.
// bankrun: --block 256

__global__ void reduction(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int n = 128; n > 0; n /= 2) {
        if (t < n)
            sums[t] += sums[t + n];
        __syncthreads();
    }
    if (t == 0)
        *out = sums[0];
}
// races: free

__global__ void reduction_unordered(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int n = 128; n > 0; n /= 2)
        if (t < n)
            sums[t] += sums[t + n];
    if (t == 0)
        *out = sums[0];
}
// races: race 27 27

// Rounds of any number, with two barriers in each.
__global__ void tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float left[16][16], right[16][16];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        left[y][x] = a[y * n + k + x];
        right[y][x] = b[(k + y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[y * 16 + x] = sum;
}
// races: free

// What the next round writes is still being read.
__global__ void tiles_too_early(const float *a, const float *b, float *c, int n) {
    __shared__ float left[16][16], right[16][16];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        left[y][x] = a[y * n + k + x];
        right[y][x] = b[(k + y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += left[y][i] * right[i][x];
    }
    c[y * 16 + x] = sum;
}
// races: not proved: where both come there

__global__ void transpose(const int *in, int *out) {
    __shared__ int tile[16][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[x][y];
}
// races: free

__global__ void transpose_unordered(const int *in, int *out) {
    __shared__ int tile[16][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = in[threadIdx.x];
    out[threadIdx.x] = tile[x][y];
}
// races: race 78 79

__global__ void bitonic(int *data) {
    __shared__ int keys[256];
    const int t = threadIdx.x;
    keys[t] = data[t];
    for (int size = 2; size <= 256; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const int other = t ^ step;
            if (other > t) {
                const int a = keys[t], b = keys[other];
                const bool swaps = (a > b) == ((t & size) == 0);
                keys[t] = swaps ? b : a;
                keys[other] = swaps ? a : b;
            }
        }
    __syncthreads();
    data[t] = keys[t];
}
// races: free

__global__ void bitonic_unordered(int *data) {
    __shared__ int keys[256];
    const int t = threadIdx.x;
    keys[t] = data[t];
    for (int size = 2; size <= 256; size *= 2) {
        __syncthreads();
        for (int step = size / 2; step > 0; step /= 2) {
            const int other = t ^ step;
            if (other > t) {
                const int a = keys[t], b = keys[other];
                const bool swaps = (a > b) == ((t & size) == 0);
                keys[t] = swaps ? b : a;
                keys[other] = swaps ? a : b;
            }
        }
    }
    __syncthreads();
    data[t] = keys[t];
}
// races: not proved: may be what it wrote itself

__global__ void scan(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int n = 1; n < 256; n *= 2) {
        const int left = t >= n ? sums[t - n] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}
// races: free

__global__ void scan_unordered(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int n = 1; n < 256; n *= 2) {
        const int left = t >= n ? sums[t - n] : 0;
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}
// races: race 145 146

__global__ void histogram(const unsigned *in, int *out, int n) {
    __shared__ int bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[in[i] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = bins[threadIdx.x];
}
// races: free

__global__ void histogram_lost(const unsigned *in, int *out, int n) {
    __shared__ int bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        bins[in[i] % 64]++;
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = bins[threadIdx.x];
}
// races: not proved: an index is loaded from memory

__global__ void stencil(const float *in, float *out) {
    __shared__ float row[256 + 2];
    const int t = threadIdx.x + 1;
    row[t] = in[t];
    if (threadIdx.x == 0)
        row[0] = in[0];
    if (threadIdx.x == 255)
        row[257] = in[257];
    __syncthreads();
    out[t] = row[t - 1] + row[t] + row[t + 1];
}
// races: free

__global__ void stencil_unordered(const float *in, float *out) {
    __shared__ float row[256 + 2];
    const int t = threadIdx.x + 1;
    row[t] = in[t];
    if (threadIdx.x == 0)
        row[0] = in[0];
    if (threadIdx.x == 255)
        row[257] = in[257];
    out[t] = row[t - 1] + row[t] + row[t + 1];
}
// races: race 195 200

// Threads that leave keep nobody waiting.
__global__ void leaves_early(const int *in, int *out, int n) {
    __shared__ int tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[255 - threadIdx.x];
}
// races: free

// All threads decide alike.
__global__ void one_decision(const int *in, int *out, int n) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    if (n > 7) {
        __syncthreads();
        out[threadIdx.x] = tile[255 - threadIdx.x];
    }
    __syncthreads();
    tile[threadIdx.x ^ 1] = n;
    __syncthreads();
    out[threadIdx.x] += tile[255 - threadIdx.x];
}
// races: free

__global__ void one_decision_unordered(const int *in, int *out, int n) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    if (n > 7) {
        __syncthreads();
        out[threadIdx.x] = tile[255 - threadIdx.x];
    }
    tile[threadIdx.x ^ 1] = n;
    __syncthreads();
    out[threadIdx.x] += tile[255 - threadIdx.x];
}
// races: not proved: where both come there

// Half of the threads wait at the one barrier, the others at the other one.
__global__ void two_decisions(const int *in, int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    if (in[threadIdx.x] > 7)
        __syncthreads();
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}
// races: not proved: not all threads need come to this barrier

// Each thread has rounds of its own.
__global__ void own_rounds(const int *in, int *out) {
    __shared__ int tile[256];
    for (int k = 0; k < in[threadIdx.x]; k++) {
        tile[threadIdx.x] = k;
        __syncthreads();
        out[threadIdx.x] += tile[255 - threadIdx.x];
        __syncthreads();
    }
    tile[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] += tile[255 - threadIdx.x];
}
// races: not proved: not all threads need come to this barrier

__global__ void stride(int *out, int n) {
    __shared__ int tile[4096];
    tile[threadIdx.x * n] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
// races: not proved: depends on a parameter of the kernel

__global__ void any(const int *in, int *out) {
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 7)
        found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}
// races: free

__global__ void last(int *out) {
    __shared__ int who;
    who = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = who;
}
// races: race 292 292

__global__ void copies(const int *in, int *out) {
    __shared__ int tile[256];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]))),
                 "l"(&in[threadIdx.x]));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}
// races: free

// The lanes of one warp wait for each other.
__global__ void warp_sums(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int n = 128; n > 0; n /= 2) {
            if (t < n)
                for (int i = t; i < n; i += 32)
                    sums[i] += sums[i + n];
            __syncwarp();
        }
        out[t] = sums[0];
    }
}
// races: free

// They are in step by no rule.
__global__ void warp_sums_unordered(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int n = 16; n > 0; n /= 2)
            if (t < n)
                sums[t] += sums[t + n];
        out[t] = sums[0];
    }
}
// races: race 336 337

// One lane is missing.
__global__ void warp_in_part(const int *in, int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x % 32)
        __syncwarp(0xfffffffe);
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
// races: not proved: unless something other than a barrier orders the two

// A warp's barrier is none of the block.
__global__ void warp_for_block(const int *in, int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}
// races: race 355 357

// What one round writes the next one does not, and the one behind it finds it read.
__global__ void in_turn(const int *in, int *out, int n) {
    __shared__ int tile[2][256];
    int sum = 0;
    for (int k = 0; k < n; k++) {
        tile[k % 2][threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[k % 2][255 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
// races: free

__global__ void in_turn_of_one(const int *in, int *out, int n) {
    __shared__ int tile[2][256];
    int sum = 0;
    for (int k = 0; k < n; k++) {
        tile[k / 2 % 2][threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[k / 2 % 2][255 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
// races: not proved: where both come there

__global__ void rotated(const int *in, int *out, int n) {
    __shared__ int tile[8][32];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    tile[row][(lane + n) % 32] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[row][(lane ^ n) % 32];
}
// races: not proved: depends on a parameter

__global__ void rotated_unsigned(const int *in, int *out, unsigned n) {
    __shared__ int tile[8][32];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    tile[row][(lane + n) % 32] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[row][(lane ^ n) % 32];
}
// races: free

// The next round writes what this one reads, behind no barrier.
__global__ void one_ahead(const int *in, int *out, int n) {
    __shared__ int tile[2][256];
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        tile[k % 2][threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();
        sum += tile[(k + 1) % 2][255 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
// races: not proved: changes from round to round of a loop

// Rounds may have no barrier: threads are in different ones.
__global__ void skips(const int *in, int *out, int n, int m) {
    __shared__ int tile[2][256];
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        tile[k % 2][threadIdx.x] = in[k * 256 + threadIdx.x];
        if (m > 3)
            __syncthreads();
        tile[k % 2][threadIdx.x] = 0;
        sum += tile[(k + 1) % 2][255 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
// races: not proved: changes from round to round of a loop

// Not all lanes need come to it.
__global__ void warp_of_some(const int *in, int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    if (in[threadIdx.x] > 7)
        __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
// races: not proved: unless something other than a barrier orders the two

// Two halves of the block with a barrier each: it is taken to order nothing.
__global__ void halves(const int *in, int *out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory");
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
// races: not proved: unless something other than a barrier orders the two

#include <mma.h>

// A matrix is read by all warps, which each have written a part of it.
__global__ void fragments(half *out, const half *in) {
    using namespace nvcuda;
    __shared__ __align__(32) half tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    wmma::load_matrix_sync(a, tile, 16);
    out[threadIdx.x] = a.x[0];
}
// races: free

__global__ void fragments_unordered(half *out, const half *in) {
    using namespace nvcuda;
    __shared__ __align__(32) half tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    tile[threadIdx.x] = in[threadIdx.x];
    wmma::load_matrix_sync(a, tile, 16);
    out[threadIdx.x] = a.x[0];
}
// races: race 471 472

// Lanes of one warp need not be in the same round of a loop without barriers.
__global__ void sliding(int *out, const int *in, int n) {
    __shared__ int s[1024];
    const unsigned t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; t < 32 && i < n; i++)
        s[t + i] = in[t ^ i];
    __syncthreads();
    out[t] = s[t];
}
// races: not proved: changes from round to round

// Each warp goes on by steps of its own.
__global__ void own_steps(int *out, const int *in, int n) {
    __shared__ int s[8192];
    const unsigned t = threadIdx.x;
    unsigned at = t / 64 * 2048 + t % 64 + t / 32 % 2 * 96;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[at] = in[t ^ i];
        at += t / 32 % 2 ? 32 : 96;
        __syncthreads();
    }
    out[t] = s[t];
}
// races: not proved: changes from round to round

// Words 256 apart, those of one access beside those of the next.
__global__ void far_apart(int *out, const int *in) {
    __shared__ int s[512];
    const unsigned t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        s[t + 256] = in[t + 256];
    } else if (t < 64) {
        out[t] = s[t - 32];
        out[t + 256] = s[t - 32 + 256];
    }
}
// races: race 509 512

// Each word is read before it is written.
__global__ void moved_up(int *out) {
    __shared__ int s[257];
    const unsigned t = threadIdx.x;
    const int next = s[t + 1];
    s[t] = t;
    out[t] = next;
}
// races: race 522 523
