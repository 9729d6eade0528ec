// What orders the operations of a program's streams: a happens-before graph by vector clocks, and
// the operations that may still be under way, with what they touch. Knows nothing of any API.
//
// The host is one participant, whatever threads it has: what one of them waited for, all know. So
// an order between threads that cannot be seen is never missed, and a race may be.
#ifndef BANKRUN_CHECK_STREAM_ORDER_H
#define BANKRUN_CHECK_STREAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "check/stream/clock.h"
#include "check/stream/touched.h"

enum check_stream_kind {
    CHECK_STREAM_LEGACY,   // the default stream: waits for the device's blocking ones, and they for
                           // it. One for each device
    CHECK_STREAM_BLOCKING, // and those that threads have of their own
    CHECK_STREAM_NON_BLOCKING,
};

enum check_operation_kind { CHECK_ACCESS, CHECK_ALLOCATE, CHECK_FREE };

// One that runs in a stream, or in a branch of a graph.
struct check_operation {
    enum check_operation_kind kind;
    char *what;  // in words: "kernel scale"; owned
    char *where; // "stream 3"; owned
    struct check_trace trace;
    struct check_stamp stamp; // the order sets what follows
    struct check_clock clock; // what it comes after, itself included
    uint64_t hash;
};

struct check_order;

// Two operations that nothing orders and whose footprints conflict, with what these have in common.
typedef void check_conflict_report(void *context, const struct check_operation *earlier,
                                   const struct check_operation *later,
                                   const struct check_overlap *overlap);

struct check_order *check_order_create(check_conflict_report *report, void *context);
void check_order_free(struct check_order *order); // NULL is fine

// ---- Streams ----------------------------------------------------------------------------------

// A new stream's number. Numbers of streams that went come again.
uint32_t check_order_add_stream(struct check_order *order, enum check_stream_kind kind,
                                unsigned device);
// Its operations go on.
void check_order_remove_stream(struct check_order *order, uint32_t stream);
// Whether operations of more than one timeline can be under way, now or later.
bool check_order_is_parallel(const struct check_order *order);

enum check_stream_kind check_order_kind(const struct check_order *order, uint32_t stream);
// What the next operation of the stream comes after. The caller frees the clock.
void check_order_enter(struct check_order *order, uint32_t stream, struct check_clock *before);
// The operation ran in the stream, behind `before`, which knows it then. Takes over what it owns.
// Returns it, until the order is called again; NULL: it touched nothing.
const struct check_operation *check_order_run(struct check_order *order, uint32_t stream,
                                              struct check_clock *before,
                                              struct check_operation *operation);
// All that the stream does from now on comes after what the clock knows.
void check_order_wait(struct check_order *order, uint32_t stream, const struct check_clock *clock);

// ---- Graphs -----------------------------------------------------------------------------------
// While a graph runs in a stream each of its chains of nodes is a branch of the stream.

void check_order_expect_branches(struct check_order *order);
// A branch that is free from its `number` on: the same number must not be used for nodes of a
// launch that are not ordered.
const struct check_operation *check_order_run_branch(struct check_order *order, uint32_t stream,
                                                     unsigned number, struct check_clock *before,
                                                     struct check_operation *operation);

// ---- The host ---------------------------------------------------------------------------------

// It has waited for all that the clock knows.
void check_order_host_knows(struct check_order *order, const struct check_clock *clock);
// For all that is in the stream, or in the device's streams.
void check_order_host_waits(struct check_order *order, uint32_t stream);
void check_order_host_waits_for_device(struct check_order *order, unsigned device);
// What it has waited for.
const struct check_clock *check_order_host(const struct check_order *order);
// Whether the host has waited for the operation.
bool check_order_is_done(const struct check_order *order, struct check_stamp stamp);
// The first access that the host has not waited for and that touches the range; NULL: none.
const struct check_operation *check_order_user(const struct check_order *order, uint64_t begin,
                                               uint64_t end);

#endif
