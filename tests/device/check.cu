// Checked accesses of every width, with lanes switched off, lanes that agree in pairs, loops and
// barriers. tests/cli/device_check.py holds the report of bankrun.cuh against the simulator's
// counts.
#include "bankrun.cuh"
#include <cstdio>

template <class T> __device__ T value_of(int i) {
    return T(i);
}
template <> __device__ float4 value_of(int i) {
    return make_float4(float(i), 0, 0, 0);
}

template <class T> __device__ int weight(T value) {
    return int(value);
}
__device__ inline int weight(float4 value) {
    return int(value.x + value.y + value.z + value.w);
}

template <class T> __global__ void strides(int *out) {
    alignas(16) __shared__ T array[64 * 4];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 4; i += blockDim.x)
        array[i] = value_of<T>(i);
    __syncthreads();
    int stride = blockIdx.x % 4 + 1;
    T one = BANKRUN_CHECK(array[t * stride % 256]);
    T two = CUT_BANK_CHECKER(array, t / 2);
    T three = one;
    if (t % 3 == 1)
        three = BANKRUN_CHECK(array[t / 4 * 8 + t % 2]);
    __syncthreads();
    BANKRUN_CHECK(array[t * stride % 256]) = two;
    __syncthreads();
    if (weight(one) + weight(three) > 1 << 20) // never, but then the loads count
        out[blockIdx.x] = 0;
}

__global__ void column(int *out, int rounds) {
    __shared__ int tile[32][32];
    BANKRUN_DYNAMIC_SHARED(int, padded);
    int t = threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        BANKRUN_CHECK(tile[t][round]) = t;
        BANKRUN_CHECK(padded[t * 33 + round]) = t;
        __syncthreads();
        BANKRUN_CHECK(tile[round][t]) +=
            2 * BANKRUN_CHECK(padded[round * 33 + (t + round) % rounds]);
        __syncthreads();
    }
    out[blockIdx.x * 32 + t] = tile[0][t];
}

// Sums that are right only if the checked accesses do what the plain ones do.
__global__ void reduce(int *out) {
    __shared__ int sums[128];
    int t = threadIdx.x;
    BANKRUN_CHECK(sums[t]) = t + 1;
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        int at = 2 * step * t;
        if (at < 128)
            BANKRUN_CHECK(sums[at]) += BANKRUN_CHECK(sums[at + step]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

int main() {
    int *out, sum = 0;
    if (cudaMalloc(&out, 64 * sizeof(int)) != cudaSuccess)
        return 1;
    BANKRUN_LAUNCH(strides<char>, 4, 64, 0, out);
    BANKRUN_LAUNCH(strides<short>, 4, 64, 0, out);
    BANKRUN_LAUNCH(strides<int>, 4, 64, 0, out);
    BANKRUN_LAUNCH(strides<double>, 4, 64, 0, out);
    BANKRUN_LAUNCH(strides<float4>, 4, 64, 0, out);
    BANKRUN_LAUNCH(column, 2, 32, 32 * 33 * sizeof(int), out, 8);
    BANKRUN_LAUNCH(reduce, 2, 128, 0, out);
    if (cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    printf("%s: %d\n", sum == 128 * 129 / 2 ? "PASS" : "FAIL", sum);
    bankrun_report();
    cudaFree(out);
    return sum == 128 * 129 / 2 ? 0 : 1;
}
