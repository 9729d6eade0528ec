// Events: a point of the host's clock, or a place in a capture.
#ifndef BANKRUN_CUDA_STREAM_EVENT_H
#define BANKRUN_CUDA_STREAM_EVENT_H

#include "check/stream/clock.h"
#include "cuda/graph/graph.h"

enum {
    CUDA_EVENT_FLAGS = 7,
    CUDA_EVENT_DISABLE_TIMING = 2,
    CUDA_EVENT_INTERPROCESS = 4, // only without timing
};

struct cuda_event {
    struct cuda_handle handle;
    unsigned flags;
    bool is_foreign; // of another process
    bool is_recorded;
    double time;
    unsigned long long capture; // that it was last recorded in; 0: none
    struct cuda_links links;    // what comes before it there
    struct check_clock clock;   // what comes before it in streams, as a checker knows it
};

void cuda_event_record(struct cuda_event *event);
struct cuda_event *cuda_event_find(struct cuda_state *state, cuda_event event);

#endif
