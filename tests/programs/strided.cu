// Lanes that lie anywhere in global memory, so that what one block does comes again in others: at a
// distance that only the launch knows, by a table, some of them, and two of them at one place.
#include <cstdio>
#include <cuda_runtime.h>

const int THREADS = 64, BLOCKS = 96, ROUNDS = 40, PITCH = 52;

__global__ void rows(const float *a, float *sums, int pitch) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += a[row * pitch + i];
    sums[row] = sum;
}

__global__ void tables(const int *table, const int *a, int *out, int n) {
    const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        const int at = table[(t + i) % THREADS];
        sum += a[first + at];
        if (at & 4)
            sum ^= a[first + (at ^ 9)];
    }
    out[first + table[t]] = sum;
}

// Lanes 2n and 2n + 1 store the same to one place.
__global__ void pairs(const int *table, int *out, int n) {
    const int first = blockIdx.x * blockDim.x / 2;
    for (int i = 0; i < n; i++)
        out[first + table[threadIdx.x] / 2] = blockIdx.x * n + i;
}

int main() {
    float *a, *sums;
    int *table, *b, *out;
    const int n = THREADS * BLOCKS;
    cudaMallocManaged(&a, (n * PITCH) * sizeof *a);
    cudaMallocManaged(&sums, n * sizeof *sums);
    cudaMallocManaged(&table, THREADS * sizeof *table);
    cudaMallocManaged(&b, n * sizeof *b);
    cudaMallocManaged(&out, n * sizeof *out);
    for (int i = 0; i < n * PITCH; i++)
        a[i] = i % 17;
    for (int i = 0; i < n; i++)
        b[i] = i * 7 % 61;
    for (int i = 0; i < THREADS; i++)
        table[i] = (i & 32) | (i * 13 & 31);
    unsigned wrong = 0, hash = 0;
    rows<<<BLOCKS, THREADS>>>(a, sums, PITCH);
    cudaDeviceSynchronize();
    for (int r = 0; r < n; r++) {
        float sum = 0;
        for (int i = 0; i < ROUNDS; i++)
            sum += a[r * PITCH + i];
        wrong += sum != sums[r];
    }
    tables<<<BLOCKS, THREADS>>>(table, b, out, ROUNDS);
    cudaDeviceSynchronize();
    for (int r = 0; r < n; r++) {
        const int first = r / THREADS * THREADS;
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            const int at = table[(r % THREADS + i) % THREADS];
            sum += b[first + at];
            if (at & 4)
                sum ^= b[first + (at ^ 9)];
        }
        wrong += sum != out[first + table[r % THREADS]];
    }
    for (int i = 0; i < THREADS; i++)
        table[i] = i * 5 % THREADS;
    pairs<<<BLOCKS, THREADS>>>(table, out, ROUNDS);
    cudaDeviceSynchronize();
    for (int i = 0; i < n / 2; i++)
        wrong += out[i] != i / (THREADS / 2) * ROUNDS + ROUNDS - 1;
    for (int i = 0; i < n; i++)
        hash = hash * 31 + (unsigned)sums[i] + (unsigned)out[i];
    printf("%u wrong, %08x\n", wrong, hash);
    return wrong != 0;
}
