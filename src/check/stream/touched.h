// Gathers what an operation touches of global memory: an observer of its kernels.
#ifndef BANKRUN_CHECK_STREAM_TOUCHED_H
#define BANKRUN_CHECK_STREAM_TOUCHED_H

#include "check/stream/footprint.h"
#include "event/event.h"
#include "ir/ir.h"

struct check_touched;

// What one instruction touched in one way lies from `first` to `last`.
struct check_range {
    const struct ir_function *kernel; // by which its instructions are counted
    uint32_t instruction;
    enum check_touch touch;
    uint64_t first, last;
};

// Zeroed: nothing was touched.
struct check_trace {
    struct check_footprint footprint;
    VEC(struct check_range) ranges;
    bool synchronises; // it has fences of the device or the system, or ordered accesses
    bool tells_system; // it writes in the scope of the whole system
};

struct check_touched *check_touched_create(void);
// The operation launches this kernel: hears it, until the next call or the end of `touched`.
const struct event_observer *check_touched_observer(struct check_touched *touched,
                                                    const struct ir_function *kernel);
// What the operation touches without an access of a kernel: copies and fills that a kernel asked
// for.
void check_touched_mark(struct check_touched *touched, enum check_touch touch, uint64_t begin,
                        uint64_t bytes);
// Frees it. The result, with what it owns, is the caller's.
struct check_trace check_touched_finish(struct check_touched *touched);
void check_trace_free(struct check_trace *trace);

#endif
