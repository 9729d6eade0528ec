// A full warp and words side by side: the same as shared_words.c does word by word, for all of them
// at once. Loops without branches, which become vector code.
#include "check/race/shared_words.h"

#define INLINE static inline __attribute__((always_inline))

// Lanes of 1 << shift words each.
#define LANES ((uint32_t)WARP_LANES)
#define THREAD(i) (v->thread + ((i) >> shift))
#define LANE(i) (1u << ((i) >> shift))

// Not 0 where the warp does not know the word's writer.
INLINE uint32_t strange_writer(const struct shared_words *words, const struct shared_visit *v,
                               uint32_t word, uint32_t thread) {
    const uint32_t stamp = words->write_stamp[word], writer = words->write_thread[word];
    const uint32_t warp_floor = (writer ^ v->thread) < WARP_LANES ? v->warp_floor : v->floor;
    const uint32_t known = writer == thread ? CLOCK_END : warp_floor;
    return stamp > known;
}

INLINE bool all_read(const struct shared_words *words, const struct shared_visit *v, uint32_t first,
                     unsigned shift) {
    const uint32_t regular_end = v->is_regular ? CLOCK_END : 0;
    uint32_t strange = 0;
    for (uint32_t i = 0; i < LANES << shift; i++) {
        const uint32_t word = first + i, stamp = words->read_stamp[word];
        const bool is_own = words->read_warps[word] == v->warp_bit;
        const bool is_same = words->read_lanes[word] == LANE(i) || stamp == v->stamp;
        const uint32_t own_end = is_same ? CLOCK_END : v->warp_floor;
        strange |= strange_writer(words, v, word, THREAD(i));
        strange |= (stamp > v->floor) & (stamp > (is_own ? own_end : regular_end));
    }
    return !strange;
}

INLINE void note_readers(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                         unsigned shift) {
    for (uint32_t i = 0; i < LANES << shift; i++) {
        const uint32_t word = first + i, stamp = words->read_stamp[word];
        const uint32_t warps = words->read_warps[word], lanes = words->read_lanes[word];
        words->read_warps[word] = v->warp_bit | (stamp > v->floor ? warps : 0);
        const uint32_t same = -(uint32_t)((stamp == v->stamp) & (warps == v->warp_bit));
        words->read_lanes[word] = LANE(i) | (lanes & same);
        words->read_stamp[word] = v->stamp;
    }
}

INLINE bool all_write(const struct shared_words *words, const struct shared_visit *v,
                      uint32_t first, unsigned shift) {
    uint32_t strange = 0;
    for (uint32_t i = 0; i < LANES << shift; i++) {
        const uint32_t word = first + i, stamp = words->read_stamp[word];
        const bool is_own = words->read_warps[word] == v->warp_bit;
        const uint32_t own_end = words->read_lanes[word] == LANE(i) ? CLOCK_END : v->warp_floor;
        strange |= strange_writer(words, v, word, THREAD(i));
        strange |= stamp > (is_own ? own_end : v->floor);
    }
    return !strange;
}

INLINE void note_writers(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                         unsigned shift, const uint32_t *values) {
    for (uint32_t i = 0; i < LANES << shift; i++) {
        words->write_stamp[first + i] = v->stamp;
        words->write_thread[first + i] = THREAD(i);
        words->write_value[first + i] = values[i];
        words->write_instruction[first + i] = v->instruction;
    }
}

#define EACH_SHIFT(call)                                                                           \
    switch (shift) {                                                                               \
    case 0:                                                                                        \
        call(0);                                                                                   \
        break;                                                                                     \
    case 1:                                                                                        \
        call(1);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        call(2);                                                                                   \
    }

INLINE bool read_any(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                     unsigned shift) {
#define READ(n)                                                                                    \
    if (!all_read(words, v, first, n))                                                             \
        return false;                                                                              \
    note_readers(words, v, first, n)
    EACH_SHIFT(READ)
    return true;
}

INLINE bool write_any(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                      unsigned shift, const uint32_t *values) {
#define WRITE(n)                                                                                   \
    if (!all_write(words, v, first, n))                                                            \
        return false;                                                                              \
    note_writers(words, v, first, n, values)
    EACH_SHIFT(WRITE)
    return true;
}

// ---- For what the processor has ------------------------------------------------------------

#if defined(__x86_64__) && defined(__GNUC__)
#define FOR(features, name)                                                                        \
    __attribute__((target(features))) static bool read_##name(struct shared_words *words,          \
                                                              const struct shared_visit *v,        \
                                                              uint32_t first, unsigned shift) {    \
        return read_any(words, v, first, shift);                                                   \
    }                                                                                              \
    __attribute__((target(features))) static bool write_##name(                                    \
        struct shared_words *words, const struct shared_visit *v, uint32_t first, unsigned shift,  \
        const uint32_t *values) {                                                                  \
        return write_any(words, v, first, shift, values);                                          \
    }
FOR("avx2", avx2)
FOR("avx512f,avx512vl", avx512)
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#define HAS_AVX512 (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
#else
#define HAS_AVX2 false
#define HAS_AVX512 false
#define read_avx2 read_any
#define read_avx512 read_any
#define write_avx2 write_any
#define write_avx512 write_any
#endif

static bool is_inside(const struct shared_words *words, uint32_t first, unsigned shift) {
    return words->count >= LANES << shift && first <= words->count - (LANES << shift);
}

bool shared_quick_read(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                       unsigned shift) {
    if (!is_inside(words, first, shift))
        return false;
    return HAS_AVX512 ? read_avx512(words, v, first, shift)
           : HAS_AVX2 ? read_avx2(words, v, first, shift)
                      : read_any(words, v, first, shift);
}

bool shared_quick_write(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                        unsigned shift, const uint32_t *values) {
    if (!is_inside(words, first, shift))
        return false;
    return HAS_AVX512 ? write_avx512(words, v, first, shift, values)
           : HAS_AVX2 ? write_avx2(words, v, first, shift, values)
                      : write_any(words, v, first, shift, values);
}
