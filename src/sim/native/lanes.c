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

#define ALWAYS __attribute__((always_inline)) static inline

ALWAYS void move(uint8_t *at, uint8_t *value, uint32_t bytes, bool is_load) {
    memcpy(is_load ? value : at, is_load ? at : value, bytes); // one instruction
}

// Mostly all lanes have one element each.
ALWAYS void move_lanes(uint8_t *from, const int32_t *distances, uint8_t *values, uint32_t count,
                       uint32_t mask, uint32_t bytes, bool is_load) {
    if (mask == EVENT_ALL_LANES && count == 1) {
        for (uint32_t l = 0; l < LANES; l++)
            move(from + distances[l], values + l * bytes, bytes, is_load);
        return;
    }
    EACH_LANE(l, mask) {
        for (uint32_t e = 0; e < count; e++)
            move(from + distances[l] + e * bytes, values + (e * LANES + l) * bytes, bytes, is_load);
    }
}

ALWAYS void move_elements(uint8_t *from, const int32_t *distances, uint8_t *values,
                          uint32_t elements, uint32_t mask, bool is_load) {
    const uint32_t count = elements & 0xff;
    switch (elements >> 8) {
    case 1:
        move_lanes(from, distances, values, count, mask, 1, is_load);
        break;
    case 2:
        move_lanes(from, distances, values, count, mask, 2, is_load);
        break;
    case 4:
        move_lanes(from, distances, values, count, mask, 4, is_load);
        break;
    default:
        move_lanes(from, distances, values, count, mask, 8, is_load);
    }
}

void sim_native_load_lanes(const uint8_t *from, const void *distances, uint8_t *values,
                           uint32_t elements, uint32_t mask, uint64_t windows) {
    if (!load_windows(from, distances, values, windows))
        move_elements((uint8_t *)(uintptr_t)from, distances, values, elements, mask, true);
}

void sim_native_store_lanes(uint8_t *from, const void *distances, const uint8_t *values,
                            uint32_t elements, uint32_t mask, uint64_t windows) {
    if (!store_windows(from, distances, values, windows))
        move_elements(from, distances, (uint8_t *)(uintptr_t)values, elements, mask, false);
}
