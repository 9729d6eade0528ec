// From events to runs of granules. See global.h.
#include "check/race/global.h"

#include <stdlib.h>
#include <unistd.h>

#include "check/race/global_internal.h"

enum { SHARE = 4 }; // the part of the machine's memory that the shadows of a launch may take

static uint64_t most_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / SHARE : 1ull << 30;
}

struct global_race *global_begin(const struct check_launch *launch) {
    struct global_race *race = base_alloc(sizeof *race);
    race->launch = launch;
    race->block_warps =
        (launch->block[0] * launch->block[1] * launch->block[2] + WARP_LANES - 1) / WARP_LANES;
    race->budget.limit = most_bytes();
    pthread_mutex_init(&race->lock, NULL);
    if (launch->is_ordered)
        race->order = global_order_create();
    else
        global_shadow_create(&race->grid, &race->budget);
    return race;
}

const struct clock_foreign_rules *global_rules(const struct global_race *race) {
    return race->order ? global_order_rules(race->order) : NULL;
}

void global_end(struct global_race *race, struct profile_findings *findings) {
    if (!race->order)
        global_search_grid(race);
    global_push_findings(race, findings);
    check_free_notes(&race->notes);
    global_order_free(race->order);
    global_shadow_free(&race->grid);
    pthread_mutex_destroy(&race->lock);
    free(race);
}

struct global_worker *global_worker_begin(struct global_race *race) {
    struct global_worker *worker = base_alloc(sizeof *worker);
    worker->race = race;
    global_shadow_create(&worker->shadow, &race->budget);
    return worker;
}

void global_worker_end(struct global_worker *w) {
    pthread_mutex_lock(&w->race->lock);
    check_merge_notes(&w->race->notes, &w->notes);
    pthread_mutex_unlock(&w->race->lock);
    global_shadow_free(&w->shadow);
    vec_free(&w->pages);
    free(w);
}

// ---- Domains -------------------------------------------------------------------------------

// A cluster's number, or a block's where there are none.
static uint64_t domain_of(const struct check_launch *launch, const uint32_t block[3]) {
    const uint32_t *size = launch->cluster;
    const uint64_t columns = launch->grid[0] / size[0], rows = launch->grid[1] / size[1];
    return block[0] / size[0] + columns * (block[1] / size[1] + rows * (block[2] / size[2]));
}

static bool enter(struct global_worker *w, struct clock *clock, uint32_t rank,
                  const uint32_t block[3]) {
    const uint64_t domain = domain_of(w->race->launch, block);
    if (domain >= UINT32_MAX) {
        __atomic_store_n(&w->race->has_missed, true, __ATOMIC_RELAXED);
        return false;
    }
    w->clock = clock;
    w->rank = rank;
    w->domain = (uint32_t)domain;
    return true;
}

static void leave(struct global_worker *w) {
    size_t kept = 0;
    for (size_t i = 0; i < w->pages.length; i++) {
        struct global_page *page = w->pages.data[i];
        if (page->domain != w->domain) {
            w->pages.data[kept++] = page;
            continue;
        }
        global_add_to_grid(w, page);
        global_page_drop(&w->shadow, page);
    }
    w->pages.length = kept;
}

static bool has_clusters(const struct check_launch *launch) {
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
}

void global_sync(struct global_worker *w, struct clock *clock, uint32_t rank,
                 const struct event_sync *event) {
    const bool is_end = event->kind == EVENT_BLOCK_END && !has_clusters(w->race->launch);
    if (event->kind != EVENT_FENCE && event->kind != EVENT_CLUSTER_END && !is_end)
        return;
    if (!enter(w, clock, rank, event->block))
        return;
    if (event->kind != EVENT_FENCE && !w->race->order)
        leave(w);
    if (event->kind == EVENT_FENCE && w->race->order)
        global_order_fence(w->race->order, clock, w->domain,
                           clock_warp_index(clock, rank, event->warp), event->mask, event->scope);
}

// ---- Runs ----------------------------------------------------------------------------------

// Blocks of one worker that take turns may come to the same page.
static struct global_page *page_of(struct global_worker *w, uint64_t address) {
    struct global_page *page = global_page_at(&w->shadow, address);
    if (!page || (page->is_listed && (w->race->order || page->domain == w->domain)))
        return page;
    if (page->is_listed) {
        global_add_to_grid(w, page);
        global_page_clear(page);
    } else if (!w->race->order) {
        vec_push(&w->pages, page);
    }
    page->domain = w->domain;
    page->is_listed = true;
    return page;
}

enum { ONE_THREAD = 40 }; // a width_shift

// Bytes side by side, of which each thread accesses `1 << width_shift`.
struct span {
    uint64_t address, bytes;
    unsigned width_shift;
    enum global_class class;
    struct global_stamp stamp;
    const uint8_t *values;
};

static bool needs_bytes(const struct span *span) {
    return ((span->address | span->bytes) & (GLOBAL_WORD - 1)) != 0 || span->width_shift < 2;
}

// The granules of one line. Returns how many bytes they are.
static uint64_t visit_line(struct global_worker *w, const struct span *span, uint64_t done,
                           struct global_page *page) {
    const unsigned shift = page->granule_shift;
    const unsigned granule = (unsigned)((span->address + done) % GLOBAL_PAGE) >> shift;
    const uint64_t left = (span->bytes - done) >> shift;
    struct global_run run = {.page = page,
                             .line = granule / GLOBAL_LINE,
                             .first = granule % GLOBAL_LINE,
                             .class = span->class,
                             .stamp = span->stamp,
                             .values = span->values ? span->values + done : NULL};
    run.count = left < GLOBAL_LINE - run.first ? (unsigned)left : GLOBAL_LINE - run.first;
    run.stamp.thread = (uint16_t)(run.stamp.thread + (done >> span->width_shift));
    run.stamp.shift = (uint8_t)(span->width_shift - shift);
    run.stamp.state = GLOBAL_WHOLE;
    if (run.stamp.shift > 5) // one thread, or several whose pieces are lines
        run.stamp.shift = 5;
    global_visit_run(w, &run);
    return (uint64_t)run.count << shift;
}

static void visit_span(struct global_worker *w, const struct span *span) {
    for (uint64_t done = 0; done < span->bytes;) {
        const uint64_t address = span->address + done;
        struct global_page *page = page_of(w, address);
        if (page && page->granule_shift && needs_bytes(span))
            global_page_refine(&w->shadow, page);
        done += page ? visit_line(w, span, done, page) : GLOBAL_PAGE - address % GLOBAL_PAGE;
    }
}

// ---- Events --------------------------------------------------------------------------------

static enum global_class class_of(const struct event_access *event) {
    const bool is_strong = event->order != EVENT_WEAK || event->intent == EVENT_ATOMIC;
    if (event->space == SITE_SHARED || event->intent == EVENT_READ) // the source of cp.async
        return is_strong && event->space != SITE_SHARED ? GLOBAL_STRONG_READ : GLOBAL_READ;
    if (!is_strong)
        return GLOBAL_WRITE;
    return event->order != EVENT_VOLATILE && event->scope < EVENT_GPU ? GLOBAL_NARROW
                                                                      : GLOBAL_STRONG_WRITE;
}

static unsigned log2_of(uint64_t bytes) {
    return 63u - (unsigned)__builtin_clzll(bytes);
}

// Nobody says what is written to surfaces: it is taken to be the same.
static const uint8_t same[WARP_LANES * EVENT_PIECE];

static struct span span_of(const struct global_worker *w, const struct event_access *event,
                           uint32_t warp_index, unsigned lane) {
    struct span span = {.address = event->addresses[lane],
                        .bytes = event->width,
                        .width_shift = log2_of(event->width),
                        .class = class_of(event)};
    span.stamp.domain = w->domain;
    span.stamp.instruction = event->instruction;
    span.stamp.thread = (uint16_t)clock_thread(warp_index, lane);
    span.stamp.time = clock_stamp(w->clock, warp_index);
    span.stamp.is_atomic = event->intent == EVENT_ATOMIC;
    if (event->proxy == EVENT_SURFACE_PROXY)
        span.values = same;
    else if (event->values && event->intent == EVENT_WRITE)
        span.values = (const uint8_t *)event->values + (size_t)lane * event->width;
    if (event->source_bytes)
        span.bytes = event->source_bytes[lane];
    if (event->bulk_bytes)
        span.bytes = event->bulk_bytes;
    if (span.bytes != event->width || (span.bytes & (span.bytes - 1)))
        span.width_shift = ONE_THREAD;
    return span;
}

static bool is_next(const struct event_access *event, const struct span *span, unsigned lane) {
    return span->width_shift != ONE_THREAD &&
           event->addresses[lane] == span->address + span->bytes &&
           (!event->source_bytes || event->source_bytes[lane] == event->width);
}

// Lanes whose pieces lie side by side are one span.
static void visit_lanes(struct global_worker *w, const struct event_access *event,
                        uint32_t warp_index) {
    if (event->pattern == EVENT_LINEAR) {
        struct span all = span_of(w, event, warp_index, 0);
        all.bytes *= WARP_LANES;
        visit_span(w, &all);
        return;
    }
    for (uint32_t rest = event->mask; rest;) {
        const unsigned first = (unsigned)__builtin_ctz(rest);
        struct span span = span_of(w, event, warp_index, first);
        unsigned next = first + 1;
        for (; next < WARP_LANES && rest >> next & 1 && is_next(event, &span, next); next++)
            span.bytes += event->width;
        rest = next < WARP_LANES ? rest & ~0u << next : 0;
        visit_span(w, &span);
    }
}

// All lanes read one piece, or change it by atomics: two of them say as much as all.
static void visit_ends(struct global_worker *w, const struct event_access *event,
                       uint32_t warp_index) {
    const struct span first = span_of(w, event, warp_index, 0);
    const struct span last = span_of(w, event, warp_index, WARP_LANES - 1);
    visit_span(w, &first);
    visit_span(w, &last);
}

static void order_lane(struct global_worker *w, const struct event_access *event,
                       uint32_t warp_index, unsigned lane, bool acquires) {
    struct global_visit visit = {.clock = w->clock,
                                 .domain = w->domain,
                                 .thread = clock_thread(warp_index, lane),
                                 .address = event->addresses[lane],
                                 .order = event->order,
                                 .scope = event->scope};
    if (event->order == EVENT_VOLATILE)
        visit.scope = EVENT_SYS;
    for (unsigned at = 0; at < event->width; at += GLOBAL_WORD, visit.address += GLOBAL_WORD)
        (acquires ? global_order_acquire : global_order_release)(w->race->order, &visit);
}

// What orders is told lane by lane, as it happens: a lane may acquire what the one before released.
static void visit_strong(struct global_worker *w, const struct event_access *event,
                         uint32_t warp_index) {
    for (uint32_t rest = event->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (event->intent != EVENT_WRITE)
            order_lane(w, event, warp_index, lane, true);
        const struct span span = span_of(w, event, warp_index, lane);
        visit_span(w, &span);
        if (event->intent != EVENT_READ)
            order_lane(w, event, warp_index, lane, false);
    }
}

static bool is_alone(const struct event_access *event) {
    return !(event->mask & (event->mask - 1)) && event->width <= 8 && !event->bulk_bytes;
}

void global_access(struct global_worker *w, struct clock *clock, uint32_t rank,
                   const struct event_access *event) {
    if (!event->addresses || !enter(w, clock, rank, event->block))
        return;
    const uint32_t warp_index = clock_warp_index(clock, rank, event->warp);
    const enum global_class class = class_of(event);
    const bool is_strong = class != GLOBAL_READ && class != GLOBAL_WRITE;
    if (w->race->order && is_strong && !event->bulk_bytes)
        visit_strong(w, event, warp_index);
    else if (event->pattern == EVENT_UNIFORM && class != GLOBAL_WRITE)
        visit_ends(w, event, warp_index);
    else
        visit_lanes(w, event, warp_index);
    // A plain write of one thread behind a fence may be a flag.
    if (w->race->order && class == GLOBAL_WRITE && is_alone(event))
        order_lane(w, event, warp_index, (unsigned)__builtin_ctz(event->mask), false);
}
