// The checker of synchronisation.
#include <stdlib.h>

#include "base/alloc.h"
#include "check/checker.h"
#include "check/sync/copies.h"

struct sync_worker {
    struct check_notes notes;
    struct sync_copies *copies;
};

struct sync_check {
    const struct check_launch *launch;
    struct event_observer observer;
    struct sync_worker *workers; // launch->workers of them
};

static void *worker_begin(void *context, unsigned worker) {
    struct sync_check *check = context;
    check->workers[worker].copies = sync_copies_create();
    return &check->workers[worker];
}

static void on_access(void *state, const struct event_access *event) {
    struct sync_worker *worker = state;
    sync_copies_access(worker->copies, event);
}

static void on_sync(void *state, const struct event_sync *event) {
    struct sync_worker *worker = state;
    sync_copies_sync(worker->copies, event, &worker->notes);
}

static void *begin(const struct check_launch *launch) {
    struct sync_check *check = base_alloc(sizeof *check);
    check->launch = launch;
    check->workers = base_alloc((launch->workers + 1) * sizeof *check->workers);
    check->observer = (struct event_observer){
        .context = check, .worker_begin = worker_begin, .access = on_access, .sync = on_sync};
    return check;
}

static const struct event_observer *observer(void *state) {
    return &((struct sync_check *)state)->observer;
}

static void end(void *state, struct profile_findings *findings) {
    struct sync_check *check = state;
    struct check_notes all = {0};
    for (unsigned i = 0; i < check->launch->workers; i++) {
        check_merge_notes(&all, &check->workers[i].notes);
        sync_copies_free(check->workers[i].copies);
    }
    check_push_notes(check->launch, PROFILE_CHECK_SYNC, &all, findings);
    check_free_notes(&all);
    free(check->workers);
    free(check);
}

const struct check_checker check_sync = {
    .check = PROFILE_CHECK_SYNC, .begin = begin, .observer = observer, .end = end};
