#include "check/schedule/watch.h"

#include <stdlib.h>

#include "base/alloc.h"

struct check_watch {
    struct event_observer observer;
    size_t count;
    uint64_t low, high; // among the addresses
    uint64_t addresses[CHECK_MOST_DIFFERENT];
    struct check_write writes[CHECK_MOST_DIFFERENT];
};

static void note(struct check_write *write, const struct event_access *event, uint32_t lane,
                 uint64_t begin) {
    const bool is_atomic = event->intent == EVENT_ATOMIC;
    *write = (struct check_write){.is_known = true,
                                  .is_atomic = is_atomic,
                                  .is_only_atomic =
                                      is_atomic && (!write->is_known || write->is_only_atomic),
                                  .instruction = event->instruction,
                                  .thread = event->warp * WARP_LANES + lane,
                                  .block = event->block_number,
                                  .begin = begin};
}

static void look_at_lane(struct check_watch *watch, const struct event_access *event,
                         uint32_t lane) {
    const uint64_t begin = event->addresses[lane];
    const uint64_t bytes = event->bulk_bytes ? event->bulk_bytes : event->width;
    if (begin > watch->high || begin + bytes <= watch->low)
        return;
    for (size_t i = 0; i < watch->count; i++)
        if (watch->addresses[i] - begin < bytes)
            note(&watch->writes[i], event, lane, begin);
}

static void on_access(void *state, const struct event_access *event) {
    if (event->space != SITE_GLOBAL || event->intent == EVENT_READ)
        return;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        if (event->mask >> lane & 1)
            look_at_lane(state, event, lane);
}

static void *worker_begin(void *context, unsigned worker) {
    (void)worker;
    return context;
}

struct check_watch *check_watch_begin(const struct check_different *different, size_t count) {
    struct check_watch *watch = base_alloc(sizeof *watch);
    watch->observer = (struct event_observer){
        .context = watch, .worker_begin = worker_begin, .access = on_access, .wants_unsited = true};
    watch->count = count;
    watch->low = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t address = watch->addresses[i] = different[i].address;
        watch->low = address < watch->low ? address : watch->low;
        watch->high = address > watch->high ? address : watch->high;
    }
    return watch;
}

const struct event_observer *check_watch_observer(const struct check_watch *watch) {
    return &watch->observer;
}

const struct check_write *check_watched(const struct check_watch *watch, size_t index) {
    return &watch->writes[index];
}

void check_watch_end(struct check_watch *watch) {
    free(watch);
}
