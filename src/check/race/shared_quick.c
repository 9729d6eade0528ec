// A full warp and words side by side: the same as shared_words.c does word by word, for all of them
// at once. Loops without branches, which become vector code.
#include <string.h>

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
    const uint32_t *const read_stamp = words->read_stamp + first;
    const uint32_t *const read_warps = words->read_warps + first;
    const uint32_t *const read_lanes = words->read_lanes + first;
    const uint32_t regular_end = v->is_regular ? CLOCK_END : 0;
    const uint32_t floor = v->floor, warp_floor = v->warp_floor, warp_bit = v->warp_bit;
    const uint32_t now = v->stamp;
    uint32_t strange = 0;
    for (uint32_t i = 0; i < LANES << shift; i++) {
        const uint32_t stamp = read_stamp[i], warps = read_warps[i], lanes = read_lanes[i];
        const uint32_t is_same = (lanes == LANE(i)) | (stamp == now);
        const uint32_t own_end = is_same ? CLOCK_END : warp_floor;
        const uint32_t end = warps == warp_bit ? own_end : regular_end;
        strange |= strange_writer(words, v, first + i, THREAD(i));
        strange |= (stamp > floor) & (stamp > end);
    }
    return !strange;
}

// Arrays and the visit do not overlap, which vector code has to be told.
INLINE void note_readers(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                         unsigned shift) {
    uint32_t *restrict const read_warps = words->read_warps + first;
    uint32_t *restrict const read_lanes = words->read_lanes + first;
    uint32_t *restrict const read_stamp = words->read_stamp + first;
    const uint32_t floor = v->floor, now = v->stamp, warp_bit = v->warp_bit;
    for (uint32_t i = 0; i < LANES << shift; i++) {
        const uint32_t stamp = read_stamp[i], warps = read_warps[i], lanes = read_lanes[i];
        read_warps[i] = warp_bit | (stamp > floor ? warps : 0);
        const uint32_t same = -(uint32_t)((stamp == now) & (warps == warp_bit));
        read_lanes[i] = LANE(i) | (lanes & same);
        read_stamp[i] = now;
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
    uint32_t *restrict const write_stamp = words->write_stamp + first;
    uint32_t *restrict const write_thread = words->write_thread + first;
    uint32_t *restrict const write_instruction = words->write_instruction + first;
    const uint32_t stamp = v->stamp, thread = v->thread, instruction = v->instruction;
    for (uint32_t i = 0; i < LANES << shift; i++) {
        write_stamp[i] = stamp;
        write_thread[i] = thread + (i >> shift);
        write_instruction[i] = instruction;
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
