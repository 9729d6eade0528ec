// Vectors of halves, each in 32 bits with zeros above, and of the floats they become.
#ifndef BANKRUN_SIM_LANES_OP_HALF_VECTOR_H
#define BANKRUN_SIM_LANES_OP_HALF_VECTOR_H

#include "sim/lanes/op/half.h"
#include "sim/lanes/vector.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

// A NaN may become a quiet one, which no instruction shows. To nearest even; overflow gives
// infinity.
#if defined(__AVX512F__)
LANES_INLINE vector_float f16_widen(vector_int h) {
    return (vector_float)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)h));
}
LANES_INLINE vector_int f16_narrow(vector_float x) {
    const __m256i packed = _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT);
    const vector_int h = (vector_int)_mm512_cvtepu16_epi32(packed);
    return vector_pick(x == x, h, vector_all(HALF_NAN));
}
#elif defined(__F16C__) && defined(__AVX2__)
LANES_INLINE vector_float f16_widen(vector_int h) {
    const __m128i low = _mm256_castsi256_si128((__m256i)h);
    const __m128i high = _mm256_extracti128_si256((__m256i)h, 1);
    return (vector_float)_mm256_cvtph_ps(_mm_packus_epi32(low, high));
}
LANES_INLINE vector_int f16_narrow(vector_float x) {
    const __m128i packed = _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT);
    const vector_int h = (vector_int)_mm256_cvtepu16_epi32(packed);
    return vector_pick(x == x, h, vector_all(HALF_NAN));
}
#else
// As number/half.h has it.
LANES_INLINE vector_float f16_widen(vector_int h) {
    const vector_int rest = h & 0x7fff, shifted = rest << 13;
    const vector_float small = (vector_float)(shifted + 0x38800000) - 0x1p-14f;
    const vector_int large = shifted + 0x38000000 + ((rest > 0x7bff) & 0x38000000);
    const vector_int bits = vector_pick(rest < 0x400, (vector_int)small, large);
    return (vector_float)(bits | (h & 0x8000) << 16);
}
LANES_INLINE vector_int f16_narrow(vector_float x) {
    const vector_int bits = (vector_int)x, rest = bits & 0x7fffffff;
    const vector_int normal = (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13;
    const vector_int is_small = rest < 0x38800000;
    const vector_int small = (vector_int)((vector_float)(rest & is_small) + 0.5f) - 0x3f000000;
    const vector_int finite = vector_pick(is_small, small, normal);
    const vector_int r = vector_pick(rest > 0x477fffff, vector_all(0x7c00), finite);
    const vector_int number = r | (bits >> 16 & 0x8000);
    return vector_pick(rest > 0x7f800000, vector_all(HALF_NAN), number);
}
#endif

LANES_INLINE vector_float bf16_widen(vector_int h) {
    return (vector_float)(h << 16);
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

LANES_INLINE vector_int f16_flush_vector(vector_int h) {
    return vector_pick((h & 0x7c00) == 0, h & 0x8000, h);
}

#endif
