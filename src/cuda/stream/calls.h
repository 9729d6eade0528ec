// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_STREAM_CALLS_H
#define BANKRUN_CUDA_STREAM_CALLS_H

#include "cuda/core/state.h"
#include "cuda/graph/abi.h"

// attribute.c
enum cuda_error cuda_stream_set_attribute(struct cuda_state *state, cuda_stream stream,
                                          int attribute, const void *value);
enum cuda_error cuda_stream_get_attribute(struct cuda_state *state, cuda_stream stream,
                                          int attribute, void *value);
enum cuda_error cuda_stream_copy_attributes(struct cuda_state *state, cuda_stream to,
                                            cuda_stream from);

// capture.c
enum cuda_error cuda_stream_begin_capture(struct cuda_state *state, cuda_stream stream,
                                          enum cuda_capture_mode mode);
enum cuda_error cuda_stream_begin_capture_to_graph(struct cuda_state *state, cuda_stream stream,
                                                   cuda_graph graph, const cuda_node *nodes,
                                                   const struct cuda_edge *edges, size_t count,
                                                   enum cuda_capture_mode mode);
enum cuda_error cuda_stream_end_capture(struct cuda_state *state, cuda_stream stream,
                                        cuda_graph *graph);
enum cuda_error cuda_thread_exchange_stream_capture_mode(enum cuda_capture_mode *mode);

// event.c
enum cuda_error cuda_event_create_with_flags(struct cuda_state *state, cuda_event *event,
                                             unsigned flags);
enum cuda_error cuda_event_destroy(struct cuda_state *state, cuda_event event);
enum cuda_error cuda_event_record_with_flags(struct cuda_state *state, cuda_event event,
                                             cuda_stream stream, unsigned flags);
// Waits and asks alike: what was before the event is done.
enum cuda_error cuda_event_look_at(struct cuda_state *state, cuda_event event);
enum cuda_error cuda_event_elapsed(struct cuda_state *state, float *milliseconds, cuda_event start,
                                   cuda_event end);
enum cuda_error cuda_stream_wait_event(struct cuda_state *state, cuda_stream stream,
                                       cuda_event event, unsigned flags);

// event_ipc.c: events of other processes
enum cuda_error cuda_ipc_get_event_handle(struct cuda_state *state, struct cuda_ipc_handle *handle,
                                          cuda_event event);
enum cuda_error cuda_ipc_open_event_handle(struct cuda_state *state, cuda_event *event,
                                           const struct cuda_ipc_handle *handle);

// stream.c
enum cuda_error cuda_stream_create(struct cuda_state *state, cuda_stream *stream, unsigned flags,
                                   int priority);
enum cuda_error cuda_stream_destroy(struct cuda_state *state, cuda_stream stream);
// Waits and asks alike: everything is done. A stream that is captured has nothing to tell.
enum cuda_error cuda_stream_look_at(struct cuda_state *state, cuda_stream stream);
enum cuda_error cuda_stream_get_flags(struct cuda_state *state, cuda_stream stream,
                                      unsigned *flags);
enum cuda_error cuda_stream_get_priority(struct cuda_state *state, cuda_stream stream,
                                         int *priority);
enum cuda_error cuda_stream_get_id(struct cuda_state *state, cuda_stream stream,
                                   unsigned long long *id);
enum cuda_error cuda_stream_get_device(struct cuda_state *state, cuda_stream stream, int *device);
enum cuda_error cuda_device_get_stream_priority_range(struct cuda_state *state, int *lowest,
                                                      int *highest);
enum cuda_error cuda_stream_add_callback(struct cuda_state *state, cuda_stream stream,
                                         cuda_stream_callback callback, void *data, unsigned flags);
enum cuda_error cuda_launch_host_func(struct cuda_state *state, cuda_stream stream,
                                      cuda_host_function function, void *data);

struct cuda_capture_info {
    enum cuda_capture_status *status; // required; the others may be NULL
    unsigned long long *id;
    cuda_graph *graph;
    const cuda_node **nodes;
    const struct cuda_edge **edges;
    size_t *count;
};
enum cuda_error cuda_capture_tell(struct cuda_state *state, cuda_stream stream,
                                  const struct cuda_capture_info *info);
enum cuda_error cuda_capture_update(struct cuda_state *state, cuda_stream stream,
                                    const cuda_node *nodes, const struct cuda_edge *edges,
                                    size_t count, unsigned flags);

#endif
