// Random numbers, the same ones in every run.
#ifndef BANKRUN_TESTS_RANDOM_BITS_H
#define BANKRUN_TESTS_RANDOM_BITS_H

#include <stdint.h>

static inline uint64_t random_bits(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

#endif
