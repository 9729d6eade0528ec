// How many requests a second the bank model counts on one core: random words of a 48 KB array with
// all lanes, and a pattern that repeats. Prints one line each: name, millions a second.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bankrun/banks.h"

enum { PATTERNS = 4096, ROUNDS = 7 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static uint32_t (*make_patterns(void))[BANKRUN_LANES] {
    uint32_t(*patterns)[BANKRUN_LANES] = malloc(sizeof *patterns * PATTERNS);
    uint64_t random = 1;
    for (unsigned p = 0; patterns && p < PATTERNS; p++)
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            patterns[p][lane] = next_random(&random) % 12288 * 4;
    return patterns;
}

// Requests a second, and the wavefronts so that nothing is left out.
static double run(uint32_t (*patterns)[BANKRUN_LANES], unsigned different, bool remembers,
                  uint64_t *wavefronts) {
    enum { REQUESTS = 1 << 20 };
    struct bankrun_memory memory = {0};
    struct bankrun_cost cost = {0};
    double start = now();
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct bankrun_request request = {BANKRUN_LOAD, 4, 0, 0xffffffffu, patterns[i % different]};
        if (remembers)
            bankrun_count_again(90, &request, &memory, &cost);
        else
            bankrun_count(90, &request, &cost);
        *wavefronts += cost.wavefronts;
    }
    return REQUESTS / (now() - start);
}

static double best(uint32_t (*patterns)[BANKRUN_LANES], unsigned different, bool remembers,
                   uint64_t *wavefronts) {
    double most = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double rate = run(patterns, different, remembers, wavefronts);
        most = rate > most ? rate : most;
    }
    return most;
}

int main(void) {
    uint64_t wavefronts = 0;
    uint32_t(*patterns)[BANKRUN_LANES] = make_patterns();
    if (!patterns)
        return 1;
    printf("random 32-bit loads: %.1f million requests a second\n",
           best(patterns, PATTERNS, false, &wavefronts) / 1e6);
    printf("a repeated pattern: %.1f million requests a second\n",
           best(patterns, 1, true, &wavefronts) / 1e6);
    printf("(%llu wavefronts)\n", (unsigned long long)wavefronts);
    free(patterns);
    return 0;
}
