// Streams. All work is done when the call that queued it returns, so a stream is a name with
// properties, unless it is captured into a graph.
#ifndef BANKRUN_CUDA_STREAM_STREAM_H
#define BANKRUN_CUDA_STREAM_STREAM_H

#include <stdbool.h>

#include "cuda/core/handles.h"
#include "cuda/core/state.h"
#include "cuda/graph/graph.h"

struct cuda_stream {
    struct cuda_handle handle;
    unsigned flags;
    int priority;
    unsigned long long id;
    // What cudaStreamSetAttribute keeps
    struct cuda_access_policy_window window;
    int synchronization_policy, domain;
    unsigned char domain_map[2];
    struct cuda_capture *capture; // that it takes part in; NULL: none
    struct cuda_links links;      // what the next operation will wait for there
    uint32_t check_number;        // 1 + its number in the checker's order; 0: none yet
};

// A live stream, or the one that stands for all default streams. NULL: neither. Lock held.
struct cuda_stream *cuda_stream_find(struct cuda_state *state, cuda_stream stream);
// One of the default streams or a live one. Lock held.
bool cuda_stream_is_good(const struct cuda_state *state, cuda_stream stream);
// Of a stream that the program made: the how manieth.
unsigned long long cuda_stream_number(const struct cuda_stream *stream);
// The device of a good stream; the default streams are the current device's.
struct cuda_device *cuda_stream_device(const struct cuda_state *state, cuda_stream stream);

#endif
