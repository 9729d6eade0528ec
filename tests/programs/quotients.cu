// Quotients and remainders of indices that grow or fall from lane to lane, by one divisor: within
// one quotient, over several, other ones than in the block before, where the index goes past zero
// and where it wraps.
#include <climits>
#include <cstdio>

static const int THREADS = 64, BLOCKS = 24; // of which native code runs the later ones alone

template <typename T> struct results { T quotients[THREADS], remainders[THREADS]; };

// Two blocks divide the same, and the next ones what mostly has another quotient.
static __host__ __device__ int moved(int block) {
    return block / 2 * 24;
}

template <typename T, int STRIDE> __global__ void divide(results<T> *out, T base, T divisor) {
    const int t = threadIdx.x;
    out[blockIdx.x].quotients[t] = (base + (T)(STRIDE * (t + moved(blockIdx.x)))) / divisor;
}

// By itself, or nvcc would make it of the quotient.
template <typename T, int STRIDE> __global__ void remain(results<T> *out, T base, T divisor) {
    const int t = threadIdx.x;
    out[blockIdx.x].remainders[t] = (base + (T)(STRIDE * (t + moved(blockIdx.x)))) % divisor;
}

template <typename T, int STRIDE> static int try_one(results<T> *out, T base, T divisor) {
    divide<T, STRIDE><<<BLOCKS, THREADS>>>(out, base, divisor);
    remain<T, STRIDE><<<BLOCKS, THREADS>>>(out, base, divisor);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int b = 0; b < BLOCKS; b++)
        for (int t = 0; t < THREADS; t++) {
            // Sums of signed numbers wrap on the device.
            const long long distance = STRIDE * (t + moved(b));
            const T index = (T)((unsigned long long)base + (unsigned long long)distance);
            wrong += out[b].quotients[t] != (T)(index / divisor) ||
                     out[b].remainders[t] != (T)(index % divisor);
        }
    if (wrong)
        printf("base %lld divisor %lld stride %d: %d wrong\n", (long long)base, (long long)divisor,
               STRIDE, wrong);
    return wrong;
}

template <typename T> static int try_all(const char *name, T greatest) {
    const T bases[] = {
        0, 5, 31, 1000, 4096, (T)-16, (T)-1000, (T)(greatest - 40), (T)(greatest / 2 - 7)};
    const T divisors[] = {1, 7, 32, 33, 64, 1000, 4096, (T)-7, (T)-64, greatest, (T)(greatest / 2)};
    results<T> *out;
    cudaMallocManaged((void **)&out, BLOCKS * sizeof *out);
    int wrong = 0, count = 0;
    for (T base : bases)
        for (T divisor : divisors) {
            wrong += try_one<T, 1>(out, base, divisor) + try_one<T, 4>(out, base, divisor) +
                     try_one<T, -1>(out, base, divisor) + try_one<T, -3>(out, base, divisor);
            count += 4;
        }
    cudaFree(out);
    printf("%s: %d pairs of launches, %d wrong\n", name, count, wrong);
    return wrong;
}

int main() {
    return try_all<int>("s32", INT_MAX) + try_all<unsigned>("u32", UINT_MAX) +
                   try_all<long long>("s64", LLONG_MAX) +
                   try_all<unsigned long long>("u64", ULLONG_MAX)
               ? 1
               : 0;
}
