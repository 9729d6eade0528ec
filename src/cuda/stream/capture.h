// Captures: sequences of operations that go into a graph in place of being executed. Lock held, in
// all of them.
#ifndef BANKRUN_CUDA_STREAM_CAPTURE_H
#define BANKRUN_CUDA_STREAM_CAPTURE_H

#include "cuda/core/state.h"
#include "cuda/graph/abi.h"

struct cuda_capture;
struct cuda_event;
struct cuda_graph;
struct cuda_operation;
struct cuda_stream;

// The stream is being captured.
bool cuda_capture_of(const struct cuda_state *state, cuda_stream stream);
// The graph that its operations go into. NULL: it is not being captured.
struct cuda_graph *cuda_capture_graph(const struct cuda_state *state, cuda_stream stream);
// What is to come before each use of a good stream. *capture is NULL when what is queued is to run.
// The legacy stream cannot be used while a stream that it would wait for is captured: that capture
// is spoilt then.
enum cuda_error cuda_capture_use(struct cuda_state *state, cuda_stream stream,
                                 struct cuda_capture **capture);
// A node for the operation, behind what was captured of the stream so far. Takes it over.
void cuda_capture_add(struct cuda_state *state, cuda_stream stream,
                      struct cuda_operation *operation);
// The same from parameters. The stream is being captured.
enum cuda_error cuda_capture_node(struct cuda_state *state, cuda_stream stream,
                                  struct cuda_node_params *params);
// The stream's capture ends with an error, if there is one.
void cuda_capture_spoil(struct cuda_state *state, cuda_stream stream);
// Before a call that no capture sees although what was captured may depend on it: an error when the
// capture's mode and the thread's forbid it.
enum cuda_error cuda_capture_unsafe(struct cuda_state *state);
// Before a call that waits for all streams.
enum cuda_error cuda_capture_forbids_waiting(struct cuda_state *state);
// The graph is being captured into.
bool cuda_capture_is_into(const struct cuda_state *state, const struct cuda_graph *graph);
// The stream goes: its capture is over.
void cuda_capture_drop(struct cuda_state *state, struct cuda_stream *stream);
void cuda_captures_drop(struct cuda_state *state); // those of the current device

// Events that are recorded and waited for in captured streams.
void cuda_capture_record(struct cuda_state *state, cuda_stream stream, struct cuda_event *event);
enum cuda_error cuda_capture_wait(struct cuda_state *state, cuda_stream stream,
                                  struct cuda_event *event, bool *is_captured);
// The event was last recorded in a capture, which a call that needs the device's answer spoils.
enum cuda_error cuda_capture_asks(struct cuda_state *state, const struct cuda_event *event);

// cuda_enter, and cuda_capture_unsafe.
enum cuda_error cuda_enter_unsafe(struct cuda_state *state);

#endif
