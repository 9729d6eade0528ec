// Lanes that lie anywhere but near their neighbours: in rows of 16 and of 8, exchanged, turned
// round, several at one place, at the end of their array; and some lanes of a row, beside others
// that keep what they have.
#include <cstdio>
#include <cstring>

static const int WORDS = 256, BLOCKS = 16, ROUNDS = 8, STEP = 4;

enum what {
    LOAD_SHARED,
    LOAD_GLOBAL,
    STORE_SHARED,
    STORE_GLOBAL,
    STORE_SOME,
    STORE_SOME_FLIPPED,
    BOTH
};

__host__ __device__ static unsigned first_value(int word, int block) {
    return word * 2654435761u + block;
}

__host__ __device__ static bool is_on(int lane, int round) {
    return (0x9e3779b9u >> (lane + round) % 32) & 1;
}

template <what WHAT> __global__ void access(unsigned *out, unsigned *memory, const int *places) {
    __shared__ unsigned tile[WORDS];
    const int t = threadIdx.x, place = places[t];
    unsigned *own = memory + blockIdx.x * WORDS, sum = t;
    for (int i = t; i < WORDS; i += 32)
        tile[i] = own[i] = first_value(i, blockIdx.x);
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        const int at = place + round * STEP;
        if (WHAT == LOAD_SHARED)
            sum = sum * 5 + tile[at];
        if (WHAT == LOAD_GLOBAL)
            sum = sum * 5 + own[at];
        if (WHAT == STORE_SHARED)
            tile[at] = sum + round;
        if (WHAT == STORE_GLOBAL)
            own[at] = sum + round;
        if (WHAT == BOTH)
            tile[at] = tile[at] * 3 + own[at] + sum;
        if (WHAT == STORE_SOME && is_on(t, round))
            tile[t + round * STEP] = sum + round;
        if (WHAT == STORE_SOME_FLIPPED && is_on(t, round))
            tile[(t ^ 9) + round * 32] = sum + round;
        __syncthreads();
    }
    for (int i = t; i < WORDS; i += 32)
        own[i] ^= tile[i];
    out[blockIdx.x * 32 + t] = sum;
}

static void expect(what kind, const int *places, int block, unsigned *out, unsigned *own) {
    unsigned tile[WORDS];
    for (int i = 0; i < WORDS; i++)
        tile[i] = own[i] = first_value(i, block);
    for (int t = 0; t < 32; t++)
        out[t] = t;
    for (int round = 0; round < ROUNDS; round++)
        for (int t = 0; t < 32; t++) {
            const int at = places[t] + round * STEP;
            if (kind == LOAD_SHARED || kind == LOAD_GLOBAL)
                out[t] = out[t] * 5 + tile[at];
            if (kind == STORE_SHARED)
                tile[at] = out[t] + round;
            if (kind == STORE_GLOBAL)
                own[at] = out[t] + round;
            if (kind == BOTH)
                tile[at] = tile[at] * 3 + own[at] + out[t];
            if (kind == STORE_SOME && is_on(t, round))
                tile[t + round * STEP] = out[t] + round;
            if (kind == STORE_SOME_FLIPPED && is_on(t, round))
                tile[(t ^ 9) + round * 32] = out[t] + round;
        }
    for (int i = 0; i < WORDS; i++)
        own[i] ^= tile[i];
}

template <what WHAT> static int try_one(unsigned *out, unsigned *memory, const int *places) {
    unsigned sums[32], own[WORDS];
    access<WHAT><<<BLOCKS, 32>>>(out, memory, places);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int b = 0; b < BLOCKS; b++) {
        expect(WHAT, places, b, sums, own);
        wrong += memcmp(sums, out + b * 32, sizeof sums) != 0 ||
                 memcmp(own, memory + b * WORDS, sizeof own) != 0;
    }
    return wrong;
}

struct shape {
    const char *name;
    int (*place)(int lane);
    bool is_distinct;
};
static const shape shapes[] = {
    {"rows of 16", [](int l) { return l % 16 + l / 16 * 64; }, true},
    {"rows of 8", [](int l) { return l % 8 + l / 8 * 40; }, true},
    {"rows of 8, backwards", [](int l) { return l % 8 + (3 - l / 8) * 24; }, true},
    {"exchanged by 5", [](int l) { return 3 + (l ^ 5); }, true},
    {"exchanged by 24", [](int l) { return 100 + (l ^ 24); }, true},
    {"turned round", [](int l) { return 31 - l; }, true},
    {"turned in threes", [](int l) { return l / 8 * 8 + l * 3 % 8; }, true},
    {"halves, each at one place", [](int l) { return 8 + l / 16 * 4; }, false},
    {"pairs", [](int l) { return l / 2; }, false},
    {"at the end", [](int l) { return WORDS - STEP * (ROUNDS - 1) - 2 + l / 16; }, false},
    {"all but one at the end", [](int l) { return l ? WORDS - STEP * (ROUNDS - 1) - 1 : 0; },
     false},
    {"every other", [](int l) { return 2 * l; }, true},
    {"anywhere", [](int l) { return l * 37 % 200; }, true},
};

static int try_shape(const shape &shape, unsigned *out, unsigned *memory, int *places, int *tries) {
    int wrong = 0;
    for (int l = 0; l < 32; l++)
        places[l] = shape.place(l);
    wrong += try_one<LOAD_SHARED>(out, memory, places) + try_one<LOAD_GLOBAL>(out, memory, places);
    *tries += 2;
    if (shape.is_distinct) {
        wrong += try_one<STORE_SHARED>(out, memory, places) +
                 try_one<STORE_GLOBAL>(out, memory, places) + try_one<BOTH>(out, memory, places);
        *tries += 3;
    }
    if (wrong)
        printf("%s: %d blocks wrong\n", shape.name, wrong);
    return wrong;
}

int main() {
    unsigned *out, *memory;
    int *places, wrong = 0, tries = 0;
    cudaMallocManaged((void **)&out, BLOCKS * 32 * sizeof *out);
    cudaMallocManaged((void **)&memory, BLOCKS * WORDS * sizeof *memory);
    cudaMallocManaged((void **)&places, 32 * sizeof *places);
    for (const shape &shape : shapes)
        wrong += try_shape(shape, out, memory, places, &tries);
    const int some =
        try_one<STORE_SOME>(out, memory, places) + try_one<STORE_SOME_FLIPPED>(out, memory, places);
    printf("%d launches of whole warps, %d blocks wrong; of some lanes, %d wrong\n", tries, wrong,
           some);
    return wrong || some;
}
