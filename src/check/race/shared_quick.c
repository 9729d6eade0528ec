// A full warp and words side by side: the same as shared_words.c does word by word, for all of them
// at once. Loops without branches, which become vector code.
#include "check/race/shared_words.h"

// Lanes of 1 << shift words each.
#define LANES ((uint32_t)WARP_LANES)
#define THREAD(i) (v->thread + ((i) >> shift))
#define LANE(i) (1u << ((i) >> shift))

// Not 0 where the warp does not know the word's writer.
static inline uint32_t strange_writer(const struct shared_words *words,
                                      const struct shared_visit *v, uint32_t word,
                                      uint32_t thread) {
    const uint32_t stamp = words->write_stamp[word], writer = words->write_thread[word];
    const uint32_t warp_floor = (writer ^ v->thread) < WARP_LANES ? v->warp_floor : v->floor;
    const uint32_t known = writer == thread ? CLOCK_END : warp_floor;
    return stamp > known;
}

static inline bool all_read(const struct shared_words *words, const struct shared_visit *v,
                            uint32_t first, unsigned shift) {
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

static inline void note_readers(struct shared_words *words, const struct shared_visit *v,
                                uint32_t first, unsigned shift) {
    for (uint32_t i = 0; i < LANES << shift; i++) {
        const uint32_t word = first + i, stamp = words->read_stamp[word];
        const uint32_t warps = words->read_warps[word], lanes = words->read_lanes[word];
        words->read_warps[word] = v->warp_bit | (stamp > v->floor ? warps : 0);
        const uint32_t same = -(uint32_t)((stamp == v->stamp) & (warps == v->warp_bit));
        words->read_lanes[word] = LANE(i) | (lanes & same);
        words->read_stamp[word] = v->stamp;
    }
}

static inline bool all_write(const struct shared_words *words, const struct shared_visit *v,
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

static inline void note_writers(struct shared_words *words, const struct shared_visit *v,
                                uint32_t first, unsigned shift, const uint32_t *values) {
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

bool shared_quick_read(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                       unsigned shift) {
    if (words->count < LANES << shift || first > words->count - (LANES << shift))
        return false;
#define READ(n)                                                                                    \
    if (!all_read(words, v, first, n))                                                             \
        return false;                                                                              \
    note_readers(words, v, first, n)
    EACH_SHIFT(READ)
    return true;
}

bool shared_quick_write(struct shared_words *words, const struct shared_visit *v, uint32_t first,
                        unsigned shift, const uint32_t *values) {
    if (words->count < LANES << shift || first > words->count - (LANES << shift))
        return false;
#define WRITE(n)                                                                                   \
    if (!all_write(words, v, first, n))                                                            \
        return false;                                                                              \
    note_writers(words, v, first, n, values)
    EACH_SHIFT(WRITE)
    return true;
}
