// Several observers of a launch.
#include "event/fanout.h"

#include <stdlib.h>

#include "base/alloc.h"

struct event_fanout {
    struct event_observer all;
    const struct event_observer **observers;
    unsigned count;
};

// Of one worker.
struct listeners {
    const struct event_fanout *fanout;
    void *states[];
};

static void *begin(void *context, unsigned worker) {
    const struct event_fanout *fanout = context;
    struct listeners *listeners =
        base_alloc(sizeof *listeners + fanout->count * sizeof listeners->states[0]);
    listeners->fanout = fanout;
    for (unsigned i = 0; i < fanout->count; i++) {
        const struct event_observer *observer = fanout->observers[i];
        if (observer->worker_begin)
            listeners->states[i] = observer->worker_begin(observer->context, worker);
    }
    return listeners;
}

static void access(void *state, const struct event_access *event) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->access && (event->site != EVENT_NONE || observer->wants_unsited))
            observer->access(listeners->states[i], event);
    }
}

static void copy(void *state, const struct event_access *event) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->copy)
            observer->copy(listeners->states[i], event);
    }
}

static void sync(void *state, const struct event_sync *event) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->sync)
            observer->sync(listeners->states[i], event);
    }
}

static void trouble(void *state, const struct event_trouble *event) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->trouble)
            observer->trouble(listeners->states[i], event);
    }
}

static void contention(void *state, uint32_t offset) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->contention)
            observer->contention(listeners->states[i], offset);
    }
}

static void undefined(void *state, const struct event_undefined *event) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->undefined)
            observer->undefined(listeners->states[i], event);
    }
}

static void piece_end(void *state) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->piece_end)
            observer->piece_end(listeners->states[i]);
    }
}

static void end(void *state) {
    struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->worker_end)
            observer->worker_end(listeners->states[i]);
    }
    free(listeners);
}

// Those of the only one that hands them out.
static struct event_memo **memos(void *state) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->access && observer->memos)
            return observer->memos(listeners->states[i]);
    }
    return NULL;
}

static struct event_journal *journal(void *state) {
    const struct listeners *listeners = state;
    for (unsigned i = 0; i < listeners->fanout->count; i++) {
        const struct event_observer *observer = listeners->fanout->observers[i];
        if (observer->access && observer->journal)
            return observer->journal(listeners->states[i]);
    }
    return NULL;
}

struct event_fanout *event_fanout_create(const struct event_observer *const *observers,
                                         unsigned count) {
    struct event_fanout *fanout = base_alloc(sizeof *fanout);
    fanout->observers = base_alloc((count + 1) * sizeof *fanout->observers);
    fanout->all = (struct event_observer){.context = fanout,
                                          .worker_begin = begin,
                                          .undefined = undefined,
                                          .piece_end = piece_end,
                                          .worker_end = end};
    fanout->all.spares_exchanges = fanout->all.spares_even_phases = true;
    unsigned hearing = 0, knowing = 0, reading = 0; // knowing: by memos; reading: a journal
    bool copies = false, syncs = false, troubles = false, contends = false;
    for (unsigned i = 0; i < count; i++) {
        if (!observers[i])
            continue;
        fanout->observers[fanout->count++] = observers[i];
        hearing += observers[i]->access != NULL;
        copies = copies || observers[i]->copy;
        syncs = syncs || observers[i]->sync;
        fanout->all.spares_exchanges &= !observers[i]->sync || observers[i]->spares_exchanges;
        fanout->all.spares_even_phases &= !observers[i]->sync || observers[i]->spares_even_phases;
        troubles = troubles || observers[i]->trouble;
        contends = contends || observers[i]->contention;
        knowing += observers[i]->access && observers[i]->memos;
        reading += observers[i]->access && observers[i]->journal;
        fanout->all.wants_unsited |= observers[i]->access && observers[i]->wants_unsited;
        fanout->all.wants_values |= observers[i]->access && observers[i]->wants_values;
    }
    fanout->all.access = hearing ? access : NULL;
    fanout->all.copy = copies ? copy : NULL;
    fanout->all.sync = syncs ? sync : NULL;
    fanout->all.trouble = troubles ? trouble : NULL;
    fanout->all.contention = contends ? contention : NULL;
    const bool agree = knowing <= 1 && reading <= 1 && knowing + reading == hearing;
    fanout->all.memos = agree && knowing ? memos : NULL;
    fanout->all.journal = agree && reading ? journal : NULL;
    return fanout;
}

const struct event_observer *event_fanout_observer(const struct event_fanout *fanout) {
    return fanout->count == 0 ? NULL : fanout->count == 1 ? fanout->observers[0] : &fanout->all;
}

void event_fanout_free(struct event_fanout *fanout) {
    free(fanout->observers);
    free(fanout);
}
