// Streams. All work is done when the call that queued it returns, so a stream is a name with
// properties, unless it is captured into a graph.
#ifndef BANKRUN_CUDART_STREAM_H
#define BANKRUN_CUDART_STREAM_H

#include <stdbool.h>

#include "cudart/graph.h"
#include "cudart/handles.h"
#include "cudart/state.h"

struct cudart_stream {
    struct cudart_handle handle;
    unsigned flags;
    int priority;
    unsigned long long id;
    // What cudaStreamSetAttribute keeps
    struct cuda_access_policy_window window;
    int synchronization_policy, domain;
    unsigned char domain_map[2];
    struct cudart_capture *capture; // that it takes part in; NULL: none
    struct cudart_links links;      // what the next operation will wait for there
};

// A live stream, or the one that stands for all default streams. NULL: neither. Lock held.
struct cudart_stream *cudart_stream_find(struct cudart_state *state, cuda_stream stream);
// One of the default streams or a live one. Lock held.
bool cudart_stream_is_good(const struct cudart_state *state, cuda_stream stream);
// The device of a good stream; the default streams are the current device's.
struct cudart_device *cudart_stream_device(const struct cudart_state *state, cuda_stream stream);

#endif
