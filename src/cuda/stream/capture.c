#include "cuda/stream/capture.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "cuda/graph/state.h"
#include "cuda/stream/calls.h"
#include "cuda/stream/event.h"
#include "cuda/stream/stream.h"

enum { NON_BLOCKING = 1, EXTERNAL = 1 };

struct cuda_capture {
    struct cuda_graph *graph;
    bool owns_graph; // until it ends well
    bool is_spoilt;
    struct cuda_stream *origin;
    enum cuda_capture_mode mode;
    unsigned thread; // that began it
    unsigned long long id;
    VEC(struct cuda_stream *) streams;
    struct cuda_links loose;         // where streams ended that were destroyed
    VEC(struct cuda_event *) events; // that were recorded in it
};

static _Thread_local int thread_mode;

static unsigned this_thread(void) {
    static atomic_uint threads;
    static _Thread_local unsigned number;
    if (!number)
        number = atomic_fetch_add(&threads, 1) + 1;
    return number;
}

static bool is_legacy(cuda_stream stream) {
    return !stream || stream == CUDA_STREAM_LEGACY;
}

static bool is_blocking(const struct cuda_capture *capture) {
    for (size_t i = 0; i < capture->streams.length; i++)
        if (!(capture->streams.data[i]->flags & NON_BLOCKING))
            return true;
    return false;
}

static struct cuda_capture *capture_of(const struct cuda_state *state, cuda_stream stream) {
    if (!state->graphs || !state->graphs->captures.length || is_legacy(stream))
        return NULL;
    const struct cuda_stream *known = cuda_stream_find((struct cuda_state *)state, stream);
    return known ? known->capture : NULL;
}

bool cuda_capture_of(const struct cuda_state *state, cuda_stream stream) {
    return capture_of(state, stream) != NULL;
}

struct cuda_graph *cuda_capture_graph(const struct cuda_state *state, cuda_stream stream) {
    const struct cuda_capture *capture = capture_of(state, stream);
    return capture ? capture->graph : NULL;
}

void cuda_capture_spoil(struct cuda_state *state, cuda_stream stream) {
    struct cuda_capture *capture = capture_of(state, stream);
    if (capture)
        capture->is_spoilt = true;
}

static bool legacy_is_blocked(const struct cuda_state *state, bool spoils) {
    bool is_blocked = false;
    for (size_t i = 0; state->graphs && i < state->graphs->captures.length; i++) {
        struct cuda_capture *capture = state->graphs->captures.data[i];
        if (is_blocking(capture)) {
            is_blocked = true;
            capture->is_spoilt |= spoils;
        }
    }
    return is_blocked;
}

enum cuda_error cuda_capture_use(struct cuda_state *state, cuda_stream stream,
                                 struct cuda_capture **capture) {
    *capture = NULL;
    if (is_legacy(stream))
        return legacy_is_blocked(state, true) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
    *capture = capture_of(state, stream);
    return *capture && (*capture)->is_spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

void cuda_capture_add(struct cuda_state *state, cuda_stream stream,
                      struct cuda_operation *operation) {
    struct cuda_stream *known = cuda_stream_find(state, stream);
    struct cuda_node *node = cuda_graph_add(state, known->capture->graph, operation, &known->links);
    node->handle.device = known->handle.device;
    cuda_links_free(&known->links);
    cuda_links_add(&known->links, node, (struct cuda_edge){0});
}

enum cuda_error cuda_capture_node(struct cuda_state *state, cuda_stream stream,
                                  struct cuda_node_params *params) {
    struct cuda_stream *known = cuda_stream_find(state, stream);
    struct cuda_operation operation;
    enum cuda_error error =
        cuda_operation_of(state, known->capture->graph, &known->links, params, &operation);
    if (error == cudaSuccess)
        cuda_capture_add(state, stream, &operation);
    return error;
}

bool cuda_capture_is_into(const struct cuda_state *state, const struct cuda_graph *graph) {
    for (size_t i = 0; state->graphs && i < state->graphs->captures.length; i++)
        if (state->graphs->captures.data[i]->graph == graph)
            return true;
    return false;
}

// ---- Calls that captures forbid ---------------------------------------------------------------

enum cuda_error cuda_capture_unsafe(struct cuda_state *state) {
    enum cuda_error error = cudaSuccess;
    if (!state->graphs || thread_mode == CUDA_CAPTURE_RELAXED)
        return cudaSuccess;
    for (size_t i = 0; i < state->graphs->captures.length; i++) {
        struct cuda_capture *capture = state->graphs->captures.data[i];
        bool is_own = capture->thread == this_thread();
        if ((is_own && capture->mode != CUDA_CAPTURE_RELAXED) ||
            (thread_mode == CUDA_CAPTURE_GLOBAL && capture->mode == CUDA_CAPTURE_GLOBAL)) {
            capture->is_spoilt = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    }
    return error;
}

enum cuda_error cuda_enter_unsafe(struct cuda_state *state) {
    enum cuda_error error = cuda_enter(state);
    return error == cudaSuccess ? cuda_capture_unsafe(state) : error;
}

enum cuda_error cuda_capture_forbids_waiting(struct cuda_state *state) {
    if (!state->graphs || !state->graphs->captures.length)
        return cudaSuccess;
    for (size_t i = 0; i < state->graphs->captures.length; i++)
        state->graphs->captures.data[i]->is_spoilt = true;
    return cudaErrorStreamCaptureUnsupported;
}

// ---- Begin and end ----------------------------------------------------------------------------

static void join(struct cuda_capture *capture, struct cuda_stream *stream) {
    stream->capture = capture;
    vec_push(&capture->streams, stream);
}

// `graph`: where it goes, NULL: into a new one.
static enum cuda_error begin(struct cuda_state *state, cuda_stream stream, struct cuda_graph *graph,
                             const struct cuda_links *links, enum cuda_capture_mode mode) {
    struct cuda_stream *known = cuda_stream_find(state, stream);
    if (!known)
        return cudaErrorInvalidResourceHandle;
    if ((unsigned)mode > CUDA_CAPTURE_RELAXED)
        return cudaErrorInvalidValue;
    if (is_legacy(stream))
        return cudaErrorStreamCaptureUnsupported;
    if (known->capture)
        return cudaErrorIllegalState;
    struct cuda_graphs *graphs = cuda_graphs(state);
    struct cuda_capture *capture = base_alloc(sizeof *capture);
    *capture = (struct cuda_capture){
        .graph = graph ? graph : cuda_graph_new(state),
        .owns_graph = !graph,
        .origin = known,
        .mode = mode,
        .thread = this_thread(),
        .id = ++graphs->captures_made,
    };
    join(capture, known);
    cuda_links_copy(&known->links, links);
    vec_push(&graphs->captures, capture);
    return cudaSuccess;
}

static void finish(struct cuda_state *state, struct cuda_capture *capture) {
    struct cuda_graphs *graphs = state->graphs;
    for (size_t i = 0; i < capture->streams.length; i++) {
        cuda_links_free(&capture->streams.data[i]->links);
        capture->streams.data[i]->capture = NULL;
    }
    for (size_t i = 0; i < capture->events.length; i++)
        if (capture->events.data[i]->capture == capture->id)
            cuda_links_free(&capture->events.data[i]->links);
    for (size_t i = 0; i < graphs->captures.length; i++)
        if (graphs->captures.data[i] == capture)
            graphs->captures.data[i] = graphs->captures.data[--graphs->captures.length];
    if (capture->owns_graph)
        cuda_graph_free(state, capture->graph);
    vec_free(&capture->streams);
    vec_free(&capture->events);
    cuda_links_free(&capture->loose);
    free(capture);
}

void cuda_capture_drop(struct cuda_state *state, struct cuda_stream *stream) {
    struct cuda_capture *capture = stream->capture;
    if (capture && stream == capture->origin)
        finish(state, capture);
    if (!stream->capture)
        return;
    size_t kept = 0; // the others go on
    for (size_t i = 0; i < capture->streams.length; i++)
        if (capture->streams.data[i] != stream)
            capture->streams.data[kept++] = capture->streams.data[i];
    capture->streams.length = kept;
    for (size_t i = 0; i < stream->links.nodes.length; i++)
        cuda_links_add(&capture->loose, stream->links.nodes.data[i], stream->links.edges.data[i]);
    cuda_links_free(&stream->links);
    stream->capture = NULL;
}

void cuda_captures_drop(struct cuda_state *state) {
    for (size_t i = state->graphs->captures.length; i > 0; i--)
        if (state->graphs->captures.data[i - 1]->origin->handle.device == state->current)
            finish(state, state->graphs->captures.data[i - 1]);
}

enum cuda_error cuda_stream_begin_capture(struct cuda_state *state, cuda_stream stream,
                                          enum cuda_capture_mode mode) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_links none = {0};
    return error == cudaSuccess ? begin(state, stream, NULL, &none, mode) : error;
}

enum cuda_error cuda_stream_begin_capture_to_graph(struct cuda_state *state, cuda_stream stream,
                                                   cuda_graph graph, const cuda_node *nodes,
                                                   const struct cuda_edge *edges, size_t count,
                                                   enum cuda_capture_mode mode) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_links links = {0};
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    if (error == cudaSuccess)
        error = known ? cuda_links_read(state, known, nodes, edges, count, &links)
                      : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = begin(state, stream, known, &links, mode);
    cuda_links_free(&links);
    return error;
}

static bool are_marked(const struct cuda_links *links) {
    for (size_t i = 0; i < links->nodes.length; i++)
        if (!links->nodes.data[i]->mark)
            return false;
    return true;
}

// All that was captured in other streams comes before what the first one waits for.
static bool is_joined(const struct cuda_capture *capture) {
    cuda_graph_mark(capture->graph, &capture->origin->links);
    for (size_t i = 0; i < capture->streams.length; i++)
        if (!are_marked(&capture->streams.data[i]->links))
            return false;
    return are_marked(&capture->loose);
}

static enum cuda_error end(struct cuda_state *state, struct cuda_stream *stream,
                           cuda_graph *graph) {
    struct cuda_capture *capture = stream->capture;
    if (!capture)
        return cudaErrorIllegalState;
    if (stream != capture->origin) {
        capture->is_spoilt = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    enum cuda_error error = cudaSuccess;
    if (capture->mode != CUDA_CAPTURE_RELAXED && capture->thread != this_thread())
        error = cudaErrorStreamCaptureWrongThread;
    else if (capture->is_spoilt)
        error = cudaErrorStreamCaptureInvalidated;
    else if (!is_joined(capture))
        error = cudaErrorStreamCaptureUnjoined;
    if (error == cudaSuccess && graph) {
        *graph = capture->graph;
        capture->owns_graph = false;
    }
    finish(state, capture);
    return error;
}

enum cuda_error cuda_stream_end_capture(struct cuda_state *state, cuda_stream stream,
                                        cuda_graph *graph) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_stream *known = error == cudaSuccess ? cuda_stream_find(state, stream) : NULL;
    if (error == cudaSuccess && !known)
        error = cudaErrorInvalidResourceHandle;
    if (graph)
        *graph = NULL;
    return error == cudaSuccess ? end(state, known, graph) : error;
}

// ---- Questions and changes --------------------------------------------------------------------

enum cuda_error cuda_capture_tell(struct cuda_state *state, cuda_stream stream,
                                  const struct cuda_capture_info *info) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_stream *known = error == cudaSuccess ? cuda_stream_find(state, stream) : NULL;
    if (error == cudaSuccess && !known)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && (!info->status || (info->edges && !info->nodes)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && is_legacy(stream) && legacy_is_blocked(state, false))
        error = cudaErrorStreamCaptureImplicit;
    if (error != cudaSuccess)
        return error;
    const struct cuda_capture *capture = is_legacy(stream) ? NULL : known->capture;
    *info->status = !capture             ? CUDA_CAPTURE_NONE
                    : capture->is_spoilt ? CUDA_CAPTURE_INVALIDATED
                                         : CUDA_CAPTURE_ACTIVE;
    if (info->id)
        *info->id = capture ? capture->id : 0;
    if (info->graph)
        *info->graph = capture ? capture->graph : NULL;
    if (info->nodes)
        *info->nodes = capture ? known->links.nodes.data : NULL;
    if (info->edges)
        *info->edges = capture ? known->links.edges.data : NULL;
    if (info->count)
        *info->count = capture ? known->links.nodes.length : 0;
    for (size_t i = 0; capture && info->nodes && !info->edges && i < known->links.edges.length; i++)
        if (known->links.edges.data[i].type || known->links.edges.data[i].from_port)
            error = cudaErrorLossyQuery;
    return error;
}

enum cuda_error cuda_capture_update(struct cuda_state *state, cuda_stream stream,
                                    const cuda_node *nodes, const struct cuda_edge *edges,
                                    size_t count, unsigned flags) {
    struct cuda_links links = {0};
    enum cuda_error error = cuda_enter(state);
    struct cuda_stream *known = error == cudaSuccess ? cuda_stream_find(state, stream) : NULL;
    if (error == cudaSuccess && !known)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > CUDA_CAPTURE_SET_DEPENDENCIES)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !known->capture)
        error = cudaErrorIllegalState;
    if (error == cudaSuccess && known->capture->is_spoilt)
        error = cudaErrorStreamCaptureInvalidated;
    if (error == cudaSuccess)
        error = cuda_links_read(state, known->capture->graph, nodes, edges, count, &links);
    if (error == cudaSuccess && flags == CUDA_CAPTURE_SET_DEPENDENCIES)
        cuda_links_free(&known->links);
    for (size_t i = 0; error == cudaSuccess && i < links.nodes.length; i++)
        cuda_links_add(&known->links, links.nodes.data[i], links.edges.data[i]);
    cuda_links_free(&links);
    return error;
}

enum cuda_error cuda_thread_exchange_stream_capture_mode(enum cuda_capture_mode *mode) {
    if (!mode || (unsigned)*mode > CUDA_CAPTURE_RELAXED)
        return cudaErrorInvalidValue;
    enum cuda_capture_mode old = (enum cuda_capture_mode)thread_mode;
    thread_mode = (int)*mode;
    *mode = old;
    return cudaSuccess;
}

// ---- Events -----------------------------------------------------------------------------------

void cuda_capture_record(struct cuda_state *state, cuda_stream stream, struct cuda_event *event) {
    struct cuda_stream *known = cuda_stream_find(state, stream);
    cuda_links_copy(&event->links, &known->links);
    event->capture = known->capture->id;
    vec_push(&known->capture->events, event);
}

static struct cuda_capture *by_id(const struct cuda_state *state, unsigned long long id) {
    for (size_t i = 0; id && state->graphs && i < state->graphs->captures.length; i++)
        if (state->graphs->captures.data[i]->id == id)
            return state->graphs->captures.data[i];
    return NULL;
}

enum cuda_error cuda_capture_asks(struct cuda_state *state, const struct cuda_event *event) {
    if (!event->capture)
        return cudaSuccess;
    struct cuda_capture *capture = by_id(state, event->capture);
    if (capture)
        capture->is_spoilt = true;
    return cudaErrorCapturedEvent;
}

enum cuda_error cuda_capture_wait(struct cuda_state *state, cuda_stream stream,
                                  struct cuda_event *event, bool *is_captured) {
    struct cuda_capture *capture, *other = by_id(state, event->capture);
    enum cuda_error error = cuda_capture_use(state, stream, &capture);
    *is_captured = capture || other;
    if (error != cudaSuccess)
        return error;
    struct cuda_stream *known = cuda_stream_find(state, stream);
    if (capture && !other) {
        if (!event->is_recorded && !event->capture) // there is nothing to wait for
            return cudaSuccess;
        capture->is_spoilt = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (event->capture && !other)
        return cudaErrorCapturedEvent;
    if (!other)
        return cudaSuccess;
    if (is_legacy(stream)) {
        other->is_spoilt = true;
        return cudaErrorStreamCaptureImplicit;
    }
    if (capture && capture != other) {
        capture->is_spoilt = other->is_spoilt = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (other->is_spoilt)
        return cudaErrorStreamCaptureInvalidated;
    if (!capture)
        join(other, known);
    for (size_t i = 0; i < event->links.nodes.length; i++)
        cuda_links_add(&known->links, event->links.nodes.data[i], event->links.edges.data[i]);
    return cudaSuccess;
}
