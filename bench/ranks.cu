// What bench/ranks.py measures: a sort and a sparse product whose work depends on data, a histogram by global atomics, and a
// matrix product in two ways. Each checks its own result. Usage: ranks WHAT SIZE [ROUNDS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static unsigned next_random(unsigned &state) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

// Each thread finds where its element goes by how many of the other run are less.
__global__ void merge_runs(unsigned *to, const unsigned *from, int n, int run) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int own = i / run, other = own ^ 1, begin = other * run;
    const unsigned value = from[i];
    int low = min(begin, n), high = min(begin + run, n);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (from[middle] < value || (from[middle] == value && other < own))
            low = middle + 1;
        else
            high = middle;
    }
    const int before = min(own, other) * run;
    to[before + (i - own * run) + (low - min(begin, n))] = value;
}

// Sorts runs of 256 by counting, with shared memory.
__global__ void sort_runs(unsigned *to, const unsigned *from, int n) {
    __shared__ unsigned tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    tile[t] = i < n ? from[i] : 0xffffffffu;
    __syncthreads();
    int rank = 0;
    for (int other = 0; other < 256; other++)
        rank += tile[other] < tile[t] || (tile[other] == tile[t] && other < t);
    const unsigned value = tile[t];
    if (blockIdx.x * 256 + rank < n)
        to[blockIdx.x * 256 + rank] = value;
}

static bool sort(int n) {
    std::vector<unsigned> host(n), out(n);
    unsigned state = 1, *a, *b;
    for (auto &key : host)
        key = next_random(state);
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
    sort_runs<<<(n + 255) / 256, 256>>>(b, a, n);
    std::swap(a, b);
    for (int run = 256; run < n; run *= 2, std::swap(a, b))
        merge_runs<<<(n + 255) / 256, 256>>>(b, a, n, run);
    cudaMemcpy(out.data(), a, n * 4, cudaMemcpyDeviceToHost);
    std::sort(host.begin(), host.end());
    return host == out;
}

__global__ void count(unsigned *bins, const unsigned *keys, int n, int each) {
    __shared__ unsigned own[1024];
    for (int b = threadIdx.x; b < 1024; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int e = 0; e < each; e++) {
        const int i = (blockIdx.x * each + e) * blockDim.x + threadIdx.x;
        if (i < n)
            atomicAdd(&own[keys[i] % 1024], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 1024; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

static bool histogram(int n, int rounds) {
    std::vector<unsigned> host((size_t)n), expected(1024), out(1024);
    unsigned state = 2, *keys, *bins;
    for (auto &key : host)
        expected[(key = next_random(state)) % 1024]++;
    cudaMalloc(&keys, n * 4ull);
    cudaMalloc(&bins, 4096);
    cudaMemset(bins, 0, 4096);
    cudaMemcpy(keys, host.data(), n * 4ull, cudaMemcpyHostToDevice);
    for (int again = 0; again < rounds; again++)
        count<<<(n + 256 * 32 - 1) / (256 * 32), 256>>>(bins, keys, n, 32);
    cudaMemcpy(out.data(), bins, 4096, cudaMemcpyDeviceToHost);
    for (auto &number : expected)
        number *= rounds;
    return out == expected;
}

// A warp a row; rows have 1 to 512 elements.
__global__ void multiply_rows(float *y, const int *rows, const int *columns, const float *values, const float *x, int n) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    float sum = 0;
    for (int e = rows[row] + lane; e < rows[row + 1]; e += 32)
        sum += values[e] * x[columns[e]];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0)
        y[row] = sum;
}

static bool sparse(int n, int rounds) {
    std::vector<int> rows(n + 1), columns;
    unsigned state = 3;
    for (int r = 0; r < n; r++) {
        const int length = 1 << next_random(state) % 10;
        for (int e = 0; e < length; e++)
            columns.push_back(next_random(state) % n);
        rows[r + 1] = (int)columns.size();
    }
    std::vector<float> values(columns.size(), 1), x(n), y(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 8);
    int *dr, *dc;
    float *dv, *dx, *dy;
    cudaMalloc(&dr, (n + 1) * 4);
    cudaMalloc(&dc, columns.size() * 4);
    cudaMalloc(&dv, columns.size() * 4);
    cudaMalloc(&dx, n * 4);
    cudaMalloc(&dy, n * 4);
    cudaMemcpy(dr, rows.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, columns.data(), columns.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, values.data(), columns.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    for (int again = 0; again < rounds; again++)
        multiply_rows<<<(n + 7) / 8, 256>>>(dy, dr, dc, dv, dx, n);
    cudaMemcpy(y.data(), dy, n * 4, cudaMemcpyDeviceToHost);
    for (int r = 0; r < n; r++) {
        float sum = 0;
        for (int e = rows[r]; e < rows[r + 1]; e++)
            sum += x[columns[e]];
        if (sum != y[r]) // small whole numbers
            return false;
    }
    return true;
}

__global__ void multiply(float *c, const float *a, const float *b, int n) {
    __shared__ float ta[32][32], tb[32][32];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int e = 0; e < 32; e++)
            sum += ta[threadIdx.y][e] * tb[e][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// The same of 64 x 64 elements, 4 x 4 of them by each thread: half of the loads for each product.
__global__ void multiply_blocked(float *c, const float *a, const float *b, int n) {
    __shared__ float ta[16][64], tb[16][64];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, column = blockIdx.x * 64, row = blockIdx.y * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < 4; i++) {
            ta[x][y + 16 * i] = a[(row + y + 16 * i) * n + k + x];
            tb[y][x + 16 * i] = b[(k + y) * n + column + x + 16 * i];
        }
        __syncthreads();
        for (int e = 0; e < 16; e++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += ta[e][y * 4 + i] * tb[e][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + y * 4 + i) * n + column + x + 16 * j] = sum[i][j];
}

static bool product(int n, int rounds, bool is_blocked) {
    n = (n + 63) / 64 * 64;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 3);
        b[i] = (float)(i % 2);
    }
    float *da, *db, *dc;
    cudaMalloc(&da, n * n * 4);
    cudaMalloc(&db, n * n * 4);
    cudaMalloc(&dc, n * n * 4);
    cudaMemcpy(da, a.data(), n * n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * n * 4, cudaMemcpyHostToDevice);
    for (int again = 0; again < rounds; again++)
        if (is_blocked)
            multiply_blocked<<<dim3(n / 64, n / 64), 256>>>(dc, da, db, n);
        else
            multiply<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(dc, da, db, n);
    cudaMemcpy(c.data(), dc, n * n * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        const int at = (int)((long long)i * 7919 * 104729 % (n * n));
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[at / n * n + k] * b[k * n + at % n];
        if (sum != c[at])
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    const int size = argc > 2 ? atoi(argv[2]) : 0, rounds = argc > 3 ? atoi(argv[3]) : 1;
    const bool is_good = !strcmp(what, "sort")        ? sort(size)
                         : !strcmp(what, "histogram") ? histogram(size, rounds)
                         : !strcmp(what, "sparse")    ? sparse(size, rounds)
                         : !strcmp(what, "product")   ? product(size, rounds, false)
                         : !strcmp(what, "blocked")   ? product(size, rounds, true)
                                                      : false;
    printf("%s\n", is_good ? "PASS" : "FAIL");
    return !is_good;
}
