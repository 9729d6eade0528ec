/* Requests whose lanes all go to different banks, the most frequent of those that lanes leave out:
 * they take one wavefront, whatever else is asked about them. Lane code for x86; elsewhere the
 * general way answers. */
#include "model.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx512f,popcnt"))) static bool is_once(const uint32_t *offsets,
                                                              unsigned width, uint32_t mask) {
    const __m512i *from = (const __m512i *)(const void *)offsets, one = _mm512_set1_epi32(1);
    const __m512i misaligned = _mm512_set1_epi32((int)width - 1);
    const __mmask16 lower = (__mmask16)mask, upper = (__mmask16)(mask >> 16);
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 1);
    if (_mm512_mask_test_epi32_mask(lower, low, misaligned) |
        _mm512_mask_test_epi32_mask(upper, high, misaligned))
        return false;
    /* A rotation counts modulo 32, as banks do. */
    __m512i used = _mm512_or_si512(_mm512_maskz_rolv_epi32(lower, one, _mm512_srli_epi32(low, 2)),
                                   _mm512_maskz_rolv_epi32(upper, one, _mm512_srli_epi32(high, 2)));
    uint32_t banks = (uint32_t)_mm512_reduce_or_epi32(used);
    return __builtin_popcount(banks) == __builtin_popcount(mask);
}

bool bankrun_is_once(const uint32_t *offsets, unsigned width, uint32_t mask) {
    return __builtin_cpu_supports("avx512f") && is_once(offsets, width, mask);
}

#else

bool bankrun_is_once(const uint32_t *offsets, unsigned width, uint32_t mask) {
    (void)offsets, (void)width, (void)mask;
    return false;
}

#endif
