// Inside the race checker: every access to a block's shared memory since its last barrier, to say
// of a word that is raced for which accesses do: all pairs, whatever the order in which warps ran.
#ifndef BANKRUN_CHECK_RACE_SHARED_LOG_H
#define BANKRUN_CHECK_RACE_SHARED_LOG_H

#include "check/race/shared_words.h"

struct shared_entry {
    uint32_t instruction, thread, extra, stamp, issue; // as of a visit
    uint32_t lanes;                                    // of an extra: those that sent it
    uint32_t first;           // offset of lane 0, or of the first lane that is on
    uint32_t offsets, values; // where they are in the log's numbers; 0: none
    uint32_t bulk;            // bytes of a copy; pieces of it are the offsets, if there are any
    uint8_t class, width, pattern;
};

struct shared_log {
    VEC(struct shared_entry) entries;
    VEC(uint32_t) numbers;
};

void shared_log_clear(struct shared_log *log);
void shared_log_free(struct shared_log *log);
// `offsets` as in the event; values: NULL: unknown. False: it was full, and what came before is
// forgotten.
bool shared_log_add(struct shared_log *log, const struct shared_visit *visit,
                    const struct event_access *event, uint32_t lanes, const uint32_t *offsets,
                    const uint8_t *values);
// Lanes of an entry that access any of these bytes of the word.
uint32_t shared_log_lanes(const struct shared_log *log, const struct shared_entry *entry,
                          uint32_t word, uint8_t bytes);
// Which bytes of the word a lane of an entry accesses that is no bulk copy.
uint8_t shared_log_bytes(const struct shared_log *log, const struct shared_entry *entry,
                         unsigned lane, uint32_t word);
// The last write of a lane to any of these bytes before it reads them, if it has synchronised with
// nobody since. NULL: none, or not a plain one.
const struct shared_entry *shared_log_own_write(const struct shared_log *log,
                                                const struct shared_entry *read, unsigned lane,
                                                uint32_t word, uint8_t bytes);
// Of a lane's bytes those that fall into the word, in their places; `bits`: which these are.
uint32_t shared_value(const uint8_t *bytes, uint32_t width, uint32_t offset, uint32_t word,
                      uint32_t *bits);
// What one of these lanes wrote to the word. False: it is not known.
bool shared_log_value(const struct shared_log *log, const struct shared_entry *entry, unsigned lane,
                      uint32_t word, uint32_t *value, uint32_t *bits);

#endif
