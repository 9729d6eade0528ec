// Steps from barrier to barrier that differ by numbers alone: native code makes them once, and
// reads the numbers where it was 3 in one step and 5 in the next. What differs here: factors of one
// lane and of all, distances of shifts and in shared and global memory, what lanes are compared
// with, which lanes part, and what they get then; and registers, as each step has some of its own.
#include <cstdio>

enum { THREADS = 96, STEPS = 7, BLOCKS = 16 };

struct step {
    unsigned factor, shift, ahead, least, mask, more;
};

static __device__ __host__ constexpr step step_of(unsigned s) {
    constexpr step all[STEPS] = {{3, 1, 1, 40, 1, 7},          {5, 9, 33, 7, 2, 0x10001},
                                 {7, 3, 2, 95, 8, 5},          {9, 30, 64, 1, 16, 0x7fffffff},
                                 {11, 5, 95, 33, 32, 1},       {13, 17, 31, 50, 64, 0xfffffffe},
                                 {0xfffffff1, 8, 17, 64, 4, 3}};
    return all[s];
}

static __device__ __host__ unsigned long long mix(unsigned long long sum, unsigned value,
                                                  step now) {
    return (sum ^ sum >> now.shift) * now.factor + value;
}

__global__ void steps(unsigned long long *out, unsigned scale) {
    __shared__ unsigned row[2 * THREADS];
    const unsigned t = threadIdx.x;
    unsigned long long sum = blockIdx.x;
    row[t] = t * scale + blockIdx.x;
    row[t + THREADS] = t ^ blockIdx.x;
    __syncthreads();
#pragma unroll
    for (unsigned s = 0; s < STEPS; s++) {
        const step now = step_of(s);
        const unsigned value = row[t + now.ahead];
        unsigned next = value * now.factor + now.more;
        if (t >= now.least)
            next ^= row[t] << now.shift;
        sum = mix(sum, next, now);
        out[((s + 1) * BLOCKS + blockIdx.x) * THREADS + t] = sum;
        __syncthreads();
        if (t & now.mask)
            row[t] = next + now.more;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

// Steps that exchange lanes, of words that are not moved part by part: each is another code.
__global__ void butterflies(unsigned long long *out) {
    __shared__ unsigned long long row[64];
    const unsigned t = threadIdx.x;
    row[t] = (unsigned long long)(t * t + blockIdx.x) << 20;
    __syncthreads();
#pragma unroll
    for (unsigned distance = 1; distance < 64; distance *= 2) {
        const unsigned long long other = row[t ^ distance];
        __syncthreads();
        row[t] = row[t] * 3 + other;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = row[t];
}

static unsigned long long expected[(STEPS + 1) * BLOCKS * THREADS],
    results[(STEPS + 1) * BLOCKS * THREADS];

static void expect(unsigned block, unsigned scale) {
    unsigned row[2 * THREADS], next[THREADS];
    unsigned long long sum[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        row[t] = t * scale + block;
        row[t + THREADS] = t ^ block;
        sum[t] = block;
    }
    for (unsigned s = 0; s < STEPS; s++) {
        const step now = step_of(s);
        for (unsigned t = 0; t < THREADS; t++) {
            next[t] = row[t + now.ahead] * now.factor + now.more;
            if (t >= now.least)
                next[t] ^= row[t] << now.shift;
            sum[t] = mix(sum[t], next[t], now);
            expected[((s + 1) * BLOCKS + block) * THREADS + t] = sum[t];
        }
        for (unsigned t = 0; t < THREADS; t++)
            if (t & now.mask)
                row[t] = next[t] + now.more;
    }
    for (unsigned t = 0; t < THREADS; t++)
        expected[block * THREADS + t] = sum[t];
}

static unsigned check_butterflies(void) {
    static unsigned long long sums[BLOCKS * 64];
    unsigned long long *device;
    unsigned wrong = 0;
    cudaMalloc(&device, sizeof sums);
    butterflies<<<BLOCKS, 64>>>(device);
    cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
    for (unsigned b = 0; b < BLOCKS; b++) {
        unsigned long long row[64], before[64];
        for (unsigned t = 0; t < 64; t++)
            row[t] = (unsigned long long)(t * t + b) << 20;
        for (unsigned distance = 1; distance < 64; distance *= 2) {
            for (unsigned t = 0; t < 64; t++)
                before[t] = row[t];
            for (unsigned t = 0; t < 64; t++)
                row[t] = before[t] * 3 + before[t ^ distance];
        }
        for (unsigned t = 0; t < 64; t++)
            wrong += sums[b * 64 + t] != row[t];
    }
    return wrong;
}

int main() {
    unsigned long long *device, hash = 0;
    unsigned wrong = 0;
    cudaMalloc(&device, sizeof results);
    steps<<<BLOCKS, THREADS>>>(device, 2654435761u);
    cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost);
    for (unsigned b = 0; b < BLOCKS; b++)
        expect(b, 2654435761u);
    for (unsigned i = 0; i < (STEPS + 1) * BLOCKS * THREADS; i++) {
        wrong += results[i] != expected[i];
        hash = hash * 31 + results[i];
    }
    wrong += check_butterflies();
    printf("%u wrong, %016llx\n", wrong, hash);
    return wrong != 0;
}
