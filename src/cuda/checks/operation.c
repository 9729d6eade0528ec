// Operations: what they touch, and what they come after.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/strbuf.h"
#include "cuda/checks/checker.h"
#include "cuda/graph/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/event.h"
#include "cuda/stream/operation.h"

// What is touched matters where other operations, or the host, may touch it meanwhile.
static bool gathers(const struct cuda_checker *checker) {
    return check_order_is_parallel(checker->order) || checker->has_host_memory;
}

// ---- What copies and fills touch ----------------------------------------------------------------

static bool is_device_memory(const struct cuda_state *state, const void *at) {
    const struct sim_allocation *found = cuda_allocation(state, at);
    return found && found->kind != SIM_HOST && found->kind != SIM_MANAGED;
}

// Pageable memory is copied before the call returns, or waited for.
static void add_rows(const struct cuda_state *state, struct check_footprint *footprint,
                     enum check_touch touch, const struct cuda_place *place,
                     const struct cuda_extent *extent) {
    if (!cuda_allocation(state, place->at))
        return;
    for (size_t z = 0; z < extent->depth; z++)
        for (size_t y = 0; y < extent->height; y++) {
            const uint64_t row =
                (uint64_t)(uintptr_t)place->at + (z * place->slice_rows + y) * place->pitch;
            check_footprint_add(footprint, touch, row, row + extent->width);
        }
    check_footprint_sort(footprint);
}

static void add_copy(const struct cuda_state *state, struct check_footprint *footprint,
                     const struct cuda_copy *copy) {
    add_rows(state, footprint, CHECK_READ, &copy->source, &copy->extent);
    add_rows(state, footprint, CHECK_WRITE, &copy->target, &copy->extent);
}

static void add_fill(const struct cuda_state *state, struct check_footprint *footprint,
                     const struct cuda_fill *fill) {
    const struct cuda_place place = {fill->at, fill->pitch, fill->slice_rows};
    const struct cuda_extent extent = {fill->width * fill->element, fill->height, fill->depth};
    add_rows(state, footprint, CHECK_WRITE, &place, &extent);
}

static void add_region(struct check_footprint *footprint, const struct cuda_region *region) {
    const uint64_t at = (uint64_t)(uintptr_t)region->at;
    check_footprint_add(footprint, CHECK_WRITE, at, at + region->bytes);
}

// ---- What the host has waited for with it -----------------------------------------------------

static bool is_between_devices(const struct cuda_state *state, const struct cuda_copy *copy) {
    const struct sim_allocation *from = cuda_allocation(state, copy->source.at);
    const struct sim_allocation *to = cuda_allocation(state, copy->target.at);
    return from && to && from->device != to->device;
}

// As the runtime's "API synchronization behavior" has it: within a device copies never wait, others
// do unless they are asynchronous, and to pageable memory even then.
static bool copy_waits(const struct cuda_state *state, const struct cuda_copy *copy,
                       bool is_in_graph) {
    const bool to_device = is_device_memory(state, copy->target.at);
    const bool from_device = is_device_memory(state, copy->source.at);
    if (is_in_graph || (to_device && from_device))
        return false;
    if (!copy->is_queued || !cuda_allocation(state, copy->target.at))
        return true;
    return !from_device && !to_device && !cuda_allocation(state, copy->source.at);
}

// A fill of memory that the host can touch is synchronous, unless it was asked to be otherwise;
// nobody relies on the opposite.
static bool fill_waits(const struct cuda_state *state, const struct cuda_fill *fill,
                       bool is_in_graph) {
    return !is_in_graph && !is_device_memory(state, fill->at) &&
           (!fill->stream || fill->stream == CUDA_STREAM_LEGACY);
}

// Or that of another process.
static bool touches_host_memory(const struct cuda_state *state,
                                const struct check_footprint *footprint) {
    for (size_t i = 0; i < footprint->pieces[CHECK_STRONG_WRITE].length; i++) {
        const struct sim_allocation *found = sim_find(
            cuda_any_sim(state), footprint->pieces[CHECK_STRONG_WRITE].data[i].begin, false);
        if (found && (found->kind == SIM_HOST || found->kind == SIM_MANAGED || found->is_shared))
            return true;
    }
    return false;
}

// Whether the host may know, or does, that the operation is done when its call returns.
static bool host_waits(struct cuda_state *state, const struct cuda_operation *operation,
                       const struct check_trace *trace, bool is_in_graph) {
    switch (operation->kind) {
    case CUDA_NODE_KERNEL: // it may tell by a flag that the host polls
        return trace->tells_system && touches_host_memory(state, &trace->footprint);
    case CUDA_NODE_MEMCPY:
        return copy_waits(state, &operation->u.copy.copy, is_in_graph) ||
               is_between_devices(state, &operation->u.copy.copy);
    case CUDA_NODE_MEMSET:
        return fill_waits(state, &operation->u.fill, is_in_graph);
    case CUDA_NODE_HOST: // the function may tell other threads
        return true;
    default:
        return false;
    }
}

// ---- Runs -------------------------------------------------------------------------------------

static char *name_operation(const struct cuda_state *state, const struct cuda_operation *operation,
                            bool is_in_graph) {
    static const char *const nodes[] = {
        [CUDA_NODE_MEMCPY] = "a copy",
        [CUDA_NODE_MEMSET] = "a fill",
        [CUDA_NODE_ALLOCATE] = "an allocation",
        [CUDA_NODE_FREE] = "a free",
    };
    struct strbuf text = {0};
    if (operation->kind == CUDA_NODE_KERNEL) {
        char *name = base_drop_parameters(base_demangle(operation->u.kernel.function->name));
        strbuf_printf(&text, "kernel %s", name);
        free(name);
    } else if (!is_in_graph && state->call) {
        strbuf_puts(&text, state->call);
    } else {
        const char *node =
            (size_t)operation->kind < sizeof nodes / sizeof *nodes ? nodes[operation->kind] : NULL;
        strbuf_puts(&text, node ? node : "an operation");
    }
    return strbuf_take(&text);
}

static char *name_place(const struct cuda_state *state, const struct cuda_check_site *site) {
    char stream[CUDA_CHECK_TEXT];
    struct strbuf text = {0};
    cuda_check_name_stream(state, site->handle, stream);
    strbuf_printf(&text, "%s%s", site->is_in_graph ? "a graph in " : "", stream);
    return strbuf_take(&text);
}

static void describe(const struct cuda_state *state, const struct cuda_operation *operation,
                     struct check_operation *made) {
    switch (operation->kind) {
    case CUDA_NODE_MEMCPY:
        add_copy(state, &made->trace.footprint, &operation->u.copy.copy);
        break;
    case CUDA_NODE_MEMSET:
        add_fill(state, &made->trace.footprint, &operation->u.fill);
        break;
    case CUDA_NODE_ALLOCATE:
        made->kind = CHECK_ALLOCATE;
        add_region(&made->trace.footprint, operation->u.allocate.region);
        break;
    case CUDA_NODE_FREE:
        made->kind = CHECK_FREE;
        add_region(&made->trace.footprint, operation->u.freed);
        break;
    default:
        break;
    }
}

static void add_to_order(struct cuda_state *state, const struct cuda_check_site *site,
                         struct check_clock *before, struct check_operation *made) {
    struct check_order *order = state->checker->order;
    const struct check_operation *kept =
        site->is_in_graph ? check_order_run_branch(order, site->stream, site->branch, before, made)
                          : check_order_run(order, site->stream, before, made);
    if (kept)
        cuda_check_watch(state, kept);
}

static void follow_event(const struct cuda_operation *operation, struct check_clock *before) {
    struct cuda_event *event = operation->u.event;
    if (operation->kind == CUDA_NODE_WAIT_EVENT)
        check_clock_join(before, &event->clock);
    if (operation->kind == CUDA_NODE_RECORD_EVENT && event->handle.is_live)
        check_clock_copy(&event->clock, before);
}

// Work between devices is in order with all that these do.
static void wait_for_devices(struct cuda_state *state, const struct cuda_operation *operation,
                             struct check_clock *before) {
    if (operation->kind != CUDA_NODE_MEMCPY || !is_between_devices(state, &operation->u.copy.copy))
        return;
    cuda_check_waits_for_all(state);
    check_clock_join(before, check_order_host(state->checker->order));
}

// A function of the host's may touch what the operations before it do, while other threads of the
// program make calls.
static enum cuda_error run_unwatched(struct cuda_state *state,
                                     const struct cuda_operation *operation) {
    state->checker->host_functions++;
    const enum cuda_error error = cuda_operation_run(state, operation);
    if (state->checker)
        state->checker->host_functions--;
    return error;
}

static enum cuda_error run_gathering(struct cuda_state *state,
                                     const struct cuda_operation *operation,
                                     struct check_operation *made) {
    struct cuda_checker *checker = state->checker;
    const bool wants = gathers(checker);
    if (operation->kind == CUDA_NODE_HOST)
        return run_unwatched(state, operation);
    if (wants)
        describe(state, operation, made);
    if (!wants || operation->kind != CUDA_NODE_KERNEL)
        return cuda_operation_run(state, operation);
    checker->touched = check_touched_create();
    const enum cuda_error error = cuda_operation_run(state, operation);
    made->trace = check_touched_finish(checker->touched);
    checker->touched = NULL;
    return error;
}

enum cuda_error cuda_check_run_at(struct cuda_state *state, const struct cuda_check_site *site,
                                  struct check_clock *before,
                                  const struct cuda_operation *operation) {
    struct check_operation made = {0};
    wait_for_devices(state, operation, before);
    cuda_check_stop_watching(state);
    const enum cuda_error error = run_gathering(state, operation, &made);
    if (!state->checker) // the process ended in a function of the host's
        return error;
    follow_event(operation, before);
    made.what = name_operation(state, operation, site->is_in_graph);
    made.where = name_place(state, site);
    const bool waits = host_waits(state, operation, &made.trace, site->is_in_graph);
    add_to_order(state, site, before, &made);
    if (waits)
        check_order_host_knows(state->checker->order, before);
    cuda_check_stop_watching(state);
    cuda_check_go_on_watching(state);
    return error;
}

enum cuda_error cuda_check_run(struct cuda_state *state, cuda_stream stream,
                               const struct cuda_operation *operation) {
    if (!state->checker)
        return cuda_operation_run(state, operation);
    struct check_clock before = {0};
    struct cuda_check_site site = {.handle = stream,
                                   .stream = cuda_check_enter(state, stream, &before)};
    const enum cuda_error error = cuda_check_run_at(state, &site, &before, operation);
    if (state->checker)
        check_order_wait(state->checker->order, site.stream, &before);
    check_clock_free(&before);
    return error;
}

const struct event_observer *cuda_check_observer(struct cuda_state *state,
                                                 const struct ir_function *kernel) {
    struct check_touched *touched = state->checker ? state->checker->touched : NULL;
    return touched ? check_touched_observer(touched, kernel) : NULL;
}

void cuda_check_kernel_copies(struct cuda_state *state, uint64_t to, uint64_t from,
                              uint64_t bytes) {
    struct check_touched *touched = state->checker ? state->checker->touched : NULL;
    if (touched)
        check_touched_mark(touched, CHECK_WRITE, to, bytes);
    if (touched && from)
        check_touched_mark(touched, CHECK_READ, from, bytes);
}
