// A full warp and words side by side: the same as shared_words.c does word by word, for eight of
// them at once and without branches. Vectors are spelt out: of loops over single words compilers
// make hardly any.
#include <string.h>

#include "check/race/shared_words.h"

#define INLINE static inline __attribute__((always_inline))

// Lanes of 1 << shift words each.
#define LANES ((uint32_t)WARP_LANES)

enum { BATCH = 8 };
typedef uint32_t batch __attribute__((vector_size(4 * BATCH)));
typedef uint32_t batch_anywhere __attribute__((vector_size(4 * BATCH), aligned(4), may_alias));

#define AT(array, word) (*(batch_anywhere *)&(array)[word])
#define SELECT(mask, a, b) (((batch)(mask) & (a)) | (~(batch)(mask) & (b)))
#define EACH_BATCH(i) for (uint32_t i = 0; i < LANES << shift; i += BATCH)

// Threads of a batch's words behind the first one's, and the bits of their lanes.
#define STEPS                                                                                      \
    { 0, 1 >> shift, 2 >> shift, 3 >> shift, 4 >> shift, 5 >> shift, 6 >> shift, 7 >> shift }
#define BITS                                                                                       \
    {                                                                                              \
        1u, 1u << (1 >> shift), 1u << (2 >> shift), 1u << (3 >> shift), 1u << (4 >> shift),        \
            1u << (5 >> shift), 1u << (6 >> shift), 1u << (7 >> shift)                             \
    }

// Not 0 where the warp does not know the words' writers.
#define STRANGE_WRITERS(words, v, word, own)                                                       \
    ((batch)(AT((words)->write_stamp, word) >                                                      \
             SELECT(AT((words)->write_thread, word) == (own), (batch){0} + CLOCK_END,              \
                    SELECT((AT((words)->write_thread, word) ^ (v)->thread) < LANES,                \
                           (batch){0} + (v)->warp_floor, (batch){0} + (v)->floor))))

#define IS_ANY(mask)                                                                               \
    (((mask)[0] | (mask)[1] | (mask)[2] | (mask)[3] | (mask)[4] | (mask)[5] | (mask)[6] |          \
      (mask)[7]) != 0)

INLINE bool all_read(const struct shared_words *words, const struct shared_visit *v, uint32_t first,
                     unsigned shift) {
    const batch steps = STEPS, bits = BITS, end_of_time = (batch){0} + CLOCK_END;
    const batch regular_end = (batch){0} + (v->is_regular ? CLOCK_END : 0);
    const batch warp_floor = (batch){0} + v->warp_floor;
    batch strange = {0};
    EACH_BATCH(i) {
        const batch stamp = AT(words->read_stamp, first + i);
        const batch is_same = (batch)(AT(words->read_lanes, first + i) == bits << (i >> shift)) |
                              (batch)(stamp == v->stamp);
        const batch own_end = SELECT(is_same, end_of_time, warp_floor);
        const batch end =
            SELECT(AT(words->read_warps, first + i) == v->warp_bit, own_end, regular_end);
        strange |= STRANGE_WRITERS(words, v, first + i, steps + (v->thread + (i >> shift)));
        strange |= (batch)(stamp > v->floor) & (batch)(stamp > end);
    }
    return !IS_ANY(strange);
}

INLINE void note_readers(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                         unsigned shift) {
    const batch bits = BITS;
    const uint32_t floor = v->floor, now = v->stamp, warp_bit = v->warp_bit;
    EACH_BATCH(i) {
        const batch stamp = AT(words->read_stamp, first + i);
        const batch warps = AT(words->read_warps, first + i);
        const batch lanes = AT(words->read_lanes, first + i);
        const batch is_same = (batch)(stamp == now) & (batch)(warps == warp_bit);
        AT(words->read_warps, first + i) = warp_bit | ((batch)(stamp > floor) & warps);
        AT(words->read_lanes, first + i) = bits << (i >> shift) | (lanes & is_same);
        AT(words->read_stamp, first + i) = (batch){0} + now;
    }
}

INLINE bool all_write(const struct shared_words *words, const struct shared_visit *v,
                      uint32_t first, unsigned shift) {
    const batch steps = STEPS, bits = BITS, end_of_time = (batch){0} + CLOCK_END;
    const batch floor = (batch){0} + v->floor, warp_floor = (batch){0} + v->warp_floor;
    batch strange = {0};
    EACH_BATCH(i) {
        const batch own_end = SELECT(AT(words->read_lanes, first + i) == bits << (i >> shift),
                                     end_of_time, warp_floor);
        const batch end = SELECT(AT(words->read_warps, first + i) == v->warp_bit, own_end, floor);
        strange |= STRANGE_WRITERS(words, v, first + i, steps + (v->thread + (i >> shift)));
        strange |= (batch)(AT(words->read_stamp, first + i) > end);
    }
    return !IS_ANY(strange);
}

INLINE void note_writers(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                         unsigned shift, const uint32_t *values) {
    const batch steps = STEPS;
    EACH_BATCH(i) {
        AT(words->write_stamp, first + i) = (batch){0} + v->stamp;
        AT(words->write_thread, first + i) = steps + (v->thread + (i >> shift));
        AT(words->write_instruction, first + i) = (batch){0} + v->instruction;
    }
    memcpy(words->write_value + first, values, sizeof *values * (LANES << shift));
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
