// Inside the race checker: who accessed each word of a block's shared memory since its last
// barrier. Most words are plain: written by one thread and read by lanes of one warp, or by several
// warps that nothing but the next barrier orders. These are arrays, which a full warp looks through
// in a few vector instructions. So are words that nothing but atomics came to. Any other word has a
// list of groups, which says it exactly.
#ifndef BANKRUN_CHECK_RACE_SHARED_WORDS_H
#define BANKRUN_CHECK_RACE_SHARED_WORDS_H

#include "base/vec.h"
#include "check/race/clock.h"

// Strong ones are volatile, relaxed and stronger.
enum shared_class {
    SHARED_READ,
    SHARED_STRONG_READ,
    SHARED_WRITE,
    SHARED_STRONG_WRITE,
    SHARED_ATOMIC
};

static inline bool shared_is_read(unsigned class) {
    return class == SHARED_READ || class == SHARED_STRONG_READ;
}

static inline bool shared_is_write(unsigned class) {
    return class == SHARED_WRITE || class == SHARED_STRONG_WRITE;
}

// Whether two accesses are a race when nothing orders them.
bool shared_conflicts(enum shared_class a, enum shared_class b);

// Stamps that are none. A plain word's writer or reader has an asynchronous copy under way; is not
// one of the block's own threads, and has its stamp in `value`, or `lanes`; the word has groups,
// the number of which is `value`; atomics alone came to it, of which the stamp is `value`, and
// warps and lanes those of readers.
#define SHARED_PENDING (CLOCK_END + 1)
#define SHARED_STRANGER (CLOCK_END + 2)
#define SHARED_GROUPS (CLOCK_END + 3)
#define SHARED_ATOMICS (CLOCK_END + 4)

// A group's thread: reads, or atomics, by several warps of the block, whose bits are `lanes`.
#define SHARED_SEVERAL UINT32_MAX

struct shared_group {
    uint32_t thread; // the warp's first, of the domain; of extras its own, with lanes 1
    uint32_t lanes;
    uint32_t stamp, issue; // issue: of a copy; 0: it is none
    uint32_t instruction, value;
    uint8_t class, bytes; // bytes: of the word, a bit each
    bool is_pending;
};

struct shared_groups {
    struct shared_group *list;
    uint32_t count, capacity, word;
    bool is_mixed; // some are no atomics
};

struct shared_words {
    uint32_t count;
    uint32_t *write_stamp, *write_thread, *write_value, *write_instruction;
    uint32_t *read_stamp, *read_warps, *read_lanes;
    VEC(struct shared_groups) groups;
    VEC(uint32_t) unused; // of these
    bool has_stamps_left; // of no use to the next block: pending, strangers, groups
};

// Who accesses words now: lanes of one warp, or an extra.
struct shared_visit {
    struct clock *clock;
    uint32_t rank;   // of the block whose memory it is
    uint32_t thread; // of the warp's lane 0
    uint32_t extra;  // not 0: on its own, but sent by lane `sender`, whose knowledge counts
    unsigned sender;
    uint32_t stamp, issue, instruction;
    enum shared_class class;
    bool is_own; // the warp is the block's
    bool is_pending;
    // Set by shared_begin: own warps know all stamps of their block up to `floor`, and of their
    // warp up to `warp_floor`.
    uint32_t floor, warp_floor, warp_bit;
    bool is_regular; // nothing but barriers of the whole block and of warps so far
    // Told of accesses that conflict and may not be ordered, before the word changes: of copies
    // that are under way one by one, of others once, with NULL. False: they are ordered, as
    // somebody knows who remembers more than groups of several warps do.
    bool (*conflict)(void *context, const struct shared_visit *visit, uint32_t word, uint8_t bytes,
                     uint32_t lanes, const struct shared_group *earlier);
    // May be NULL. The next one of the atomics on the word before this visit, by lanes of one warp;
    // `at` is 0 at first. False: there is no other.
    bool (*next_atomic)(void *context, const struct shared_visit *visit, uint32_t word, size_t *at,
                        struct shared_group *group);
    void *context;
};

void shared_words_init(struct shared_words *words, uint32_t bytes);
void shared_words_free(struct shared_words *words);
// For the next block: all stamps so far are below its clock's base.
void shared_words_clear(struct shared_words *words);

void shared_begin(struct shared_visit *visit);

// A full warp accesses plain words side by side, lane n the 1 << shift ones behind those before.
// `values`: what is written. False: nothing was done, as not all of it is that plain.
bool shared_quick_read(struct shared_words *words, const struct shared_visit *visit, uint32_t first,
                       unsigned shift);
bool shared_quick_write(struct shared_words *words, const struct shared_visit *visit,
                        uint32_t first, unsigned shift, const uint32_t *values);
// Lanes of the block's own warp change a word each by atomics, anywhere.
void shared_atomics(struct shared_words *words, const struct shared_visit *visit, uint32_t lanes,
                    const uint32_t *offsets);
// Lanes access these bytes of one word.
void shared_access_word(struct shared_words *words, const struct shared_visit *visit, uint32_t word,
                        uint8_t bytes, uint32_t lanes, uint32_t value);
// The visit's copies that are under way there have ended, by the visit's stamp.
void shared_complete_word(struct shared_words *words, const struct shared_visit *visit,
                          uint32_t word, unsigned lane);

// Whether the visit's lane is ordered behind an access of the group.
bool shared_lane_knows(const struct shared_visit *visit, unsigned lane, uint32_t thread,
                       uint32_t lanes, uint32_t stamp);

#endif
