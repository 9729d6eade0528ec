// A matrix transpose three ways: straight from global memory, through a 32 x 32 tile of shared
// memory, and through the same tile with one column of padding.
//
//     bankrun gallery/transpose.cu [WIDTH [HEIGHT]] [--time]          (4000 x 4000 floats)
//
// What to look at: line 33. A warp reads a column of the tile, 32 words that lie 32 words apart,
// which is one word for each of 32 wavefronts in a single bank: 500,000 requests take 16,000,000
// wavefronts. One more column moves each row on by a bank, and line 44 takes 500,000. The naive
// kernel has no bank conflicts, but each of its stores touches 32 sectors where 4 would do. All
// three give the same matrix, which the program holds against the CPU's, element by element.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

constexpr int TILE = 32; // and a block has 32 x 32 threads: one for each element of its tile

__global__ void transpose_naive(float *out, const float *in, int width, int height) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

__global__ void transpose_tiled(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_padded(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error));                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef void (*Kernel)(float *, const float *, int, int);

struct Matrix {
    int width, height;
    float *host, *in, *out; // one host buffer serves the input, then each output
    size_t bytes() const {
        return sizeof(float) * width * height;
    }
};

// An element that its place determines: 24 bits, which a float holds exactly.
static float element(unsigned index) {
    return float((index * 2654435761u) >> 8);
}

static void launch(Kernel kernel, const Matrix &m) {
    dim3 grid((m.width + TILE - 1) / TILE, (m.height + TILE - 1) / TILE);
    kernel<<<grid, dim3(TILE, TILE)>>>(m.out, m.in, m.width, m.height);
    CHECK(cudaGetLastError());
}

static void print_time(Kernel kernel, const Matrix &m) {
    enum { RUNS = 100 };
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int run = 0; run < RUNS; run++)
        launch(kernel, m);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("    %.2f us, %.0f GB/s", 1e3 * ms / RUNS, 2e-6 * m.bytes() * RUNS / ms);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

// Runs a kernel and holds every element of its result against what the CPU expects there.
static bool verify(const char *name, Kernel kernel, const Matrix &m, bool is_timed) {
    CHECK(cudaMemset(m.out, 0xff, m.bytes()));
    launch(kernel, m);
    CHECK(cudaMemcpy(m.host, m.out, m.bytes(), cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    unsigned long long checksum = 0;
    const float *at = m.host;
    for (int x = 0; x < m.width; x++) {
        for (int y = 0; y < m.height; y++, at++) {
            wrong += *at != element(unsigned(y) * m.width + x);
            unsigned bits;
            memcpy(&bits, at, sizeof bits);
            checksum = checksum * 31 + bits;
        }
    }
    printf("%-14s %s  %016llx", name, wrong ? "FAIL" : "PASS", checksum);
    if (wrong)
        printf("  %zu of %zu elements are wrong", wrong, m.bytes() / sizeof(float));
    if (is_timed)
        print_time(kernel, m);
    printf("\n");
    return wrong == 0;
}

int main(int argc, char **argv) {
    int sizes[2] = {4000, 4000}, given = 0;
    bool is_timed = false;
    for (int i = 1; i < argc; i++) {
        long size = strtol(argv[i], nullptr, 10);
        if (strcmp(argv[i], "--time") == 0) {
            is_timed = true;
        } else if (given < 2 && size > 0 && size <= INT_MAX) {
            sizes[given++] = int(size);
        } else {
            fprintf(stderr, "usage: transpose [WIDTH [HEIGHT]] [--time]\n");
            return 2;
        }
    }
    Matrix m = {sizes[0], given == 1 ? sizes[0] : sizes[1]};
    if ((long long)m.width * m.height > INT_MAX - 64LL * m.width - 64LL * m.height) {
        fprintf(stderr, "transpose: %d x %d elements do not fit an int\n", m.width, m.height);
        return 2;
    }
    m.host = static_cast<float *>(malloc(m.bytes()));
    if (!m.host) {
        fprintf(stderr, "transpose: out of memory\n");
        return 1;
    }
    CHECK(cudaMalloc(&m.in, m.bytes()));
    CHECK(cudaMalloc(&m.out, m.bytes()));
    for (int i = 0; i < m.width * m.height; i++)
        m.host[i] = element(i);
    CHECK(cudaMemcpy(m.in, m.host, m.bytes(), cudaMemcpyHostToDevice));

    printf("transpose of %d x %d floats\n", m.width, m.height);
    bool passed = verify("naive", transpose_naive, m, is_timed);
    passed &= verify("tile[32][32]", transpose_tiled, m, is_timed);
    passed &= verify("tile[32][33]", transpose_padded, m, is_timed);

    CHECK(cudaFree(m.in));
    CHECK(cudaFree(m.out));
    free(m.host);
    return passed ? 0 : 1;
}

// bankrun counts      op    array  requests  wavefronts    ideal  degree
//   transpose_tiled   load  tile    500,000  16,000,000  500,000      32
//   transpose_padded  load  tile    500,000     500,000  500,000       1
