// Lane code that names vector instructions. Their header takes longer to compile than most files
// of lane code, so only those that need these functions include it.
#ifndef BANKRUN_SIM_LANES_VECTOR_H
#define BANKRUN_SIM_LANES_VECTOR_H

#include "sim/lanes/lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// What a comparison that holds leaves for lanes_signs: what is quickest to make of the machine's
// own masks. (All ones come by an instruction that waits for its register's last value.)
#if defined(__AVX512F__)
#define LANES_HOLDS INT32_MIN
#else
#define LANES_HOLDS (-1)
#endif

// Bit l of the result is the sign bit of v[l].
static inline uint32_t lanes_signs(const int32_t v[LANES]) {
    uint32_t bits = 0;
#if defined(__AVX512DQ__)
    bits = _mm512_movepi32_mask(_mm512_load_si512(v)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(v + 16)) << 16;
#elif defined(__AVX2__)
    for (int i = 0; i < LANES; i += 8)
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(v + i))) << i;
#elif defined(__SSE2__)
    for (int i = 0; i < LANES; i += 4)
        bits |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(v + i))) << i;
#else
    for (int l = 0; l < LANES; l++)
        bits |= ((uint32_t)v[l] >> 31) << l;
#endif
    return bits;
}

// Is lane n's value first + n * step, for all lanes? v is 64-byte aligned.
LANES_INLINE bool lanes_ramp_32(const uint32_t *v, uint32_t first, uint32_t step) {
#if defined(__AVX512F__)
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i ramp = _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)step));
    const __m512i low = _mm512_add_epi32(ramp, _mm512_set1_epi32((int)first));
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32((int)(16 * step)));
    return (_mm512_cmpneq_epi32_mask(_mm512_load_si512(v), low) |
            _mm512_cmpneq_epi32_mask(_mm512_load_si512(v + 16), high)) == 0;
#else
    uint32_t odd = 0;
    SIM_LANES
        odd |= v[l] ^ (first + (uint32_t)l * step);
    return odd == 0;
#endif
}

LANES_INLINE bool lanes_ramp_64(const uint64_t *v, uint64_t first, uint64_t step) {
#if defined(__AVX512F__)
    __mmask8 odd = 0;
    const __m512i next = _mm512_set1_epi64((long long)(8 * step));
    __m512i ramp = _mm512_add_epi64(_mm512_set_epi64((long long)(7 * step), (long long)(6 * step),
                                                     (long long)(5 * step), (long long)(4 * step),
                                                     (long long)(3 * step), (long long)(2 * step),
                                                     (long long)step, 0),
                                    _mm512_set1_epi64((long long)first));
    for (int l = 0; l < LANES; l += 8) {
        odd |= _mm512_cmpneq_epi64_mask(_mm512_load_si512(v + l), ramp);
        ramp = _mm512_add_epi64(ramp, next);
    }
    return odd == 0;
#else
    uint64_t odd = 0;
    SIM_LANES
        odd |= v[l] ^ (first + (uint64_t)l * step);
    return odd == 0;
#endif
}

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

LANES_INLINE bool vector_any(vector_int v) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v);
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    int32_t any = 0;
    for (int i = 0; i < VECTOR_LANES; i++)
        any |= v[i];
    return any;
#endif
}

// Where the mask is -1, one value, else another.
LANES_INLINE vector_int vector_pick(vector_int mask, vector_int then, vector_int otherwise) {
    return (then & mask) | (otherwise & ~mask);
}

#endif
