// Lanes that lie anywhere, for native code: by windows, or one by one. See struct compiled_links.
#include <stddef.h>
#include <string.h>

#include "sim/native/native_internal.h"

// ---- By windows ---------------------------------------------------------------------------------

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// Native code asks for windows where the processor permutes eight words.
#define TARGET __attribute__((target("avx2")))

_Static_assert(offsetof(struct native_shape, lanes) == 0, "distances are where a shape begins");

TARGET static bool load_windows(const uint8_t *from, const void *distances, uint8_t *values,
                                uint64_t windows) {
    const struct native_shape *shape = distances;
    if (!(windows & NATIVE_WINDOW_LOADS))
        return false;
    for (unsigned w = 0; w < LANES / NATIVE_WINDOW; w++) {
        const __m256i words =
            _mm256_load_si256((const __m256i *)(shape->words + w * NATIVE_WINDOW));
        const __m256i all = _mm256_loadu_si256((const __m256i *)(from + shape->windows[w]));
        _mm256_storeu_si256((__m256i *)values + w, _mm256_permutevar8x32_epi32(all, words));
    }
    return true;
}

TARGET static bool store_windows(uint8_t *from, const void *distances, const uint8_t *values,
                                 uint64_t windows) {
    const struct native_shape *shape = distances;
    if (!(windows & NATIVE_WINDOW_STORES))
        return false;
    for (unsigned w = 0; w < LANES / NATIVE_WINDOW; w++) {
        const __m256i lanes =
            _mm256_load_si256((const __m256i *)(shape->takers + w * NATIVE_WINDOW));
        const __m256i all = _mm256_loadu_si256((const __m256i *)values + w);
        _mm256_storeu_si256((__m256i *)(from + shape->windows[w]),
                            _mm256_permutevar8x32_epi32(all, lanes));
    }
    return true;
}
#else
static bool load_windows(const uint8_t *from, const void *distances, uint8_t *values,
                         uint64_t windows) {
    (void)from, (void)distances, (void)values, (void)windows;
    return false;
}

static bool store_windows(uint8_t *from, const void *distances, const uint8_t *values,
                          uint64_t windows) {
    (void)from, (void)distances, (void)values, (void)windows;
    return false;
}
#endif

// ---- One by one ---------------------------------------------------------------------------------

// A copy of each element, of so many bytes that it is one instruction.
#define EACH(bytes, to, source)                                                                    \
    EACH_LANE(l, mask) {                                                                           \
        uint8_t *at = (uint8_t *)(uintptr_t)from + ((const int32_t *)distances)[l];                \
        for (uint32_t e = 0; e < (elements & 0xff); e++)                                           \
            memcpy(to, source, bytes);                                                             \
    }
#define PLACE(bytes) (at + e * (bytes))
#define VALUE(bytes) (values + (e * LANES + l) * (bytes))

void sim_native_load_lanes(const uint8_t *from, const void *distances, uint8_t *values,
                           uint32_t elements, uint32_t mask, uint64_t windows) {
    if (load_windows(from, distances, values, windows))
        return;
    switch (elements >> 8) {
    case 1:
        EACH(1, VALUE(1), PLACE(1))
        break;
    case 2:
        EACH(2, VALUE(2), PLACE(2))
        break;
    case 4:
        EACH(4, VALUE(4), PLACE(4))
        break;
    default:
        EACH(8, VALUE(8), PLACE(8))
    }
}

void sim_native_store_lanes(uint8_t *from, const void *distances, const uint8_t *values,
                            uint32_t elements, uint32_t mask, uint64_t windows) {
    if (store_windows(from, distances, values, windows))
        return;
    switch (elements >> 8) {
    case 1:
        EACH(1, PLACE(1), VALUE(1))
        break;
    case 2:
        EACH(2, PLACE(2), VALUE(2))
        break;
    case 4:
        EACH(4, PLACE(4), VALUE(4))
        break;
    default:
        EACH(8, PLACE(8), VALUE(8))
    }
}
