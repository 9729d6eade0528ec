// Captures: sequences of operations that go into a graph in place of being executed. Lock held, in
// all of them.
#ifndef BANKRUN_CUDART_CAPTURE_H
#define BANKRUN_CUDART_CAPTURE_H

#include "cudart/graph_abi.h"
#include "cudart/state.h"

struct cudart_capture;
struct cudart_event;
struct cudart_graph;
struct cudart_operation;
struct cudart_stream;

// The stream is being captured.
bool cudart_capture_of(const struct cudart_state *state, cuda_stream stream);
// What is to come before each use of a good stream. *capture is NULL when what is queued is to run.
// The legacy stream cannot be used while a stream that it would wait for is captured: that capture
// is spoilt then.
enum cuda_error cudart_capture_use(struct cudart_state *state, cuda_stream stream,
                                   struct cudart_capture **capture);
// A node for the operation, behind what was captured of the stream so far. Takes it over.
void cudart_capture_add(struct cudart_state *state, cuda_stream stream,
                        struct cudart_operation *operation);
// The same from parameters. The stream is being captured.
enum cuda_error cudart_capture_node(struct cudart_state *state, cuda_stream stream,
                                    struct cuda_node_params *params);
// The stream's capture ends with an error, if there is one.
void cudart_capture_spoil(struct cudart_state *state, cuda_stream stream);
// Before a call that no capture sees although what was captured may depend on it: an error when the
// capture's mode and the thread's forbid it.
enum cuda_error cudart_capture_unsafe(struct cudart_state *state);
// Before a call that waits for all streams.
enum cuda_error cudart_capture_forbids_waiting(struct cudart_state *state);
// The graph is being captured into.
bool cudart_capture_is_into(const struct cudart_state *state, const struct cudart_graph *graph);
// The stream goes: its capture is over.
void cudart_capture_drop(struct cudart_state *state, struct cudart_stream *stream);
void cudart_captures_drop(struct cudart_state *state); // those of the current device

// Events that are recorded and waited for in captured streams.
void cudart_capture_record(struct cudart_state *state, cuda_stream stream,
                           struct cudart_event *event);
enum cuda_error cudart_capture_wait(struct cudart_state *state, cuda_stream stream,
                                    struct cudart_event *event, bool *is_captured);
// The event was last recorded in a capture, which a call that needs the device's answer spoils.
enum cuda_error cudart_capture_asks(struct cudart_state *state, const struct cudart_event *event);

// cudart_enter, and cudart_capture_unsafe.
enum cuda_error cudart_enter_unsafe(void);

#endif
