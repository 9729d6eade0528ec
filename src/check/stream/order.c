#include "check/stream/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

// Operations that the host never waits for are kept up to here; then the first are forgotten.
enum { MOST_KEPT = 2048 };

struct stream {
    enum check_stream_kind kind;
    unsigned device;
    bool is_live;
    uint32_t timeline;
    struct check_clock clock; // of its last operation and what it waits for
    VEC(uint32_t) branches;   // timelines
};

struct check_order {
    check_conflict_report *report;
    void *context;
    VEC(struct stream) streams;
    size_t live;
    bool is_parallel;
    VEC(uint32_t) counts; // operations so far, by timeline
    struct check_clock host;
    VEC(struct check_operation) kept; // those that the host has not waited for, as they came
};

static void drop_operation(struct check_operation *operation) {
    check_trace_free(&operation->trace);
    check_clock_free(&operation->clock);
    free(operation->what);
    free(operation->where);
}

struct check_order *check_order_create(check_conflict_report *report, void *context) {
    struct check_order *order = base_alloc(sizeof *order);
    order->report = report;
    order->context = context;
    return order;
}

void check_order_free(struct check_order *order) {
    if (!order)
        return;
    for (size_t i = 0; i < order->kept.length; i++)
        drop_operation(&order->kept.data[i]);
    for (size_t i = 0; i < order->streams.length; i++) {
        check_clock_free(&order->streams.data[i].clock);
        vec_free(&order->streams.data[i].branches);
    }
    vec_free(&order->kept);
    vec_free(&order->streams);
    vec_free(&order->counts);
    check_clock_free(&order->host);
    free(order);
}

// ---- Streams ----------------------------------------------------------------------------------

static uint32_t new_timeline(struct check_order *order) {
    vec_push(&order->counts, 0);
    return (uint32_t)order->counts.length - 1;
}

// All that is in the stream, the host has waited for: a new one may go on in its timelines.
static bool is_idle(const struct check_order *order, const struct stream *stream) {
    for (size_t i = 0; i < stream->clock.counts.length; i++) {
        const struct check_stamp last = {(uint32_t)i, stream->clock.counts.data[i]};
        if (last.count && !check_clock_knows(&order->host, last))
            return false;
    }
    return true;
}

static uint32_t find_free(struct check_order *order) {
    for (size_t i = 0; i < order->streams.length; i++)
        if (!order->streams.data[i].is_live && is_idle(order, &order->streams.data[i]))
            return (uint32_t)i;
    vec_push(&order->streams, (struct stream){.timeline = new_timeline(order)});
    return (uint32_t)order->streams.length - 1;
}

uint32_t check_order_add_stream(struct check_order *order, enum check_stream_kind kind,
                                unsigned device) {
    const uint32_t number = find_free(order);
    struct stream *stream = &order->streams.data[number];
    stream->kind = kind;
    stream->device = device;
    stream->is_live = true;
    order->is_parallel |= ++order->live > 1;
    return number;
}

void check_order_remove_stream(struct check_order *order, uint32_t stream) {
    order->live -= order->streams.data[stream].is_live;
    order->streams.data[stream].is_live = false;
}

bool check_order_is_parallel(const struct check_order *order) {
    return order->is_parallel;
}

enum check_stream_kind check_order_kind(const struct check_order *order, uint32_t stream) {
    return order->streams.data[stream].kind;
}

// The default stream and those that block wait for each other, also for what streams that went
// have left.
static bool waits_for(const struct stream *stream, const struct stream *other) {
    if (stream->device != other->device)
        return false;
    return (stream->kind == CHECK_STREAM_LEGACY && other->kind == CHECK_STREAM_BLOCKING) ||
           (stream->kind == CHECK_STREAM_BLOCKING && other->kind == CHECK_STREAM_LEGACY);
}

void check_order_enter(struct check_order *order, uint32_t number, struct check_clock *before) {
    struct stream *stream = &order->streams.data[number];
    for (size_t i = 0; i < order->streams.length; i++)
        if (waits_for(stream, &order->streams.data[i]))
            check_clock_join(&stream->clock, &order->streams.data[i].clock);
    check_clock_join(&stream->clock, &order->host);
    check_clock_copy(before, &stream->clock);
}

void check_order_wait(struct check_order *order, uint32_t stream, const struct check_clock *clock) {
    check_clock_join(&order->streams.data[stream].clock, clock);
}

// ---- Operations -------------------------------------------------------------------------------

static void forget(struct check_order *order, size_t at) {
    drop_operation(&order->kept.data[at]);
    order->kept.length--;
    memmove(&order->kept.data[at], &order->kept.data[at + 1],
            (order->kept.length - at) * sizeof *order->kept.data);
}

// Who conflicts with an operation conflicts with a later one of its timeline that touches the same,
// too: the later one is enough.
static void forget_like(struct check_order *order, const struct check_operation *operation) {
    for (size_t i = 0; i < order->kept.length; i++) {
        const struct check_operation *kept = &order->kept.data[i];
        if (kept->stamp.timeline == operation->stamp.timeline && kept->hash == operation->hash &&
            kept->kind == operation->kind &&
            check_footprint_equals(&kept->trace.footprint, &operation->trace.footprint)) {
            forget(order, i);
            return;
        }
    }
}

static bool is_before(const struct check_operation *earlier,
                      const struct check_operation *operation) {
    return check_clock_knows(&operation->clock, earlier->stamp);
}

// Flags in memory with fences, or ordered accesses, order operations as they do threads.
static void follow_flags(const struct check_order *order, struct check_operation *operation) {
    for (size_t i = 0; operation->trace.synchronises && i < order->kept.length; i++) {
        const struct check_operation *earlier = &order->kept.data[i];
        if (earlier->trace.synchronises && !is_before(earlier, operation) &&
            check_footprint_meets(&earlier->trace.footprint, &operation->trace.footprint))
            check_clock_join(&operation->clock, &earlier->clock);
    }
}

static void compare(const struct check_order *order, const struct check_operation *operation) {
    for (size_t i = 0; i < order->kept.length; i++) {
        const struct check_operation *earlier = &order->kept.data[i];
        if (is_before(earlier, operation))
            continue;
        const struct check_overlap overlap =
            check_footprint_conflict(&earlier->trace.footprint, &operation->trace.footprint);
        if (overlap.bytes)
            order->report(order->context, earlier, operation, &overlap);
    }
}

static const struct check_operation *run(struct check_order *order, uint32_t timeline,
                                         struct check_clock *before,
                                         struct check_operation *operation) {
    operation->stamp = (struct check_stamp){timeline, ++order->counts.data[timeline]};
    check_clock_copy(&operation->clock, before);
    check_clock_learn(&operation->clock, operation->stamp);
    follow_flags(order, operation);
    compare(order, operation);
    check_clock_copy(before, &operation->clock);
    const bool is_empty = check_footprint_is_empty(&operation->trace.footprint);
    if (is_empty) {
        drop_operation(operation);
    } else {
        operation->hash = check_footprint_hash(&operation->trace.footprint);
        forget_like(order, operation);
        if (order->kept.length == MOST_KEPT)
            forget(order, 0);
        vec_push(&order->kept, *operation);
    }
    *operation = (struct check_operation){0};
    return is_empty ? NULL : &order->kept.data[order->kept.length - 1];
}

const struct check_operation *check_order_run(struct check_order *order, uint32_t stream,
                                              struct check_clock *before,
                                              struct check_operation *operation) {
    const struct check_operation *kept =
        run(order, order->streams.data[stream].timeline, before, operation);
    check_clock_join(&order->streams.data[stream].clock, before);
    return kept;
}

void check_order_expect_branches(struct check_order *order) {
    order->is_parallel = true;
}

const struct check_operation *check_order_run_branch(struct check_order *order, uint32_t stream,
                                                     unsigned number, struct check_clock *before,
                                                     struct check_operation *operation) {
    while (order->streams.data[stream].branches.length <= number) {
        const uint32_t timeline = new_timeline(order);
        vec_push(&order->streams.data[stream].branches, timeline);
    }
    return run(order, order->streams.data[stream].branches.data[number], before, operation);
}

// ---- The host ---------------------------------------------------------------------------------

void check_order_host_knows(struct check_order *order, const struct check_clock *clock) {
    check_clock_join(&order->host, clock);
    size_t left = 0;
    for (size_t i = 0; i < order->kept.length; i++)
        if (check_clock_knows(&order->host, order->kept.data[i].stamp))
            drop_operation(&order->kept.data[i]);
        else
            order->kept.data[left++] = order->kept.data[i];
    order->kept.length = left;
}

void check_order_host_waits(struct check_order *order, uint32_t stream) {
    struct check_clock all = {0};
    check_order_enter(order, stream, &all);
    check_order_host_knows(order, &all);
    check_clock_free(&all);
}

void check_order_host_waits_for_device(struct check_order *order, unsigned device) {
    struct check_clock all = {0};
    for (size_t i = 0; i < order->streams.length; i++)
        if (order->streams.data[i].device == device)
            check_clock_join(&all, &order->streams.data[i].clock);
    check_order_host_knows(order, &all);
    check_clock_free(&all);
}

const struct check_clock *check_order_host(const struct check_order *order) {
    return &order->host;
}

bool check_order_is_done(const struct check_order *order, struct check_stamp stamp) {
    return check_clock_knows(&order->host, stamp);
}

const struct check_operation *check_order_user(const struct check_order *order, uint64_t begin,
                                               uint64_t end) {
    struct check_operation freed = {0};
    const struct check_operation *user = NULL;
    check_footprint_add(&freed.trace.footprint, CHECK_WRITE, begin, end);
    for (size_t i = 0; i < order->kept.length && !user; i++)
        if (order->kept.data[i].kind == CHECK_ACCESS &&
            check_footprint_conflict(&order->kept.data[i].trace.footprint, &freed.trace.footprint)
                .bytes)
            user = &order->kept.data[i];
    check_footprint_free(&freed.trace.footprint);
    return user;
}
