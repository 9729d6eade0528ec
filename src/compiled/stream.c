// See stream.h.
#include "compiled/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compiled/combine.h"
#include "event/filter.h"

struct compiled_stream {
    struct combine_plan *plan;
    struct ir_kernel_site *sites;
    uint32_t site_count;   // with the wider ones
    struct ir_site *wider; // what those of them point to
    struct event_observer observer;
    const struct event_observer *behind;
};

struct worker {
    const struct combine_plan *plan;
    const struct event_observer *behind;
    void *state; // of it
    struct combiner *combiner;
    struct event_memo **behind_memos; // NULL: it has none
    struct event_memo **memos;        // of each site that was written, and space
    struct event_memo **parts;        // of sites whose requests come to nothing
};

static void pass_on(void *context, const struct event_access *event) {
    const struct worker *worker = context;
    worker->behind->access(worker->state, event);
}

static void *begin(void *context, unsigned number) {
    const struct compiled_stream *stream = context;
    const size_t sites = stream->plan->site_count + 1;
    struct worker *worker = base_alloc(sizeof *worker);
    worker->plan = stream->plan;
    worker->behind = stream->behind;
    if (worker->behind->worker_begin)
        worker->state = worker->behind->worker_begin(worker->behind->context, number);
    if (worker->behind->memos)
        worker->behind_memos = worker->behind->memos(worker->state);
    worker->memos = base_alloc(SITE_SPACES * sites * sizeof(struct event_memo *));
    worker->parts = base_alloc(sites * sizeof(struct event_memo *));
    worker->combiner = combiner_create(stream->plan, pass_on, worker);
    return worker;
}

// ---- Requests one by one ------------------------------------------------------------------

// Those of the site in this space need not be told when `memo` knows them.
static void know(struct worker *worker, const struct event_access *event, struct event_memo *memo) {
    worker->memos[event->site * SITE_SPACES + event->space] = memo;
}

// As site `site`, which is the event's or that of wider accesses that begin where it does.
static void tell(struct worker *worker, const struct event_access *event, uint32_t site) {
    struct event_access told = *event;
    if (site != event->site) {
        told.site = site;
        told.width = worker->plan->planned[event->site].widths;
        told.pattern = event->pattern == EVENT_UNIFORM ? EVENT_UNIFORM : EVENT_ANY_PATTERN;
    }
    pass_on(worker, &told);
    if (worker->behind_memos)
        know(worker, event, worker->behind_memos[site * SITE_SPACES + event->space]);
}

// Does each lane access the same part of an aligned wide access?
static bool is_in_place(const struct worker *worker, const struct event_access *event) {
    const struct combine_site *planned = &worker->plan->planned[event->site];
    const uint32_t distance =
        (uint32_t)(planned->address - worker->plan->planned[planned->first].address);
    uint32_t odd = 0;
    for (int l = 0; l < WARP_LANES; l++)
        odd |= event->mask >> l & 1 ? event->offsets[l] - distance : 0;
    return (odd & (planned->widths - 1u)) == 0 && event->owner == event->block_number;
}

// It comes to nothing, and so do all like it.
static void drop(struct worker *worker, const struct event_access *event) {
    struct event_memo **part = &worker->parts[event->site];
    if (!worker->behind_memos)
        return;
    if (!*part) {
        *part = base_alloc_aligned(64, sizeof **part);
        (*part)->bytes = UINT64_MAX;
        (*part)->keep = worker->plan->planned[event->site].widths - 1u;
    }
    const uint32_t tag = event_memo_tag(event->pattern, event->offsets[0], (*part)->keep);
    if (tag)
        event_memo_place(*part, tag)->tag = tag;
    event_shape_of_offsets(&(*part)->shapes[0].shape, event->mask, event->offsets, (*part)->keep);
    know(worker, event, *part);
}

// Known requests of a site are alike to the bits of an address that say whether it is in place:
// these are among those that count.
static void access_one(struct worker *worker, const struct event_access *event) {
    const struct combine_site *planned = &worker->plan->planned[event->site];
    const bool is_wide =
        event->space == SITE_SHARED && planned->way != COMBINE_ALONE && is_in_place(worker, event);
    if (is_wide && planned->way == COMBINE_PART)
        drop(worker, event);
    else
        tell(worker, event,
             event->site +
                 (is_wide ? combine_variant(planned->widths) * worker->plan->site_count : 0));
}

static void access(void *state, const struct event_access *event) {
    struct worker *worker = state;
    if (event->site == EVENT_NONE) {
        pass_on(worker, event);
        return;
    }
    const struct combine_site *planned = &worker->plan->planned[event->site];
    if (event->space == SITE_SHARED && planned->way == COMBINE_HELD) {
        combiner_request(worker->combiner, event);
        return;
    }
    if (event->space == SITE_SHARED && planned->is_watched)
        combiner_pass(worker->combiner, event);
    access_one(worker, event);
    if (event->space == SITE_SHARED && planned->is_watched)
        know(worker, event, NULL);
}

static struct event_memo **memos(void *state) {
    return ((struct worker *)state)->memos;
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
    for (uint32_t s = 0; s < worker->plan->site_count; s++)
        free(worker->parts[s]);
    free(worker->parts);
    free(worker->memos);
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
        .access = behind->access ? access : NULL,
        .memos = behind->memos ? memos : NULL,
        .sync = behind->sync ? sync : NULL,
        .contention = behind->contention ? contention : NULL,
        .piece_end = behind->piece_end ? piece_end : NULL,
        .worker_end = end,
        .wants_unsited = behind->wants_unsited,
    };
    return &stream->observer;
}
