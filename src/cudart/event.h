// Events: a point of the host's clock, or a place in a capture.
#ifndef BANKRUN_CUDART_EVENT_H
#define BANKRUN_CUDART_EVENT_H

#include "cudart/graph.h"

struct cudart_event {
    struct cudart_handle handle;
    unsigned flags;
    bool is_recorded;
    double time;
    unsigned long long capture; // that it was last recorded in; 0: none
    struct cudart_links links;  // what comes before it there
};

void cudart_event_record(struct cudart_event *event);
struct cudart_event *cudart_event_find(struct cudart_state *state, cuda_event event);

#endif
