// See stream.h.
#include "compiled/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compiled/combine.h"

struct compiled_stream {
    struct combine_plan *plan;
    struct ir_kernel_site *sites;
    uint32_t site_count;   // with the wider ones
    struct ir_site *wider; // what those of them point to
    struct event_observer observer;
    const struct event_observer *behind;
};

struct worker {
    const struct event_observer *behind;
    void *state; // of it
    struct combiner *combiner;
};

static void pass_on(void *context, const struct event_access *event) {
    const struct worker *worker = context;
    worker->behind->access(worker->state, event);
}

static void *begin(void *context, unsigned number) {
    const struct compiled_stream *stream = context;
    struct worker *worker = base_alloc(sizeof *worker);
    worker->behind = stream->behind;
    if (worker->behind->worker_begin)
        worker->state = worker->behind->worker_begin(worker->behind->context, number);
    worker->combiner = combiner_create(stream->plan, pass_on, worker);
    return worker;
}

static void access(void *state, const struct event_access *event) {
    struct worker *worker = state;
    if (event->space == SITE_SHARED && event->site != EVENT_NONE)
        combiner_request(worker->combiner, event);
    else
        pass_on(worker, event);
}

static void sync(void *state, const struct event_sync *event) {
    const struct worker *worker = state;
    worker->behind->sync(worker->state, event);
}

static void contention(void *state, uint32_t offset) {
    const struct worker *worker = state;
    worker->behind->contention(worker->state, offset);
}

static void piece_end(void *state) {
    struct worker *worker = state;
    combiner_flush(worker->combiner);
    worker->behind->piece_end(worker->state);
}

static void end(void *state) {
    struct worker *worker = state;
    combiner_flush(worker->combiner);
    if (worker->behind->worker_end)
        worker->behind->worker_end(worker->state);
    combiner_free(worker->combiner);
    free(worker);
}

static void list_sites(struct compiled_stream *stream, uint32_t written) {
    stream->site_count = written * COMBINE_VARIANTS;
    stream->sites = base_realloc(stream->sites, stream->site_count * sizeof *stream->sites);
    stream->wider = base_alloc(stream->site_count * sizeof *stream->wider);
    for (uint32_t n = written; n < stream->site_count; n++) {
        stream->wider[n] = *stream->sites[n % written].site;
        stream->wider[n].width = 1u << n / written;
        stream->sites[n] = (struct ir_kernel_site){
            .function = stream->sites[n % written].function,
            .site = &stream->wider[n],
            .is_wider = true,
        };
    }
    stream->plan->sites = stream->sites;
}

struct compiled_stream *compiled_stream_create(const struct compiled_code *code,
                                               const struct ir_function *kernel) {
    if (!code)
        return NULL;
    uint32_t written;
    struct compiled_stream *stream = base_alloc(sizeof *stream);
    stream->sites = ir_kernel_sites(kernel, &written);
    stream->plan = combine_plan_create(code, kernel, stream->sites, written);
    if (stream->plan) {
        list_sites(stream, written);
        return stream;
    }
    compiled_stream_free(stream);
    return NULL;
}

void compiled_stream_free(struct compiled_stream *stream) {
    if (!stream)
        return;
    combine_plan_free(stream->plan);
    free(stream->wider);
    free(stream->sites);
    free(stream);
}

const struct ir_kernel_site *compiled_stream_sites(const struct compiled_stream *stream,
                                                   uint32_t *count) {
    *count = stream ? stream->site_count : 0;
    return stream ? stream->sites : NULL;
}

const struct event_observer *compiled_stream_before(struct compiled_stream *stream,
                                                    const struct event_observer *behind) {
    if (!stream || !behind)
        return behind;
    stream->behind = behind;
    stream->observer = (struct event_observer){
        .context = stream,
        .worker_begin = begin,
        .access = behind->access ? access : NULL, // and no memos: the order of requests matters
        .sync = behind->sync ? sync : NULL,
        .contention = behind->contention ? contention : NULL,
        .piece_end = behind->piece_end ? piece_end : NULL,
        .worker_end = end,
        .wants_unsited = behind->wants_unsited,
    };
    return &stream->observer;
}
