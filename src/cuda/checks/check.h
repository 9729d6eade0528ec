// What checkers learn of the host's side: allocations, streams, events, what the host waits for.
// The checkers themselves lie in check; here they are told, and findings are put into words.
//
// Each function does nothing where no checker wants it. Lock held, in all of them.
#ifndef BANKRUN_CUDA_CHECKS_CHECK_H
#define BANKRUN_CUDA_CHECKS_CHECK_H

#include "cuda/core/state.h"
#include "run/launch.h"

struct cuda_event;
struct cuda_graph;
struct cuda_node;
struct cuda_operation;

void cuda_check_begin(struct cuda_state *state);
// What the program left is told; before the profile is written.
void cuda_check_end(struct cuda_state *state);
// The current device goes, with its memory, its streams and events.
void cuda_check_drop(struct cuda_state *state);

// ---- Allocations: allocation.c ----------------------------------------------------------------

void cuda_check_allocated(struct cuda_state *state, const void *pointer, size_t bytes);
// The same of a pool, in stream order.
void cuda_check_allocated_async(struct cuda_state *state, cuda_stream stream, const void *pointer,
                                size_t bytes);
// Before it is freed. `waits`: the call waits for all that the device does.
void cuda_check_freed(struct cuda_state *state, const void *pointer, bool waits);
// The same in stream order.
void cuda_check_freed_async(struct cuda_state *state, cuda_stream stream, const void *pointer);
// What was to be freed could not be.
void cuda_check_not_freed(struct cuda_state *state, const void *pointer);
// Before a copy or a fill: memory that was freed is refused, or taken for the host's own.
void cuda_check_used(struct cuda_state *state, const void *at, bool writes);
// A launch ended at an address that it may not touch.
void cuda_check_fault(struct cuda_state *state, const struct run_launch *launch,
                      const struct sim_result *result);

// ---- Operations: operation.c ------------------------------------------------------------------

// Runs an operation in its stream.
enum cuda_error cuda_check_run(struct cuda_state *state, cuda_stream stream,
                               const struct cuda_operation *operation);
// What hears a kernel of the operation under way; NULL: nobody.
const struct event_observer *cuda_check_observer(struct cuda_state *state,
                                                 const struct ir_function *kernel);
// Such a kernel asked for a copy, or a fill (from 0).
void cuda_check_kernel_copies(struct cuda_state *state, uint64_t to, uint64_t from, uint64_t bytes);

// ---- Graphs: graph.c --------------------------------------------------------------------------
// NULL everywhere: nobody checks.

struct cuda_check_graph; // a launch
struct cuda_check_nodes; // a graph of it, or one in that, while it runs
struct cuda_check_graph *cuda_check_graph_begin(struct cuda_state *state, cuda_stream stream,
                                                const struct cuda_graph *graph);
void cuda_check_graph_end(struct cuda_state *state, struct cuda_check_graph *check);
// A loop goes round again: its branches are those that came after `branches`.
unsigned cuda_check_graph_branches(const struct cuda_check_graph *check);
void cuda_check_graph_again(struct cuda_check_graph *check, unsigned branches);
struct cuda_check_nodes *cuda_check_nodes_begin(struct cuda_check_graph *check,
                                                const struct cuda_graph *graph);
void cuda_check_node_begin(struct cuda_check_graph *check, struct cuda_check_nodes *nodes,
                           const struct cuda_node *node);
enum cuda_error cuda_check_run_node(struct cuda_state *state, struct cuda_check_graph *check,
                                    const struct cuda_operation *operation);
void cuda_check_node_end(struct cuda_check_graph *check, struct cuda_check_nodes *nodes,
                         const struct cuda_node *node);
void cuda_check_nodes_end(struct cuda_check_graph *check, struct cuda_check_nodes *nodes);

// ---- What the host waits for: stream.c --------------------------------------------------------

void cuda_check_waits(struct cuda_state *state, cuda_stream stream);
void cuda_check_waits_for_event(struct cuda_state *state, const struct cuda_event *event);
// For all that the device does.
void cuda_check_waits_for_device(struct cuda_state *state, const struct cuda_device *device);
// An order that cannot be seen is made: from now on all is done that was under way.
void cuda_check_waits_for_all(struct cuda_state *state);

void cuda_check_stream_made(struct cuda_state *state, struct cuda_stream *stream);
void cuda_check_stream_gone(struct cuda_state *state, struct cuda_stream *stream);
void cuda_check_event_gone(struct cuda_state *state, struct cuda_event *event);

#endif
