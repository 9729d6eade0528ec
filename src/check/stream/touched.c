// A table of three levels, from the high bits of the address to pages of bitmaps, that all workers
// fill without locks: bits are only ever set, so that the order in which they do so leaves no mark.
#include "check/stream/touched.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { PAGE_BITS = 12, LEAF_BITS = 9, MIDDLE_BITS = 14, TOP_BITS = 13 };
enum { LEAF_SHIFT = PAGE_BITS, MIDDLE_SHIFT = LEAF_SHIFT + LEAF_BITS };
enum { TOP_SHIFT = MIDDLE_SHIFT + MIDDLE_BITS };

struct page {
    uint64_t *bits[CHECK_TOUCHES]; // CHECK_PAGE_WORDS of them; NULL: none
};
struct leaf {
    struct page pages[1 << LEAF_BITS];
};
struct middle {
    struct leaf *leaves[1 << MIDDLE_BITS];
};

struct check_touched {
    struct event_observer observer;
    const struct ir_function *kernel;
    uint32_t instructions; // of the kernel and what it calls
    struct middle *top[1 << TOP_BITS];
    struct check_trace trace;
    pthread_mutex_t lock; // of its ranges
};

// What an instruction touched, on one worker.
struct extent {
    uint64_t first, last; // first > last: nothing
    enum check_touch touch;
};

struct worker {
    struct check_touched *touched;
    struct extent *extents; // by instruction
};

// The memory behind *slot, which is made if it is not there yet.
static void *behind(void *slot, size_t bytes) {
    void **place = slot, *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    void *made = base_alloc(bytes);
    if (__atomic_compare_exchange_n(place, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return found;
}

static struct page *page_at(struct check_touched *touched, uint64_t address) {
    const uint64_t top = address >> TOP_SHIFT & ((1 << TOP_BITS) - 1);
    struct middle *middle = behind(&touched->top[top], sizeof *middle);
    const uint64_t at = address >> MIDDLE_SHIFT & ((1 << MIDDLE_BITS) - 1);
    struct leaf *leaf = behind(&middle->leaves[at], sizeof *leaf);
    return &leaf->pages[address >> LEAF_SHIFT & ((1 << LEAF_BITS) - 1)];
}

static void set_bits(uint64_t *word, uint64_t bits) {
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

// The bytes lie in one page.
static void mark_page(struct check_touched *touched, enum check_touch touch, uint64_t address,
                      uint64_t bytes) {
    struct page *page = page_at(touched, address);
    uint64_t *words = behind(&page->bits[touch], CHECK_PAGE / 8);
    unsigned at = address % CHECK_PAGE;
    while (bytes) {
        const unsigned room = 64 - at % 64, count = bytes < room ? (unsigned)bytes : room;
        set_bits(&words[at / 64], (UINT64_MAX >> (64 - count)) << at % 64);
        at += count;
        bytes -= count;
    }
}

void check_touched_mark(struct check_touched *touched, enum check_touch touch, uint64_t begin,
                        uint64_t bytes) {
    while (bytes) {
        const uint64_t room = CHECK_PAGE - begin % CHECK_PAGE, count = bytes < room ? bytes : room;
        mark_page(touched, touch, begin, count);
        begin += count;
        bytes -= count;
    }
}

// ---- The observer -----------------------------------------------------------------------------

static void raise_flag(bool *flag) {
    if (!__atomic_load_n(flag, __ATOMIC_RELAXED))
        __atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

// Accesses that are strong among the threads of a block are weak to other operations.
static bool is_strong(const struct event_access *event) {
    if (event->order == EVENT_WEAK)
        return event->intent == EVENT_ATOMIC;
    return event->order == EVENT_VOLATILE || event->scope >= EVENT_GPU;
}

static enum check_touch touch_of(const struct event_access *event) {
    const bool writes = event->intent != EVENT_READ;
    if (is_strong(event))
        return writes ? CHECK_STRONG_WRITE : CHECK_STRONG_READ;
    return writes ? CHECK_WRITE : CHECK_READ;
}

static void note_manner(struct check_trace *trace, const struct event_access *event) {
    if (!is_strong(event))
        return;
    if (event->order >= EVENT_ACQUIRE)
        raise_flag(&trace->synchronises);
    if (event->intent != EVENT_READ && event->order != EVENT_WEAK &&
        (event->order == EVENT_VOLATILE || event->scope == EVENT_SYS))
        raise_flag(&trace->tells_system);
}

static void mark(struct worker *worker, const struct event_access *event, enum check_touch touch,
                 uint64_t begin, uint64_t bytes) {
    if (!bytes)
        return;
    check_touched_mark(worker->touched, touch, begin, bytes);
    if (event->instruction >= worker->touched->instructions)
        return;
    struct extent *extent = &worker->extents[event->instruction];
    if (begin < extent->first)
        extent->first = begin;
    if (begin + bytes - 1 > extent->last)
        extent->last = begin + bytes - 1;
    extent->touch = touch;
}

static void mark_bulk(struct worker *worker, const struct event_access *event,
                      enum check_touch touch) {
    if (!event->pieces)
        mark(worker, event, touch, event->addresses[0], event->bulk_bytes);
    for (uint64_t i = 0; event->pieces && i < event->bulk_bytes / EVENT_PIECE; i++)
        mark(worker, event, touch, event->addresses[0] + event->pieces[i], EVENT_PIECE);
}

static void mark_lanes(struct worker *worker, const struct event_access *event,
                       enum check_touch touch) {
    for (uint32_t left = event->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        mark(worker, event, touch, event->addresses[lane],
             event->source_bytes ? event->source_bytes[lane] : event->width);
    }
}

static void on_access(void *state, const struct event_access *event) {
    struct worker *worker = state;
    if (!event->addresses)
        return;
    if (event->space == SITE_SHARED) { // the source of cp.async
        mark_lanes(worker, event, CHECK_READ);
        return;
    }
    const enum check_touch touch = touch_of(event);
    note_manner(&worker->touched->trace, event);
    if (event->bulk_bytes)
        mark_bulk(worker, event, touch);
    else if (event->pattern == EVENT_LINEAR)
        mark(worker, event, touch, event->addresses[0], (uint64_t)event->width * WARP_LANES);
    else if (event->pattern == EVENT_UNIFORM)
        mark(worker, event, touch, event->addresses[0], event->width);
    else
        mark_lanes(worker, event, touch);
}

static void on_sync(void *state, const struct event_sync *event) {
    const struct worker *worker = state;
    if (event->kind == EVENT_FENCE && event->scope >= EVENT_GPU)
        raise_flag(&worker->touched->trace.synchronises);
}

static void *begin_worker(void *context, unsigned number) {
    struct check_touched *touched = context;
    struct worker *worker = base_alloc(sizeof *worker);
    (void)number;
    worker->touched = touched;
    worker->extents = base_alloc((touched->instructions + 1) * sizeof *worker->extents);
    for (uint32_t i = 0; i < touched->instructions; i++)
        worker->extents[i].first = UINT64_MAX;
    return worker;
}

static void add_range(struct check_touched *touched, uint32_t instruction,
                      const struct extent *extent) {
    for (size_t i = 0; i < touched->trace.ranges.length; i++) {
        struct check_range *range = &touched->trace.ranges.data[i];
        if (range->kernel != touched->kernel || range->instruction != instruction ||
            range->touch != extent->touch)
            continue;
        range->first = range->first < extent->first ? range->first : extent->first;
        range->last = range->last > extent->last ? range->last : extent->last;
        return;
    }
    vec_push(&touched->trace.ranges,
             (struct check_range){touched->kernel, instruction, extent->touch, extent->first,
                                  extent->last});
}

static void end_worker(void *state) {
    struct worker *worker = state;
    struct check_touched *touched = worker->touched;
    pthread_mutex_lock(&touched->lock);
    for (uint32_t i = 0; i < touched->instructions; i++)
        if (worker->extents[i].first <= worker->extents[i].last)
            add_range(touched, i, &worker->extents[i]);
    pthread_mutex_unlock(&touched->lock);
    free(worker->extents);
    free(worker);
}

struct check_touched *check_touched_create(void) {
    struct check_touched *touched = base_alloc(sizeof *touched);
    pthread_mutex_init(&touched->lock, NULL);
    touched->observer = (struct event_observer){
        .context = touched,
        .worker_begin = begin_worker,
        .access = on_access,
        .sync = on_sync,
        .worker_end = end_worker,
        .wants_unsited = true,
    };
    return touched;
}

const struct event_observer *check_touched_observer(struct check_touched *touched,
                                                    const struct ir_function *kernel) {
    uint32_t count;
    const struct ir_function **functions = ir_reachable(kernel, &count);
    touched->kernel = kernel;
    touched->instructions = 0;
    for (uint32_t i = 0; i < count; i++)
        touched->instructions += functions[i]->instruction_count;
    free(functions);
    return &touched->observer;
}

// ---- The end ----------------------------------------------------------------------------------

static void take_leaf(struct leaf *leaf, uint64_t address, struct check_footprint *footprint) {
    for (uint64_t i = 0; i < 1 << LEAF_BITS; i++)
        for (int touch = 0; touch < CHECK_TOUCHES; touch++) {
            uint64_t *bits = leaf->pages[i].bits[touch];
            if (bits)
                check_footprint_add_page(footprint, touch, address + (i << LEAF_SHIFT), bits);
            free(bits);
        }
    free(leaf);
}

static void take_middle(struct middle *middle, uint64_t address,
                        struct check_footprint *footprint) {
    for (uint64_t i = 0; i < 1 << MIDDLE_BITS; i++)
        if (middle->leaves[i])
            take_leaf(middle->leaves[i], address + (i << MIDDLE_SHIFT), footprint);
    free(middle);
}

static int by_instruction(const void *a, const void *b) {
    const struct check_range *x = a, *y = b;
    return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

struct check_trace check_touched_finish(struct check_touched *touched) {
    struct check_trace trace = touched->trace;
    for (uint64_t i = 0; i < 1 << TOP_BITS; i++)
        if (touched->top[i])
            take_middle(touched->top[i], i << TOP_SHIFT, &trace.footprint);
    if (trace.ranges.length)
        qsort(trace.ranges.data, trace.ranges.length, sizeof *trace.ranges.data, by_instruction);
    pthread_mutex_destroy(&touched->lock);
    free(touched);
    return trace;
}

void check_trace_free(struct check_trace *trace) {
    check_footprint_free(&trace->footprint);
    vec_free(&trace->ranges);
}
