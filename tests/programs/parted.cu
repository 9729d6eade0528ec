// Lanes that part at short branches, again and again, so that native code knows their accesses: each
// way's values, addresses of lanes that are off, stores of several lanes to one place, counts.
#include <cstdio>
#include <cstring>

enum { THREADS = 96, ROUNDS = 40, BLOCKS = 3, WORDS = BLOCKS * THREADS };

static __device__ __host__ unsigned scramble(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// One branch in another, with values that are written on one way, on both, and on none.
static __device__ __host__ unsigned nested(unsigned t, unsigned round, volatile unsigned *place) {
    unsigned once = t * 3, both = round, kept = t ^ round;
    const unsigned drawn = scramble(t * 64 + round);
    if (drawn & 1) {
        place[0] = drawn;
        both = drawn >> 3;
        if (drawn & 2) {
            once = place[0] + 1;
        } else if (drawn & 4) {
            place[0] += 5;
            both = place[0];
        }
        both += once;
    } else if (drawn & 8) {
        place[0] = drawn + 7;
        both = place[0] * 2;
    }
    return once + both * 5 + kept;
}

__global__ void nest(unsigned *out) {
    __shared__ unsigned mine[THREADS];
    unsigned sum = 0;
    const unsigned t = threadIdx.x + blockIdx.x * THREADS;
    mine[threadIdx.x] = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        sum = sum * 17 + nested(t, round, &mine[threadIdx.x]);
    out[t] = sum;
}

// Some lanes' neighbours do not exist; what they would have as address lies outside.
__global__ void edges(const unsigned *in, unsigned *out) {
    __shared__ unsigned row[THREADS];
    const unsigned t = threadIdx.x, at = t + blockIdx.x * THREADS;
    row[t] = in[at];
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned sum = row[t];
        if (t > 0)
            sum += row[t - 1] * 3;
        if (t + 1 < THREADS)
            sum += row[t + 1] * 5;
        if (at > 0 && at + 1 < WORDS)
            sum += in[at - 1] ^ in[at + 1];
        __syncthreads();
        row[t] = sum;
        __syncthreads();
    }
    out[at] = row[t];
}

// Lanes that store to one place: which of them wins.
__global__ void winners(unsigned *out) {
    __shared__ unsigned one;
    __shared__ uint2 two;
    __shared__ uint4 four;
    const unsigned t = threadIdx.x;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned drawn = scramble(t * 64 + round);
        if (t == 0) {
            one = 0;
            two = make_uint2(0, 0);
            four = make_uint4(0, 0, 0, 0);
        }
        __syncwarp();
        if (drawn % 3 == 0) {
            *(volatile unsigned *)&one = t + 1;
            two = make_uint2(t + 1, t + 2);
            four = make_uint4(t + 1, t + 2, t + 3, t + 4);
        }
        __syncwarp();
        if (t % 4 == 1)
            out[round * 32 + t] = one + two.x * 100 + two.y * 10000 + four.w * 1000000;
    }
}

// Several elements a lane, at distances, bytes, atomics, both ends of a condition in two parts.
__global__ void shapes(unsigned *out) {
    __shared__ float4 wide[32];
    __shared__ unsigned spread[96], bins[8];
    __shared__ unsigned char bytes[128];
    const unsigned t = threadIdx.x;
    float sum = 0;
    wide[t] = make_float4((float)t, 1, 2, 3);
    spread[t] = spread[t + 32] = spread[t + 64] = t;
    bytes[t] = bytes[t + 32] = bytes[t + 64] = bytes[t + 96] = (unsigned char)t;
    if (t < 8)
        bins[t] = 0;
    __syncwarp();
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned drawn = scramble(t * 64 + round), far = (t * 3 + round) % 96;
        if (drawn & 1 || (drawn & 6) == 4) {
            const float4 v = wide[t];
            wide[t] = make_float4(v.y, v.z, v.w, v.x + 1);
            sum += v.x;
        }
        if (drawn & 16 && t != round % 32)
            spread[far] += drawn >> 28;
        if (drawn & 32) {
            bytes[t * 4] += (unsigned char)round;
            atomicAdd(&bins[drawn >> 8 & 7], 1);
        } else {
            atomicAdd(&bins[t & 7], drawn & 0xff00);
            sum += (float)bytes[t];
        }
        __syncwarp();
    }
    out[t] = (unsigned)sum + spread[t] * 7 + spread[t + 32] * 11 + bytes[t * 4] * 13 + bins[t & 7];
}

// The same accesses by all lanes and by some, in patterns that change and come back.
__global__ void turns(unsigned *out) {
    __shared__ unsigned table[THREADS / 32][32 * 8];
    unsigned *mine = table[threadIdx.x / 32];
    const unsigned t = threadIdx.x % 32;
    unsigned sum = 0;
    for (unsigned i = t; i < 32 * 8; i += 32)
        mine[i] = i;
    __syncwarp();
#pragma unroll 1
    for (unsigned round = 0; round < ROUNDS * 4; round++) {
        const unsigned step = 1 + round / 16 % 8, drawn = scramble(threadIdx.x * 512 + round / 16);
        if ((round / 8 | drawn) & 1) {
            sum += mine[t * step];
            mine[t * step] = sum;
        }
        __syncwarp();
    }
    out[threadIdx.x + blockIdx.x * THREADS] = sum;
}

static unsigned *managed(size_t words) {
    unsigned *at;
    cudaMallocManaged(&at, words * sizeof *at);
    memset(at, 0, words * sizeof *at);
    return at;
}

static void check(const char *name, bool good) {
    printf("%s: %s\n", name, good ? "PASS" : "FAIL");
}

static unsigned expected_winner(unsigned round, unsigned group) {
    for (unsigned first = 32 - group;; first -= group) {
        for (unsigned t = first; t < first + group; t++)
            if (scramble(t * 64 + round) % 3 == 0)
                return t + 1;
        if (!first)
            return 0;
    }
}

int main() {
    unsigned *in = managed(WORDS), *out = managed(WORDS + ROUNDS * 32);
    bool good = true;
    nest<<<BLOCKS, THREADS>>>(out);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < WORDS; t++) {
        unsigned place = 0, sum = 0;
        for (unsigned round = 0; round < ROUNDS; round++)
            sum = sum * 17 + nested(t, round, &place);
        good &= sum == out[t];
    }
    check("nest", good);

    for (unsigned i = 0; i < WORDS; i++)
        in[i] = scramble(i);
    edges<<<BLOCKS, THREADS>>>(in, out);
    cudaDeviceSynchronize();
    good = true;
    for (unsigned b = 0; b < BLOCKS; b++) {
        unsigned row[THREADS], next[THREADS];
        memcpy(row, in + b * THREADS, sizeof row);
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (unsigned t = 0; t < THREADS; t++) {
                const unsigned at = b * THREADS + t;
                next[t] = row[t] + (t ? row[t - 1] * 3 : 0) + (t + 1 < THREADS ? row[t + 1] * 5 : 0) +
                          (at && at + 1 < WORDS ? in[at - 1] ^ in[at + 1] : 0);
            }
            memcpy(row, next, sizeof row);
        }
        good &= !memcmp(row, out + b * THREADS, sizeof row);
    }
    check("edges", good);

    winners<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    good = true;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned one = expected_winner(round, 32), two = expected_winner(round, 16),
                       four = expected_winner(round, 8);
        for (unsigned t = 1; t < 32; t += 4)
            good &= out[round * 32 + t] == one + two * 100 + (two ? two + 1 : 0) * 10000 +
                                               (four ? four + 3 : 0) * 1000000;
    }
    check("winners", good);

    shapes<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    unsigned hash = 0;
    for (unsigned t = 0; t < 32; t++)
        hash = scramble(hash + out[t]);
    printf("shapes: %08x\n", hash);

    turns<<<BLOCKS, THREADS>>>(out);
    cudaDeviceSynchronize();
    good = true;
    for (unsigned w = 0; w < THREADS / 32; w++) {
        unsigned table[32 * 8], sums[32] = {0};
        for (unsigned i = 0; i < 32 * 8; i++)
            table[i] = i;
        for (unsigned round = 0; round < ROUNDS * 4; round++)
            for (unsigned t = 0; t < 32; t++) {
                const unsigned step = 1 + round / 16 % 8, at = t * step;
                const unsigned drawn = scramble((w * 32 + t) * 512 + round / 16);
                if (!((round / 8 | drawn) & 1))
                    continue;
                sums[t] += table[at];
                table[at] = sums[t];
            }
        for (unsigned b = 0; b < BLOCKS; b++)
            good &= !memcmp(sums, out + b * THREADS + w * 32, sizeof sums);
    }
    check("turns", good);
    return 0;
}
