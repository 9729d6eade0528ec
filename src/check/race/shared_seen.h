// Inside the race checker: what a lane has seen of a word by a strong read or an atomic: a strong
// write that it read is ordered before what it does next, and so are atomics in between, each of
// which saw the one before.
#ifndef BANKRUN_CHECK_RACE_SHARED_SEEN_H
#define BANKRUN_CHECK_RACE_SHARED_SEEN_H

#include "check/race/shared_log.h"

// Of one lane and word: entries of the log from `first` up to `last`, and of that one, which is the
// atomic or read itself, lanes below `lane`. Empty where first > last.
struct shared_seen {
    size_t first, last;
    unsigned lane;
};

// Whether the visit's lane is ordered behind what a lane of the entry did.
bool shared_knows_entry(const struct shared_visit *visit, unsigned lane,
                        const struct shared_entry *entry, unsigned other);

// The log's last entry is the visit's.
struct shared_seen shared_seen_of(const struct shared_log *log, const struct shared_visit *visit,
                                  unsigned lane, uint32_t word, uint8_t bytes);
bool shared_has_seen(const struct shared_log *log, const struct shared_seen *seen,
                     const struct shared_entry *entry, unsigned other);

#endif
