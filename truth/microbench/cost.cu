// What bank conflicts cost in time: pairs of kernels that differ in the layout of a shared array
// and in nothing else, the first with conflicts, the second without. `volatile` keeps the compiler
// from joining neighbouring loads of one layout and not of the other.
//
//     cost count          launches each kernel once, in the order of `cost list`: for bankrun
//     cost list           pair,family
//     cost time           pair,conflicts_us,cured_us: medians, on a GPU
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <string>
#include <vector>

#include "check.h"

// ---- Transposes ---------------------------------------------------------------------------

template <class T, int ROWS, int PITCH>
__global__ void transpose(T *out, const T *in, int width, int height) {
    __shared__ T tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += ROWS)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = in[size_t(y + i) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += ROWS)
        if (x < height && y + i < width)
            out[size_t(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

template <bool IS_SWIZZLED>
__global__ void transpose_swizzled(float *out, const float *in, int width) {
    __shared__ float tile[32][32];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        int row = threadIdx.y + i;
        tile[row][IS_SWIZZLED ? tx ^ row : tx] = in[size_t(y + i) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + tx, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        int row = threadIdx.y + i;
        out[size_t(y + i) * width + x] = tile[tx][IS_SWIZZLED ? row ^ tx : row];
    }
}

// Transposes that stay in the tile, `rounds` times: nothing but shared memory.
template <int PITCH> __global__ void turn_tile(float *out, int rounds) {
    __shared__ float tile[32][PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = tx * 3 + ty;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        float value = tile[tx][ty];
        __syncthreads();
        tile[ty][tx] = value;
    }
    out[(blockIdx.x * 32 + ty) * 32 + tx] = tile[ty][tx];
}

// ---- Scans, reductions, sorts -------------------------------------------------------------

template <int COUNT, int PAD> __global__ void prefix(unsigned *out, const unsigned *in) {
    __shared__ unsigned sums[COUNT + (PAD ? COUNT / 32 : 0)];
    auto at = [](unsigned i) { return PAD ? i + i / 32 : i; };
    unsigned t = threadIdx.x, step = 1;
    in += size_t(blockIdx.x) * COUNT, out += size_t(blockIdx.x) * COUNT;
    sums[at(t)] = in[t];
    sums[at(t + COUNT / 2)] = in[t + COUNT / 2];
#pragma unroll 1
    for (unsigned pairs = COUNT / 2; pairs > 0; pairs /= 2, step *= 2) {
        __syncthreads();
        if (t < pairs) {
            unsigned left = step * (2 * t + 1) - 1;
            sums[at(left + step)] += sums[at(left)];
        }
    }
    if (t == 0)
        sums[at(COUNT - 1)] = 0;
#pragma unroll 1
    for (unsigned pairs = 1; pairs < COUNT; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            unsigned left = step * (2 * t + 1) - 1, kept = sums[at(left)];
            sums[at(left)] = sums[at(left + step)];
            sums[at(left + step)] += kept;
        }
    }
    __syncthreads();
    out[t] = sums[at(t)];
    out[t + COUNT / 2] = sums[at(t + COUNT / 2)];
}

// Each thread scans a run of `RUN` neighbouring words, as block scans begin.
template <int RUN, int PAD> __global__ void scan_runs(int *out, const int *in) {
    constexpr int THREADS = 256, PITCH = RUN + PAD;
    __shared__ int runs[THREADS * PITCH];
    int t = threadIdx.x;
    in += size_t(blockIdx.x) * THREADS * RUN, out += size_t(blockIdx.x) * THREADS * RUN;
    for (int i = t; i < THREADS * RUN; i += THREADS)
        runs[i / RUN * PITCH + i % RUN] = in[i];
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < RUN; i++)
        runs[t * PITCH + i] = sum += runs[t * PITCH + i];
    __syncthreads();
    for (int i = t; i < THREADS * RUN; i += THREADS)
        out[i] = runs[i / RUN * PITCH + i % RUN];
}

template <int THREADS, bool IS_CURED>
__global__ void reduce(unsigned *out, const unsigned *in, int loads) {
    __shared__ unsigned sums[THREADS];
    unsigned t = threadIdx.x, own = 0;
    for (int i = 0; i < loads; i++)
        own += in[(size_t(blockIdx.x) * loads + i) * THREADS + t];
    sums[t] = own;
    __syncthreads();
#pragma unroll 1
    for (unsigned step = IS_CURED ? THREADS / 2 : 1; step > 0 && step < THREADS;
         step = IS_CURED ? step / 2 : step * 2) {
        unsigned at = IS_CURED ? t : 2 * step * t;
        if (at < (IS_CURED ? step : THREADS))
            sums[at] += sums[at + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

template <int COUNT, bool IS_CURED> __global__ void bitonic(unsigned *out, const unsigned *in) {
    __shared__ unsigned values[COUNT];
    auto at = [](unsigned i) { return IS_CURED && i & 32 ? i ^ 31 : i; };
    unsigned t = threadIdx.x;
    in += size_t(blockIdx.x) * COUNT, out += size_t(blockIdx.x) * COUNT;
    values[at(t)] = in[t];
    values[at(t + COUNT / 2)] = in[t + COUNT / 2];
    for (unsigned run = 2; run <= COUNT; run *= 2) {
#pragma unroll 1
        for (unsigned step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned i = 2 * t - (t & (step - 1));
            unsigned a = values[at(i)], b = values[at(i + step)];
            bool is_falling = i & run;
            values[at(i)] = is_falling ? max(a, b) : min(a, b);
            values[at(i + step)] = is_falling ? min(a, b) : max(a, b);
        }
    }
    __syncthreads();
    out[t] = values[at(t)];
    out[t + COUNT / 2] = values[at(t + COUNT / 2)];
}

// Sums over the columns of a tile by lanes that lie in one column.
template <class T, int PITCH> __global__ void tile_columns(T *out, const T *in, int width) {
    __shared__ T tile[32][PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    tile[ty][tx] = in[y * width + x];
    __syncthreads();
    T sum = tile[tx][ty];
    for (int step = 1; step < 32; step *= 2) {
        T before = __shfl_up_sync(0xffffffff, sum, step);
        if (tx >= step)
            sum += before;
    }
    tile[tx][ty] = sum;
    __syncthreads();
    out[y * width + x] = tile[ty][tx];
}

// ---- Matrices -----------------------------------------------------------------------------

template <int PITCH>
__global__ void multiply(float *c, const float *a, const float *b, int n) { // B's tile transposed
    __shared__ float tile_a[32][32], tile_b[32][PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float sum = 0;
    for (int from = 0; from < n; from += 32) {
        tile_a[ty][tx] = a[y * n + from + tx];
        tile_b[tx][ty] = b[(from + ty) * n + x];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 32; k++)
            sum += tile_a[ty][k] * tile_b[tx][k];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// 64 x 64 of C a block, 4 x 4 a thread; A's tile is stored transposed, which conflicts.
template <int PITCH>
__global__ void multiply_blocked(float *c, const float *a, const float *b, int n) {
    __shared__ float tile_a[16 * PITCH];
    __shared__ float4 tile_b[16][16];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int left = blockIdx.x * 64, top = blockIdx.y * 64;
    float sums[4][4] = {};
    for (int from = 0; from < n; from += 16) {
        for (int i = 0; i < 64; i += 16)
            tile_a[tx * PITCH + ty + i] = a[(top + ty + i) * n + from + tx];
        tile_b[ty][tx] = *reinterpret_cast<const float4 *>(&b[(from + ty) * n + left + tx * 4]);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; k++) {
            float4 vb = tile_b[k][tx];
            float bs[4] = {vb.x, vb.y, vb.z, vb.w};
            for (int i = 0; i < 4; i++) {
                float own = tile_a[k * PITCH + ty * 4 + i];
                for (int j = 0; j < 4; j++)
                    sums[i][j] += own * bs[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&c[(top + ty * 4 + i) * n + left + tx * 4]) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

// Scores of 32 queries and 32 keys, each a row of shared memory that a thread reads by four words.
template <int DEPTH, int PAD>
__global__ void scores(float *out, const float *queries, const float *keys, int n) {
    constexpr int PITCH = DEPTH / 4 + PAD;
    __shared__ float4 q[32][DEPTH / 4], k[32 * PITCH];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
    const float4 *from_q = reinterpret_cast<const float4 *>(queries) + blockIdx.x * 32 * DEPTH / 4;
    for (int i = t; i < 32 * DEPTH / 4; i += 256)
        q[i / (DEPTH / 4)][i % (DEPTH / 4)] = from_q[i];
    for (int tile = 0; tile < n; tile++) {
        const float4 *from_k = reinterpret_cast<const float4 *>(keys) + tile * 32 * DEPTH / 4;
        for (int i = t; i < 32 * DEPTH / 4; i += 256)
            k[i / (DEPTH / 4) * PITCH + i % (DEPTH / 4)] = from_k[i];
        __syncthreads();
        float sums[4] = {};
#pragma unroll 4
        for (int d = 0; d < DEPTH / 4; d++) {
            float4 b = k[tx * PITCH + d];
            for (int r = 0; r < 4; r++) {
                float4 a = q[ty + r * 8][d];
                sums[r] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            }
        }
        for (int r = 0; r < 4; r++)
            out[(size_t(blockIdx.x) * 32 + ty + r * 8) * (n * 32) + tile * 32 + tx] = sums[r];
        __syncthreads();
    }
}

// ---- Histograms, tables, records ----------------------------------------------------------

// Bins of each thread, side by side (cured) or one thread's behind the other's.
template <int BINS, bool IS_CURED>
__global__ void histogram(unsigned *out, const unsigned *in, int each) {
    constexpr int THREADS = 128;
    __shared__ volatile unsigned bins[BINS * THREADS];
    int t = threadIdx.x;
    auto at = [t](int bin) { return IS_CURED ? bin * THREADS + t : t * BINS + bin; };
    for (int i = 0; i < BINS; i++)
        bins[at(i)] = 0;
    for (int i = 0; i < each; i++) {
        unsigned word = in[(size_t(blockIdx.x) * each + i) * THREADS + t];
        for (int part = 0; part < 4; part++)
            bins[at(word >> (8 * part) & (BINS - 1))] += 1;
    }
    __syncthreads();
    for (int i = 0; i < BINS; i++)
        out[(size_t(blockIdx.x) * BINS + i) * THREADS + t] = bins[at(i)];
}

// Records of `WORDS` words in shared memory, read by threads one record each; `work` operations
// of arithmetic for each word.
template <int WORDS, int PAD> __global__ void records(float *out, int rounds, int work) {
    constexpr int THREADS = 256, PITCH = WORDS + PAD;
    __shared__ float all[THREADS * PITCH];
    int t = threadIdx.x;
    for (int i = t; i < THREADS * PITCH; i += THREADS)
        all[i] = i;
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; round++) {
        int record = (t + round * 32) % THREADS;
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            float value = static_cast<volatile float *>(all)[record * PITCH + i];
#pragma unroll 4
            for (int k = 0; k < work; k++)
                value = value * 1.01f + 0.5f;
            sum += value;
        }
    }
    out[size_t(blockIdx.x) * THREADS + t] = sum;
}

// The same with what limits occupancy: `dynamic` bytes, of which the records take the first.
template <int WORDS, int PAD> __global__ void records_dynamic(float *out, int rounds) {
    constexpr int PITCH = WORDS + PAD;
    extern __shared__ float all_dynamic[];
    int t = threadIdx.x, threads = blockDim.x;
    for (int i = t; i < threads * PITCH; i += threads)
        all_dynamic[i] = i;
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            sum += static_cast<volatile float *>(all_dynamic)[(t ^ round) * PITCH + i];
    out[size_t(blockIdx.x) * threads + t] = sum;
}

// One load waits for the other: latency alone.
template <int STRIDE> __global__ void chase(int *out, int rounds) {
    __shared__ int next[32 * 33];
    int t = threadIdx.x, lane = t % 32;
    for (int i = t; i < 32 * 33; i += blockDim.x)
        next[i] = i;
    __syncthreads();
    int at = lane * STRIDE;
#pragma unroll 8
    for (int i = 0; i < rounds; i++)
        at = next[at];
    out[size_t(blockIdx.x) * blockDim.x + t] = at;
}

// A copy through shared memory with a stride: hardly anything but global memory.
template <int STRIDE> __global__ void copy_through(float *out, const float *in) {
    __shared__ float words[256 * 9];
    int t = threadIdx.x;
    size_t i = size_t(blockIdx.x) * 256 + t;
    words[t * STRIDE] = in[i];
    __syncthreads();
    out[i] = words[(t ^ 1) * STRIDE];
}

// Wide elements, every second of them or neighbours.
template <class T, int STRIDE> __global__ void wide(float *out, int rounds) {
    __shared__ T words[256 * 2];
    int t = threadIdx.x;
    words[t].x = t, words[t + 256].x = t + 1;
    __syncthreads();
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < rounds; i++) {
        T value = words[(t % 32 * STRIDE + i * 32) % 512];
        sum += value.x + value.y;
    }
    out[size_t(blockIdx.x) * 256 + t] = sum;
}

// Exchanges of a Fourier transform: stores with a stride, loads of neighbours, stage by stage.
template <int PAD> __global__ void exchange(float2 *out, const float2 *in) {
    constexpr int COUNT = 1024;
    __shared__ volatile float re[COUNT + COUNT / 32 * PAD], im[COUNT + COUNT / 32 * PAD];
    auto at = [](int i) { return PAD ? i + i / 32 : i; };
    int t = threadIdx.x;
    in += size_t(blockIdx.x) * COUNT, out += size_t(blockIdx.x) * COUNT;
    float2 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = in[t + i * 256];
#pragma unroll 1
    for (int stride = 256; stride > 1; stride /= 4) {
        float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y};
        float2 c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
        v[0] = {a.x + c.x, a.y + c.y}, v[1] = {b.x + d.x, b.y + d.y};
        v[2] = {a.x - c.x, a.y - c.y}, v[3] = {b.x - d.x, b.y - d.y};
        __syncthreads();
        int low = 256 / stride, place = t / low * low * 4 + t % low;
        for (int i = 0; i < 4; i++)
            re[at(place + i * low)] = v[i].x, im[at(place + i * low)] = v[i].y;
        __syncthreads();
        for (int i = 0; i < 4; i++)
            v[i] = {re[at(t * 4 + i)], im[at(t * 4 + i)]};
    }
    for (int i = 0; i < 4; i++)
        out[t + i * 256] = v[i];
}

// A stencil along y whose tile lies on its side.
template <int PITCH> __global__ void stencil(float *out, const float *in, int width) {
    __shared__ float tile[32 * PITCH]; // [x][y], 16 lines and two beyond them on each side
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty;
    tile[tx * PITCH + ty] = in[y * width + x];
    if (ty < 4)
        tile[tx * PITCH + ty + 16] = in[(y + 16) * width + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 5; i++)
        sum += tile[tx * PITCH + ty + i] * (i + 1);
    out[y * width + x] = sum;
}

// Each thread makes the sum of one row of a tile that the block loads together.
template <int WIDTH, int PAD> __global__ void row_sums(float *out, const float *in) {
    constexpr int ROWS = 128, PITCH = WIDTH + PAD;
    __shared__ volatile float tile[ROWS * PITCH];
    int t = threadIdx.x;
    in += size_t(blockIdx.x) * ROWS * WIDTH;
    for (int i = t; i < ROWS * WIDTH; i += ROWS)
        tile[i / WIDTH * PITCH + i % WIDTH] = in[i];
    __syncthreads();
    float most = 0, sum = 0;
    for (int i = 0; i < WIDTH; i++)
        most = fmaxf(most, tile[t * PITCH + i]);
    for (int i = 0; i < WIDTH; i++)
        sum += __expf(tile[t * PITCH + i] - most);
    out[size_t(blockIdx.x) * ROWS + t] = sum;
}

// ---- The pairs ----------------------------------------------------------------------------

struct pair_of_kernels {
    std::string name, family;
    std::function<void()> conflicts, cured;
};

static std::vector<pair_of_kernels> pairs;
static char *in, *out;
constexpr size_t BYTES = size_t(1) << 29;

template <class T> static T *from() {
    return reinterpret_cast<T *>(in);
}
template <class T> static T *to() {
    return reinterpret_cast<T *>(out);
}

template <class A, class B>
static void add(const std::string &family, const std::string &what, A conflicts, B cured) {
    pairs.push_back({family + " " + what, family, conflicts, cured});
}

template <class T, int ROWS> static void add_transpose(const char *type, int width, int height) {
    dim3 grid((width + 31) / 32, (height + 31) / 32), block(32, ROWS);
    add(
        "transpose",
        std::string(type) + " " + std::to_string(width) + "x" + std::to_string(height) +
            " block 32x" + std::to_string(ROWS),
        [=] { transpose<T, ROWS, 32><<<grid, block>>>(to<T>(), from<T>(), width, height); },
        [=] { transpose<T, ROWS, 33><<<grid, block>>>(to<T>(), from<T>(), width, height); });
}

static void add_transposes() {
    add_transpose<float, 32>("float", 4000, 4000);
    add_transpose<float, 8>("float", 4000, 4000);
    add_transpose<float, 16>("float", 8192, 8192);
    add_transpose<float, 32>("float", 1024, 1024);
    add_transpose<float, 8>("float", 512, 512);
    add_transpose<float, 32>("float", 2000, 3000);
    add_transpose<double, 32>("double", 4000, 4000);
    add_transpose<double, 8>("double", 2048, 2048);
    add_transpose<float4, 8>("float4", 2048, 2048);
    add_transpose<unsigned short, 32>("half", 4096, 4096);
    add_transpose<unsigned char, 8>("byte", 8192, 8192);
    for (int n : {1024, 4096})
        add(
            "swizzle", std::to_string(n),
            [=] {
                transpose_swizzled<false>
                    <<<dim3(n / 32, n / 32), dim3(32, 8)>>>(to<float>(), from<float>(), n);
            },
            [=] {
                transpose_swizzled<true>
                    <<<dim3(n / 32, n / 32), dim3(32, 8)>>>(to<float>(), from<float>(), n);
            });
    for (int blocks : {1, 132, 140, 528, 4000})
        add(
            "turn", std::to_string(blocks) + " blocks",
            [=] { turn_tile<32><<<blocks, dim3(32, 32)>>>(to<float>(), 100); },
            [=] { turn_tile<33><<<blocks, dim3(32, 32)>>>(to<float>(), 100); });
}

static void add_scans() {
    for (int blocks : {264, 16384}) {
        std::string many = " x " + std::to_string(blocks);
        add(
            "prefix", "512" + many,
            [=] { prefix<512, 0><<<blocks, 256>>>(to<unsigned>(), from<unsigned>()); },
            [=] { prefix<512, 1><<<blocks, 256>>>(to<unsigned>(), from<unsigned>()); });
        add(
            "prefix", "2048" + many,
            [=] { prefix<2048, 0><<<blocks, 1024>>>(to<unsigned>(), from<unsigned>()); },
            [=] { prefix<2048, 1><<<blocks, 1024>>>(to<unsigned>(), from<unsigned>()); });
        add(
            "runs", "8" + many, [=] { scan_runs<8, 0><<<blocks, 256>>>(to<int>(), from<int>()); },
            [=] { scan_runs<8, 1><<<blocks, 256>>>(to<int>(), from<int>()); });
        add(
            "runs", "16" + many,
            [=] { scan_runs<16, 0><<<blocks / 2, 256>>>(to<int>(), from<int>()); },
            [=] { scan_runs<16, 1><<<blocks / 2, 256>>>(to<int>(), from<int>()); });
        add(
            "reduce", "256" + many,
            [=] { reduce<256, false><<<blocks, 256>>>(to<unsigned>(), from<unsigned>(), 1); },
            [=] { reduce<256, true><<<blocks, 256>>>(to<unsigned>(), from<unsigned>(), 1); });
        add(
            "bitonic", "512" + many,
            [=] { bitonic<512, false><<<blocks, 256>>>(to<unsigned>(), from<unsigned>()); },
            [=] { bitonic<512, true><<<blocks, 256>>>(to<unsigned>(), from<unsigned>()); });
    }
    add(
        "runs", "4 x 8192", [=] { scan_runs<4, 0><<<8192, 256>>>(to<int>(), from<int>()); },
        [=] { scan_runs<4, 1><<<8192, 256>>>(to<int>(), from<int>()); });
    add(
        "reduce", "1024, 8 loads",
        [=] { reduce<1024, false><<<8192, 1024>>>(to<unsigned>(), from<unsigned>(), 8); },
        [=] { reduce<1024, true><<<8192, 1024>>>(to<unsigned>(), from<unsigned>(), 8); });
    add(
        "bitonic", "2048 x 4096",
        [=] { bitonic<2048, false><<<4096, 1024>>>(to<unsigned>(), from<unsigned>()); },
        [=] { bitonic<2048, true><<<4096, 1024>>>(to<unsigned>(), from<unsigned>()); });
    for (int n : {1024, 4096}) {
        dim3 grid(n / 32, n / 32), block(32, 32);
        typedef unsigned long long wide_t;
        add(
            "columns", "float " + std::to_string(n),
            [=] { tile_columns<float, 32><<<grid, block>>>(to<float>(), from<float>(), n); },
            [=] { tile_columns<float, 33><<<grid, block>>>(to<float>(), from<float>(), n); });
        add(
            "columns", "u64 " + std::to_string(n),
            [=] { tile_columns<wide_t, 32><<<grid, block>>>(to<wide_t>(), from<wide_t>(), n); },
            [=] { tile_columns<wide_t, 33><<<grid, block>>>(to<wide_t>(), from<wide_t>(), n); });
    }
    add(
        "exchange", "x 4096", [=] { exchange<0><<<4096, 256>>>(to<float2>(), from<float2>()); },
        [=] { exchange<1><<<4096, 256>>>(to<float2>(), from<float2>()); });
}

static void add_matrices() {
    for (int n : {256, 1024}) {
        add(
            "multiply", std::to_string(n),
            [=] {
                multiply<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(to<float>(), from<float>(),
                                                                     from<float>() + n * n, n);
            },
            [=] {
                multiply<33><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(to<float>(), from<float>(),
                                                                     from<float>() + n * n, n);
            });
        add(
            "blocked", std::to_string(n),
            [=] {
                multiply_blocked<64><<<dim3(n / 64, n / 64), 256>>>(to<float>(), from<float>(),
                                                                    from<float>() + n * n, n);
            },
            [=] {
                multiply_blocked<66><<<dim3(n / 64, n / 64), 256>>>(to<float>(), from<float>(),
                                                                    from<float>() + n * n, n);
            });
    }
    add(
        "scores", "64 deep",
        [=] { scores<64, 0><<<512, dim3(32, 8)>>>(to<float>(), from<float>(), from<float>(), 16); },
        [=] {
            scores<64, 1><<<512, dim3(32, 8)>>>(to<float>(), from<float>(), from<float>(), 16);
        });
    add(
        "scores", "16 deep",
        [=] { scores<16, 0><<<512, dim3(32, 8)>>>(to<float>(), from<float>(), from<float>(), 16); },
        [=] {
            scores<16, 1><<<512, dim3(32, 8)>>>(to<float>(), from<float>(), from<float>(), 16);
        });
    for (int n : {1024, 4096})
        add(
            "stencil", std::to_string(n),
            [=] {
                stencil<24><<<dim3(n / 32, n / 16), dim3(32, 16)>>>(to<float>(), from<float>(), n);
            },
            [=] {
                stencil<21><<<dim3(n / 32, n / 16), dim3(32, 16)>>>(to<float>(), from<float>(), n);
            });
    add(
        "rows", "16 wide", [=] { row_sums<16, 0><<<8192, 128>>>(to<float>(), from<float>()); },
        [=] { row_sums<16, 1><<<8192, 128>>>(to<float>(), from<float>()); });
    add(
        "rows", "64 wide", [=] { row_sums<64, 0><<<4096, 128>>>(to<float>(), from<float>()); },
        [=] { row_sums<64, 1><<<4096, 128>>>(to<float>(), from<float>()); });
}

template <int WORDS> static void add_records(int blocks, int rounds, int work) {
    add(
        "records",
        std::to_string(WORDS) + " words, work " + std::to_string(work) + ", x " +
            std::to_string(blocks),
        [=] { records<WORDS, 0><<<blocks, 256>>>(to<float>(), rounds, work); },
        [=] { records<WORDS, 1><<<blocks, 256>>>(to<float>(), rounds, work); });
}

template <int WORDS> static void add_occupancy(int threads, int kilobytes) {
    int bytes = kilobytes << 10;
    CHECK(cudaFuncSetAttribute(records_dynamic<WORDS, 0>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, 224 << 10));
    CHECK(cudaFuncSetAttribute(records_dynamic<WORDS, 1>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, 224 << 10));
    add(
        "occupancy",
        std::to_string(WORDS) + " words, " + std::to_string(threads) + " threads, " +
            std::to_string(kilobytes) + " KB",
        [=] { records_dynamic<WORDS, 0><<<1320, threads, bytes>>>(to<float>(), 32); },
        [=] { records_dynamic<WORDS, 1><<<1320, threads, bytes>>>(to<float>(), 32); });
}

static void add_records_all() {
    add_records<2>(2640, 64, 0);
    add_records<2>(1320, 64, 8);
    add_records<4>(2640, 32, 0);
    add_records<8>(2640, 16, 0);
    add_records<8>(2640, 16, 4);
    add_records<8>(2640, 16, 16);
    add_records<8>(2640, 16, 64);
    add_records<16>(132, 16, 0);
    add_records<32>(1320, 4, 0);
    add_records<32>(16, 64, 0);
    add_records<4>(66, 32, 8);
    add_occupancy<8>(32, 100);
    add_occupancy<8>(64, 40);
    add_occupancy<8>(256, 200);
    add_occupancy<8>(1024, 100);
    add_occupancy<4>(128, 100);
    add_occupancy<2>(64, 220);
    add(
        "histogram", "16 bins",
        [=] { histogram<16, false><<<2640, 128>>>(to<unsigned>(), from<unsigned>(), 32); },
        [=] { histogram<16, true><<<2640, 128>>>(to<unsigned>(), from<unsigned>(), 32); });
    add(
        "histogram", "64 bins",
        [=] { histogram<64, false><<<1320, 128>>>(to<unsigned>(), from<unsigned>(), 64); },
        [=] { histogram<64, true><<<1320, 128>>>(to<unsigned>(), from<unsigned>(), 64); });
    for (int threads : {32, 128, 512}) {
        add(
            "chase", "stride 8, " + std::to_string(threads) + " threads",
            [=] { chase<8><<<264, threads>>>(to<int>(), 512); },
            [=] { chase<1><<<264, threads>>>(to<int>(), 512); });
        add(
            "chase", "stride 32, " + std::to_string(threads) + " threads",
            [=] { chase<32><<<264, threads>>>(to<int>(), 512); },
            [=] { chase<1><<<264, threads>>>(to<int>(), 512); });
    }
    for (int blocks : {512, 131072}) {
        std::string many = ", x " + std::to_string(blocks);
        add(
            "copy", "stride 2" + many,
            [=] { copy_through<2><<<blocks, 256>>>(to<float>(), from<float>()); },
            [=] { copy_through<1><<<blocks, 256>>>(to<float>(), from<float>()); });
        add(
            "copy", "stride 8" + many,
            [=] { copy_through<8><<<blocks, 256>>>(to<float>(), from<float>()); },
            [=] { copy_through<9><<<blocks, 256>>>(to<float>(), from<float>()); });
    }
    add(
        "wide", "float2", [=] { wide<float2, 2><<<2640, 256>>>(to<float>(), 64); },
        [=] { wide<float2, 1><<<2640, 256>>>(to<float>(), 64); });
    add(
        "wide", "float4", [=] { wide<float4, 2><<<2640, 256>>>(to<float>(), 64); },
        [=] { wide<float4, 1><<<2640, 256>>>(to<float>(), 64); });
}

// ---- Time ---------------------------------------------------------------------------------

static __global__ void scramble(unsigned *words, size_t count) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        unsigned value = unsigned(i) * 2654435761u;
        words[i] = (value ^ value >> 15) & 0x3fffffff; // no float that is slow or no number
    }
}

// Launches back to back, as many as take a millisecond or so, and the median of that.
static double median_us(const std::function<void()> &launch) {
    enum { ROUNDS = 11, MOST = 50 };
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    auto round = [&](int count) {
        CHECK(cudaEventRecord(begin));
        for (int i = 0; i < count; i++)
            launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        return 1e3 * ms / count;
    };
    for (int i = 0; i < 5; i++)
        round(10);
    int count = std::min(int(MOST), std::max(5, int(2000 / round(10))));
    std::vector<double> times;
    for (int i = 0; i < ROUNDS; i++)
        times.push_back(round(count));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(times.begin(), times.end());
    return times[ROUNDS / 2];
}

int main(int argc, char **argv) {
    std::string mode = argc > 1 ? argv[1] : "";
    if (mode != "count" && mode != "list" && mode != "time") {
        fprintf(stderr, "usage: cost count|list|time\n");
        return 2;
    }
    CHECK(cudaMalloc(&in, BYTES));
    CHECK(cudaMalloc(&out, BYTES));
    add_transposes();
    add_scans();
    add_matrices();
    add_records_all();
    if (mode == "time") {
        scramble<<<1024, 256>>>(from<unsigned>(), BYTES / 4);
        printf("pair,conflicts_us,cured_us\n");
    } else if (mode == "count") { // what the histograms read
        scramble<<<64, 256>>>(from<unsigned>(), size_t(12) << 20);
    }
    for (const pair_of_kernels &pair : pairs) {
        if (mode == "list") {
            printf("%s|%s\n", pair.name.c_str(), pair.family.c_str());
        } else if (mode == "count") {
            pair.conflicts();
            pair.cured();
        } else {
            double conflicts = median_us(pair.conflicts), cured = median_us(pair.cured);
            printf("\"%s\",%.3f,%.3f\n", pair.name.c_str(), conflicts, cured);
        }
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
