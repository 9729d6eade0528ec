// Lanes that are off at both ends of shared memory, where what they would have lies before its
// first byte or behind its last one: elements of 1, 2, 4 and 8 bytes, loaded, stored and exchanged.
#include <cstdint>
#include <cstdio>

enum { THREADS = 96, BLOCKS = 8, ROUNDS = 6 };

// All of shared memory is the row: `before` threads have no element of it, and so many behind.
template <typename T> __global__ void edges(uint64_t *out, unsigned before) {
    extern __shared__ __align__(8) unsigned char memory[];
    T *row = (T *)memory;
    const unsigned t = threadIdx.x;
    const unsigned elements = THREADS - 2 * before, at = t - before;
    uint64_t sum = t + blockIdx.x;
    for (unsigned r = 0; r < ROUNDS; r++) {
        if (at < elements)
            row[(int)at] = (T)(sum * 3 + r);
        __syncthreads();
        if (t >= before + r && t < before + elements)
            sum = sum * 5 + row[(int)(at - r)];
        __syncthreads();
        if (t >= before && t + r < before + elements)
            row[(int)(at + r)] = (T)(sum + 7);
        __syncthreads();
        if (at < elements && (t & 3) != r % 4)
            sum ^= (uint64_t)row[(int)at] << 3;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

// Those that are on exchange, and their partners may be none of the row's.
__global__ void exchanges(uint64_t *out, unsigned before) {
    extern __shared__ __align__(8) unsigned char memory[];
    unsigned *row = (unsigned *)memory;
    const unsigned t = threadIdx.x;
    const unsigned elements = THREADS - 2 * before;
    uint64_t sum = t * 7 + blockIdx.x;
    if (t - before < elements)
        row[(int)(t - before)] = (unsigned)sum;
    __syncthreads();
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = t ^ distance;
        unsigned value = 0;
        if (other >= before && other < before + elements)
            value = row[(int)(other - before)];
        __syncthreads();
        sum = sum * 9 + value;
        if (other >= before && other < before + elements && (t & distance))
            row[(int)(other - before)] = (unsigned)(sum >> 2);
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

static void print(const char *name, const uint64_t *device) {
    static uint64_t all[BLOCKS * THREADS];
    cudaMemcpy(all, device, sizeof all, cudaMemcpyDeviceToHost);
    uint64_t sum = 0;
    for (uint64_t one : all)
        sum = sum * 31 + one;
    printf("%s: %016llx\n", name, (unsigned long long)sum);
}

template <typename T> static void run(const char *name, uint64_t *device) {
    for (unsigned before = 0; before < 48; before += 13) {
        edges<T><<<BLOCKS, THREADS, (THREADS - 2 * before) * sizeof(T)>>>(device, before);
        print(name, device);
    }
}

int main() {
    uint64_t *device;
    cudaMalloc(&device, BLOCKS * THREADS * sizeof *device);
    run<uint8_t>("1 byte", device);
    run<uint16_t>("2 bytes", device);
    run<uint32_t>("4 bytes", device);
    run<uint64_t>("8 bytes", device);
    for (unsigned before = 0; before < 48; before += 13) {
        exchanges<<<BLOCKS, THREADS, (THREADS - 2 * before) * 4>>>(device, before);
        print("exchanged", device);
    }
    return cudaDeviceSynchronize();
}
