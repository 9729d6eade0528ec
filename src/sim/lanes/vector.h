// Lane code in vectors, by what compilers know of themselves: the header of intrinsics takes longer
// to compile than most files of lane code.
#ifndef BANKRUN_SIM_LANES_VECTOR_H
#define BANKRUN_SIM_LANES_VECTOR_H

#include "sim/lanes/lanes.h"

#ifdef __aarch64__
#include <arm_neon.h>
#endif

// Vectors as long as the target's, for code that is quicker written in vectors than found to be
// some. Comparisons of them give -1 or 0.
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { VECTOR_LANES = VECTOR_BYTES / 4 };
typedef int32_t vector_int __attribute__((vector_size(VECTOR_BYTES)));
typedef float vector_float __attribute__((vector_size(VECTOR_BYTES)));

LANES_INLINE vector_int vector_all(int32_t value) {
    return (vector_int){0} + value;
}

// Where the mask is -1, one value, else another.
LANES_INLINE vector_int vector_pick(vector_int mask, vector_int then, vector_int otherwise) {
    return (then & mask) | (otherwise & ~mask);
}

// Bit n of the result is the sign bit of v[n].
LANES_INLINE uint32_t vector_signs(vector_int v) {
#if defined(__AVX512DQ__)
    return (uint32_t)__builtin_ia32_cvtd2mask512(v);
#elif defined(__AVX2__)
    return (uint32_t)__builtin_ia32_movmskps256((vector_float)v);
#elif defined(__SSE2__)
    return (uint32_t)__builtin_ia32_movmskps((vector_float)v);
#elif defined(__aarch64__)
    // There is no such instruction: the signs, each moved to its place, are added up.
    const int32x4_t places = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32((uint32x4_t)v, 31), places));
#else
    uint32_t bits = 0;
    for (int n = 0; n < VECTOR_LANES; n++)
        bits |= ((uint32_t)v[n] >> 31) << n;
    return bits;
#endif
}

// What a comparison that holds leaves for lanes_signs: what is quickest to make of the machine's
// own masks. (All ones come by an instruction that waits for its register's last value.)
#if defined(__AVX512F__)
#define LANES_HOLDS INT32_MIN
#else
#define LANES_HOLDS (-1)
#endif

// Bit l of the result is the sign bit of v[l]. v is 64-byte aligned.
static inline uint32_t lanes_signs(const int32_t v[LANES]) {
    const vector_int *part = (const vector_int *)(const void *)v;
    uint32_t bits = 0;
    for (int i = 0; i < LANES / VECTOR_LANES; i++)
        bits |= vector_signs(part[i]) << i * VECTOR_LANES;
    return bits;
}

// Is lane n's value first + n * step, for all lanes? v is 64-byte aligned.
LANES_INLINE bool lanes_ramp_32(const uint32_t *v, uint32_t first, uint32_t step) {
#if defined(__AVX512F__)
    typedef uint32_t word __attribute__((vector_size(VECTOR_BYTES)));
    const word *part = (const word *)(const void *)v;
    const word numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const word low = numbers * step + first, high = low + 16 * step;
    enum { DIFFER = 4 };
    return (__builtin_ia32_cmpd512_mask((vector_int)part[0], (vector_int)low, DIFFER, 0xffff) |
            __builtin_ia32_cmpd512_mask((vector_int)part[1], (vector_int)high, DIFFER, 0xffff)) ==
           0;
#else
    uint32_t odd = 0;
    SIM_LANES
        odd |= v[l] ^ (first + (uint32_t)l * step);
    return odd == 0;
#endif
}

LANES_INLINE bool lanes_ramp_64(const uint64_t *v, uint64_t first, uint64_t step) {
#if defined(__AVX512F__)
    typedef uint64_t word __attribute__((vector_size(VECTOR_BYTES)));
    typedef long long number __attribute__((vector_size(VECTOR_BYTES)));
    const word *part = (const word *)(const void *)v;
    word ramp = {0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step};
    ramp += first;
    unsigned odd = 0;
    enum { DIFFER = 4 };
    for (int i = 0; i < LANES / 8; i++) {
        odd |= __builtin_ia32_cmpq512_mask((number)part[i], (number)ramp, DIFFER, 0xff);
        ramp += 8 * step;
    }
    return odd == 0;
#else
    uint64_t odd = 0;
    SIM_LANES
        odd |= v[l] ^ (first + (uint64_t)l * step);
    return odd == 0;
#endif
}

#endif
