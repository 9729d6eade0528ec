#include "check/race/shared_seen.h"

bool shared_knows_entry(const struct shared_visit *v, unsigned lane, const struct shared_entry *e,
                        unsigned other) {
    return e->extra ? shared_lane_knows(v, lane, e->extra, 1, e->stamp)
                    : shared_lane_knows(v, lane, e->thread, 1u << other, e->stamp);
}

static bool is_own(const struct shared_visit *v, unsigned lane, const struct shared_entry *e,
                   unsigned other) {
    return !e->extra && !v->extra && e->thread == v->thread && other == lane;
}

// The last of these lanes that the visit's lane knows of; WARP_LANES: none. Lanes change a word one
// after the other.
static unsigned last_known(const struct shared_visit *v, unsigned lane,
                           const struct shared_entry *e, uint32_t lanes) {
    for (unsigned other = WARP_LANES; lanes && other-- > 0;)
        if (lanes >> other & 1 &&
            (is_own(v, lane, e, other) || shared_knows_entry(v, lane, e, other)))
            return other;
    return WARP_LANES;
}

// The first entry whose write is still there where entry `last` reads: atomics hand it on.
static size_t first_seen(const struct shared_log *log, size_t last, uint32_t word, uint8_t bytes) {
    for (size_t i = last; i-- > 0;) {
        const struct shared_entry *e = &log->entries.data[i];
        if (e->class != SHARED_WRITE && e->class != SHARED_STRONG_WRITE)
            continue;
        const uint32_t lanes = shared_log_lanes(log, e, word, bytes);
        if (lanes)
            return e->class == SHARED_STRONG_WRITE && !(lanes & (lanes - 1)) ? i : i + 1;
    }
    return 0;
}

struct shared_seen shared_seen_of(const struct shared_log *log, const struct shared_visit *v,
                                  unsigned lane, uint32_t word, uint8_t bytes) {
    for (size_t i = log->entries.length; i-- > 0;) {
        const struct shared_entry *e = &log->entries.data[i];
        if (e->class != SHARED_ATOMIC && e->class != SHARED_STRONG_READ)
            continue;
        const unsigned other = last_known(v, lane, e, shared_log_lanes(log, e, word, bytes));
        if (other < WARP_LANES)
            return (struct shared_seen){first_seen(log, i, word, bytes), i, other};
    }
    return (struct shared_seen){.first = 1};
}

bool shared_has_seen(const struct shared_log *log, const struct shared_seen *seen,
                     const struct shared_entry *e, unsigned other) {
    const size_t i = (size_t)(e - log->entries.data);
    return i >= seen->first && (i < seen->last || (i == seen->last && other < seen->lane));
}
