// Matrix product of floats through tiles of 32 x 32, five ways.
//
//     bankrun gallery/matmul.cu
//
// What to look at: "plain" is free: a row of B's tile goes along the banks, an element of A's is
// broadcast. "transposed" keeps B's tile the other way round, as one does to read both alike: the
// store and the inner loop's load go down a column, 32-way. "padded" and "swizzled" (column x of
// row y lies at x ^ y) cure both. "blocked" gives a thread 4 x 4 results from 128-bit loads: eight
// times fewer requests for the same arithmetic, which is why fast kernels look like it.
//
// bankrun counts          op     array   requests  wavefronts  ideal  degree
//   multiply<Rows>        load   tile_a     8,192       8,192  8,192       1
//   multiply<Rows>        load   tile_b     8,192       8,192  8,192       1
//   multiply<Transposed>  store  tile_b       256       8,192    256      32
//   multiply<Transposed>  load   tile_a     8,192       8,192  8,192       1
//   multiply<Transposed>  load   tile_b     8,192     262,144  8,192      32
//   multiply<Padded>      load   tile_a     8,192       8,192  8,192       1
//   multiply<Padded>      load   tile_b     8,192       8,192  8,192       1
//   multiply<Swizzled>    load   tile_a     8,192       8,192  8,192       1
//   multiply<Swizzled>    load   tile_b     8,192       8,192  8,192       1
//   blocked               load   tile_a       512       1,024  1,024       1
//   blocked               load   tile_b       512       2,048  2,048       1
#include "gallery.cuh"

constexpr int TILE = 32;

struct Rows { // B as it comes
    enum { PITCH = TILE };
    static __device__ int place(int k, int x) {
        return k * TILE + x;
    }
};

struct Transposed {
    enum { PITCH = TILE };
    static __device__ int place(int k, int x) {
        return x * TILE + k;
    }
};

struct Padded {
    enum { PITCH = TILE + 1 };
    static __device__ int place(int k, int x) {
        return x * PITCH + k;
    }
};

struct Swizzled {
    enum { PITCH = TILE };
    static __device__ int place(int k, int x) {
        return x * TILE + (k ^ x);
    }
};

template <class Layout> __global__ void multiply(float *c, const float *a, const float *b, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE * Layout::PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int from = 0; from < n; from += TILE) {
        tile_a[ty][tx] = a[y * n + from + tx];
        tile_b[Layout::place(ty, tx)] = b[(from + ty) * n + x];
        __syncthreads();
#pragma unroll 1 // or the machine code joins neighbouring loads into wider ones
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[Layout::place(k, tx)];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// 64 x 64 results a block of 16 x 16 threads, 16 steps of k at a time.
__global__ void blocked(float *c, const float *a, const float *b, int n) {
    constexpr int SIDE = 64, DEPTH = 16;
    __shared__ float4 tile_a[DEPTH][SIDE / 4], tile_b[DEPTH][SIDE / 4]; // A's is transposed
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    float sums[4][4] = {};
    for (int from = 0; from < n; from += DEPTH) {
        float4 down; // four rows of one column of A
        const float *at = &a[(top + tx * 4) * n + from + ty];
        down.x = at[0], down.y = at[n], down.z = at[2 * n], down.w = at[3 * n];
        tile_a[ty][tx] = down;
        tile_b[ty][tx] = *reinterpret_cast<const float4 *>(&b[(from + ty) * n + left + tx * 4]);
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < DEPTH; k++) {
            float4 va = tile_a[k][ty], vb = tile_b[k][tx];
            float as[4] = {va.x, va.y, va.z, va.w}, bs[4] = {vb.x, vb.y, vb.z, vb.w};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += as[i] * bs[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<float4 *>(&c[(top + ty * 4 + i) * n + left + tx * 4]) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    int n = int(show.blocks(64, 1024));
    std::vector<float> a(n * n), b(n * n), expected(n * n);
    for (int i = 0; i < n * n; i++) { // small whole numbers: sums are exact in any order
        a[i] = float(scrambled(i) % 16);
        b[i] = float(scrambled(i + n * n) % 16);
    }
    for (int y = 0; y < n; y++)
        for (int k = 0; k < n; k++)
            for (int x = 0; x < n; x++)
                expected[y * n + x] += a[y * n + k] * b[k * n + x];
    Buffer<float> in_a(a), in_b(b), out(n * n);
    auto wrong = [&] {
        size_t count = count_wrong(out, [&](size_t i) { return expected[i]; });
        out.clear();
        return count;
    };
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    show.kernel(
        "plain", [&] { multiply<Rows><<<grid, block>>>(out, in_a, in_b, n); }, wrong);
    show.kernel(
        "transposed", [&] { multiply<Transposed><<<grid, block>>>(out, in_a, in_b, n); }, wrong);
    show.kernel(
        "padded", [&] { multiply<Padded><<<grid, block>>>(out, in_a, in_b, n); }, wrong);
    show.kernel(
        "swizzled", [&] { multiply<Swizzled><<<grid, block>>>(out, in_a, in_b, n); }, wrong);
    show.kernel(
        "blocked", [&] { blocked<<<dim3(n / 64, n / 64), 256>>>(out, in_a, in_b, n); }, wrong);
    return show.status();
}
