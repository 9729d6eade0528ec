// The checker of accesses that leave their array for what lies beside it in shared memory. It knows
// an access's array where its address is made of that array's address and nothing else that may be
// one (ir_shared_origins); it says nothing of others.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "check/checker.h"
#include "check/notes.h"
#include "event/filter.h"
#include "profile/recorder.h"

struct array { // of a site; 0 bytes: it is not known
    const struct ir_variable *variable;
    uint32_t first, bytes, unit; // unit: of an element, as the instruction has it
};

struct array_worker {
    const struct array_check *check;
    const struct array *arrays;
    struct check_notes notes;
    struct event_memo *memo, **memos; // of each site: requests that stay inside
};

struct array_check {
    const struct check_launch *launch;
    struct event_observer observer;
    struct array *arrays; // of each site
    uint32_t site_count;
    bool knows_any; // of one site at least
    struct array_worker *workers;
};

// ---- While the launch runs ----------------------------------------------------------------------

enum { DETAIL_OFFSET, DETAIL_SITE, DETAIL_ACCESSED }; // accessed: what lies there, counted from 0

static void note(struct array_worker *worker, const struct event_access *event, unsigned lane,
                 uint32_t offset) {
    static const char *const roles[] = {
        [EVENT_READ] = "reads", [EVENT_WRITE] = "writes", [EVENT_ATOMIC] = "updates"};
    const struct array *array = &worker->arrays[event->site];
    check_note(&worker->notes,
               &(struct check_note){.kind = "array-overrun",
                                    .count = 1,
                                    .at = {{.role = roles[event->intent],
                                            .instruction = event->instruction,
                                            .has_thread = true,
                                            .thread = event->warp * WARP_LANES + lane,
                                            .block = event->block_number}},
                                    .at_count = 1,
                                    .details = {offset - array->first, event->site, offset}});
}

// Lanes of the request that leave the array. `extent`: of a lane's piece.
static uint32_t lanes_outside(const struct array *array, const struct event_access *event,
                              uint64_t extent) {
    uint32_t outside = 0;
    for (unsigned l = 0; l < WARP_LANES; l++) { // in front of the array: more than any array has
        const uint32_t place = event->offsets[l] - array->first;
        outside |= (uint32_t)(place + extent > array->bytes) << l;
    }
    return outside & event->mask;
}

// Where the request's pieces begin, from its first lane's on, and where the last of them ends.
static void span_of(const struct event_access *event, int64_t *begin, int64_t *end) {
    const uint32_t first = event->offsets[__builtin_ctz(event->mask)];
    *begin = 0;
    *end = event->pattern == EVENT_LINEAR ? WARP_LANES * (int64_t)event->width : event->width;
    for (uint32_t rest = event->pattern ? 0 : event->mask; rest; rest &= rest - 1) {
        const int64_t at = (int64_t)event->offsets[__builtin_ctz(rest)] - first;
        *begin = at < *begin ? at : *begin;
        *end = at + event->width > *end ? at + event->width : *end;
    }
}

// Requests like this one stay inside, too, as long as all of it lies in the array.
static void remember(struct array_worker *worker, const struct event_access *event) {
    const struct array *array = &worker->arrays[event->site];
    struct event_memo *memo = &worker->memo[event->site];
    int64_t begin, end;
    span_of(event, &begin, &end);
    *memo = (struct event_memo){.first = (uint64_t)((int64_t)array->first - begin),
                                .bytes = (uint64_t)(array->bytes - (end - begin) + 1)};
    if (event->pattern) {
        const uint32_t tag = event_memo_tag(event->pattern, 0, 0);
        event_memo_place(memo, tag)->tag = tag;
    } else {
        event_shape_of_offsets(&memo->shapes[0].shape, event->mask, event->offsets, 0);
    }
    worker->memos[event->site * SITE_SPACES + SITE_SHARED] = memo;
}

static void on_access(void *state, const struct event_access *event) {
    struct array_worker *worker = state;
    const struct array *array = &worker->arrays[event->site];
    if (event->space != SITE_SHARED || !array->bytes || event->owner != event->block_number ||
        event->pieces)
        return;
    const uint32_t outside =
        lanes_outside(array, event, event->bulk_bytes ? event->bulk_bytes : event->width);
    if (outside)
        note(worker, event, (unsigned)__builtin_ctz(outside),
             event->offsets[__builtin_ctz(outside)]);
    else if (!event->bulk_bytes)
        remember(worker, event);
}

// What there is to know of a site without an array: nothing.
static void know_nothing(struct array_worker *worker, uint32_t site, enum site_space space) {
    static const enum event_pattern patterns[] = {EVENT_LINEAR, EVENT_UNIFORM};
    struct event_memo *memo = &worker->memo[worker->check->site_count];
    *memo = (struct event_memo){.bytes = UINT64_MAX};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t tag = event_memo_tag(patterns[i], 0, 0);
        event_memo_place(memo, tag)->tag = tag;
    }
    worker->memos[site * SITE_SPACES + space] = memo;
}

static void *worker_begin(void *context, unsigned number) {
    struct array_check *check = context;
    struct array_worker *worker = &check->workers[number];
    worker->check = check;
    worker->arrays = check->arrays;
    worker->memo = base_alloc_aligned(_Alignof(struct event_memo),
                                      (check->site_count + 1) * sizeof *worker->memo);
    worker->memos = base_alloc((check->site_count + 1) * SITE_SPACES * sizeof *worker->memos);
    for (uint32_t s = 0; s < check->site_count; s++) {
        know_nothing(worker, s, SITE_GLOBAL);
        if (!check->arrays[s].bytes)
            know_nothing(worker, s, SITE_SHARED);
    }
    return worker;
}

static struct event_memo **memos_of(void *state) {
    return ((struct array_worker *)state)->memos;
}

static void worker_end(void *state) {
    struct array_worker *worker = state;
    free(worker->memos);
    free(worker->memo);
}

// ---- A launch -----------------------------------------------------------------------------------

static uint32_t bytes_of(const struct check_launch *launch, const struct ir_variable *variable) {
    return variable->ptx->is_unsized ? launch->dynamic_shared_bytes
                                     : (uint32_t)variable->ptx->bytes;
}

static struct array *find_arrays(const struct check_launch *launch, uint32_t *site_count,
                                 bool *knows_any) {
    struct ir_kernel_site *sites = ir_kernel_sites(launch->kernel, site_count);
    const struct ir_variable **origins = ir_shared_origins(launch->kernel);
    struct array *arrays = base_alloc((*site_count + 1) * sizeof *arrays);
    for (uint32_t s = 0; s < *site_count; s++) {
        uint64_t first;
        if (!origins[s] || !ir_shared_offset(launch->layout, origins[s], &first))
            continue;
        const struct ir_instruction *instruction =
            &sites[s].function->instructions[sites[s].site->instruction];
        const unsigned unit = ptx_type_bytes((enum ptx_type)instruction->ptx->types[0]);
        arrays[s] = (struct array){.variable = origins[s],
                                   .first = (uint32_t)first,
                                   .bytes = bytes_of(launch, origins[s]),
                                   .unit = unit ? unit : 1};
        *knows_any = true;
    }
    free(origins);
    free(sites);
    return arrays;
}

static void *begin(const struct check_launch *launch) {
    struct array_check *check = base_alloc(sizeof *check);
    check->launch = launch;
    check->arrays = find_arrays(launch, &check->site_count, &check->knows_any);
    check->workers = base_alloc((launch->workers + 1) * sizeof *check->workers);
    check->observer = (struct event_observer){.context = check,
                                              .worker_begin = worker_begin,
                                              .access = check->knows_any ? on_access : NULL,
                                              .memos = memos_of,
                                              .worker_end = worker_end};
    return check;
}

static const struct event_observer *observer(void *state) {
    return &((struct array_check *)state)->observer;
}

// ---- What it found ------------------------------------------------------------------------------

static void put_message(const struct array_check *check, const struct array *array,
                        const char *name, uint32_t offset, struct strbuf *out) {
    const struct ir_variable *there =
        ir_shared_variable_at(check->launch->layout, offset, check->launch->dynamic_shared_bytes);
    char *other = there ? profile_array_name(there->name) : NULL;
    strbuf_printf(out, "%s has %u elements of %u bytes, and the access is ", name,
                  array->bytes / array->unit, array->unit);
    if (other && there->ptx != array->variable->ptx)
        strbuf_printf(out, "in %s", other);
    else
        strbuf_puts(out,
                    offset - array->first < array->bytes ? "partly behind it" : "between arrays");
    free(other);
}

static void say(const void *context, const struct check_note *note, struct profile_finding *finding,
                struct check_words *words) {
    const struct array_check *check = context;
    const struct array *array = &check->arrays[note->details[DETAIL_SITE]];
    char *name = profile_array_name(array->variable->name);
    check_put_element(check->launch, array->variable, (int32_t)note->details[DETAIL_OFFSET],
                      array->unit, &words->object);
    put_message(check, array, name, (uint32_t)note->details[DETAIL_ACCESSED], &words->message);
    finding->help = "keep the index inside of the array, or make the array larger";
    free(name);
}

static void end(void *state, struct profile_findings *findings) {
    struct array_check *check = state;
    struct check_notes all = {0};
    for (unsigned i = 0; i < check->launch->workers; i++)
        check_merge_notes(&all, &check->workers[i].notes);
    check_push_notes(check->launch, PROFILE_CHECK_MEMORY, &all, say, check, findings);
    free(check->arrays);
    free(check->workers);
    free(check);
}

const struct check_checker check_array = {
    .check = PROFILE_CHECK_MEMORY, .begin = begin, .observer = observer, .end = end};
