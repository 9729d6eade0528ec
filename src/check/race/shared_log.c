#include "check/race/shared_log.h"

#include <string.h>

enum { MOST_ENTRIES = 1 << 14 };

void shared_log_clear(struct shared_log *log) {
    log->entries.length = log->numbers.length = 0;
}

void shared_log_free(struct shared_log *log) {
    vec_free(&log->entries);
    vec_free(&log->numbers);
}

static uint32_t keep_numbers(struct shared_log *log, const void *numbers, size_t bytes) {
    if (!numbers)
        return 0;
    const size_t at = log->numbers.length ? log->numbers.length : 1;
    const size_t end = at + (bytes + 3) / 4;
    vec_reserve(&log->numbers, end);
    memcpy(log->numbers.data + at, numbers, bytes);
    log->numbers.length = end;
    return (uint32_t)at;
}

bool shared_log_add(struct shared_log *log, const struct shared_visit *v,
                    const struct event_access *e, uint32_t lanes, const uint32_t *offsets,
                    const uint8_t *values) {
    const bool is_full = log->entries.length >= MOST_ENTRIES;
    if (is_full)
        shared_log_clear(log);
    struct shared_entry entry = {.instruction = v->instruction,
                                 .thread = v->thread,
                                 .extra = v->extra,
                                 .stamp = v->stamp,
                                 .issue = v->issue,
                                 .lanes = lanes,
                                 .first = offsets[__builtin_ctz(e->mask)],
                                 .bulk = (uint32_t)e->bulk_bytes,
                                 .class = v->class,
                                 .width = (uint8_t)e->width,
                                 .pattern = e->pattern};
    if (e->pieces)
        entry.offsets = keep_numbers(log, e->pieces, e->bulk_bytes / EVENT_PIECE * 4);
    else if (!e->bulk_bytes && e->pattern == EVENT_ANY_PATTERN)
        entry.offsets = keep_numbers(log, offsets, WARP_LANES * 4);
    entry.values = keep_numbers(log, values, (size_t)WARP_LANES * e->width);
    vec_push(&log->entries, entry);
    return !is_full;
}

static bool overlaps(uint32_t offset, uint32_t length, uint32_t word, uint8_t bytes) {
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1 && word * 4 + b - offset < length)
            return true;
    return false;
}

static uint32_t bulk_lanes(const struct shared_log *log, const struct shared_entry *e,
                           uint32_t word, uint8_t bytes) {
    if (!e->offsets)
        return overlaps(e->first, e->bulk, word, bytes) ? e->lanes : 0;
    for (uint32_t i = 0; i < e->bulk / EVENT_PIECE; i++)
        if (overlaps(log->numbers.data[e->offsets + i], EVENT_PIECE, word, bytes))
            return e->lanes;
    return 0;
}

static uint32_t offset_of(const struct shared_log *log, const struct shared_entry *e,
                          unsigned lane) {
    return e->offsets                    ? log->numbers.data[e->offsets + lane]
           : e->pattern == EVENT_UNIFORM ? e->first
                                         : e->first + lane * e->width;
}

uint32_t shared_log_lanes(const struct shared_log *log, const struct shared_entry *e, uint32_t word,
                          uint8_t bytes) {
    uint32_t found = 0;
    if (e->bulk)
        return bulk_lanes(log, e, word, bytes);
    if (e->pattern == EVENT_LINEAR &&
        word * 4 + 3 - e->first >= (uint32_t)WARP_LANES * e->width + 3)
        return 0;
    for (uint32_t rest = e->lanes; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        found |= (uint32_t)overlaps(offset_of(log, e, l), e->width, word, bytes) << l;
    }
    return found;
}

uint8_t shared_log_bytes(const struct shared_log *log, const struct shared_entry *e, unsigned lane,
                         uint32_t word) {
    uint8_t bytes = 0;
    for (unsigned b = 0; b < 4; b++)
        if (word * 4 + b - offset_of(log, e, lane) < e->width)
            bytes |= (uint8_t)(1u << b);
    return bytes;
}

const struct shared_entry *shared_log_own_write(const struct shared_log *log,
                                                const struct shared_entry *read, unsigned lane,
                                                uint32_t word, uint8_t bytes) {
    for (const struct shared_entry *e = read; e-- != log->entries.data;) {
        if (e->thread != read->thread || e->extra)
            continue;
        if (e->stamp != read->stamp)
            return NULL;
        if (shared_is_read(e->class) || !(shared_log_lanes(log, e, word, bytes) >> lane & 1))
            continue;
        return shared_is_write(e->class) ? e : NULL;
    }
    return NULL;
}

uint32_t shared_value(const uint8_t *bytes, uint32_t width, uint32_t offset, uint32_t word,
                      uint32_t *bits) {
    uint32_t value = 0;
    *bits = 0;
    for (unsigned b = 0; b < 4; b++) {
        const uint32_t at = word * 4 + b - offset;
        if (at >= width)
            continue;
        value |= (uint32_t)bytes[at] << 8 * b;
        *bits |= 0xffu << 8 * b;
    }
    return value;
}

bool shared_log_value(const struct shared_log *log, const struct shared_entry *e, unsigned lane,
                      uint32_t word, uint32_t *value, uint32_t *bits) {
    if (!e->values || e->bulk)
        return false;
    const uint8_t *values = (const uint8_t *)(log->numbers.data + e->values);
    *value = shared_value(values + (size_t)lane * e->width, e->width, offset_of(log, e, lane), word,
                          bits);
    return true;
}
