// A permutation of 32 words by what the target has for it.
#ifndef BANKRUN_SIM_LANES_PERMUTE_H
#define BANKRUN_SIM_LANES_PERMUTE_H

#include <string.h>

#include "sim/lanes/lanes.h"

#ifdef __AVX2__
#include <immintrin.h>
enum { LANES_PERMUTE_IS_QUICK = true };
#else
enum { LANES_PERMUTE_IS_QUICK = false };
#endif

// d[l] = a[from[l]]; d may be a. All are 64-byte aligned; `on`: -1 for lanes that are on.
LANES_INLINE void lanes_permute(uint32_t *d, const uint32_t *a, const int32_t from[LANES],
                                const int32_t *on, bool full) {
#ifdef __AVX512F__
    const __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
    for (int l = 0; l < LANES; l += 16) {
        const __m512i index = _mm512_load_si512(from + l);
        const __m512i moved = _mm512_permutex2var_epi32(low, index, high);
        const __mmask16 mask =
            full ? 0xffff
                 : _mm512_cmplt_epi32_mask(_mm512_load_si512(on + l), _mm512_setzero_si512());
        _mm512_mask_store_epi32(d + l, mask, moved);
    }
#elif defined(__AVX2__)
    // One by one: of a loop GCC makes a copy by halves, and waits for them.
    const __m256i *all = (const __m256i *)(const void *)a;
    const __m256i part[4] = {_mm256_load_si256(all), _mm256_load_si256(all + 1),
                             _mm256_load_si256(all + 2), _mm256_load_si256(all + 3)};
    for (int l = 0; l < LANES; l += 8) {
        const __m256i index = _mm256_load_si256((const __m256i *)(const void *)(from + l));
        const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
        const __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 27));
        __m256 found[4];
        for (int i = 0; i < 4; i++)
            found[i] = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(part[i], index));
        const __m256 low = _mm256_blendv_ps(found[0], found[1], bit3);
        const __m256 high = _mm256_blendv_ps(found[2], found[3], bit3);
        const __m256i moved = _mm256_castps_si256(_mm256_blendv_ps(low, high, bit4));
        const __m256i mask = _mm256_load_si256((const __m256i *)(const void *)(on + l));
        if (full)
            _mm256_store_si256((__m256i *)(void *)(d + l), moved);
        else
            _mm256_maskstore_epi32((int *)(d + l), mask, moved);
    }
#else
    _Alignas(64) uint32_t held[LANES], moved[LANES];
    memcpy(held, a, sizeof held);
    for (int l = 0; l < LANES; l++)
        moved[l] = held[from[l]];
    SIM_LANES
        d[l] = full || on[l] ? moved[l] : d[l];
#endif
}

#endif
