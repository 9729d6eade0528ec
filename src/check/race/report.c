// Races in shared memory as findings.
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "check/race/domain.h"

// Of a note: the first byte, how wide the access is, and which of the two a thread comes to first.
enum { DETAIL_OFFSET, DETAIL_WIDTH, DETAIL_ORDER };
enum { ORDER_UNKNOWN, ORDER_AS_NAMED, ORDER_REVERSED };

static const char exited[] = "exited-block", unfenced[] = "missing-proxy-fence";
static const char forgotten[] = "not-all-checked";
static const char *const kinds[] = {"write-write", "read-write", "async-copy"};

static bool is_read(unsigned class) {
    return class == SHARED_READ || class == SHARED_STRONG_READ;
}

static const char *role_of(unsigned class, bool is_copy) {
    return is_copy                  ? is_read(class) ? "copies from it" : "copies to it"
           : is_read(class)         ? "reads"
           : class == SHARED_ATOMIC ? "changes it atomically"
                                    : "writes";
}

static struct check_at place_of(const struct race_domain *d, uint32_t thread, uint32_t instruction,
                                const char *role) {
    const uint32_t block = d->clock->block_warps * WARP_LANES;
    return (struct check_at){.role = role,
                             .instruction = instruction,
                             .has_thread = true,
                             .thread = thread % block,
                             .block = d->blocks[thread / block].number};
}

// Of the earlier one, if it is a copy, the lane knows that it began, but not that it ended.
static bool is_copy_not_waited(const struct shared_visit *v, unsigned lane,
                               const struct shared_entry *e, unsigned other) {
    return e->issue && shared_lane_knows(v, lane, e->thread, 1u << other, e->issue);
}

// Which of two places is named first: of a copy and its use the copy, of a write and a read the
// write, else the first instruction.
static bool is_before(const struct check_at *a, unsigned rank, const struct check_at *b,
                      unsigned other_rank) {
    if (rank != other_rank)
        return rank < other_rank;
    return a->instruction != b->instruction ? a->instruction < b->instruction
           : a->block != b->block           ? a->block < b->block
                                            : a->thread < b->thread;
}

static uint64_t array_of(const struct check_launch *launch, uint64_t offset) {
    const struct ir_variable *variable =
        ir_shared_variable_at(launch->layout, offset, launch->dynamic_shared_bytes);
    return variable ? variable->offset + 1 : 0;
}

// Whether a warp of the block came to the instruction before it came to this access.
static bool came_by(const struct shared_log *log, uint32_t thread, uint32_t instruction,
                    size_t before) {
    for (size_t i = 0; i < before; i++)
        if (log->entries.data[i].thread == thread &&
            log->entries.data[i].instruction == instruction)
            return true;
    return false;
}

// Which of the two accesses the threads come to first, since the last barrier.
static unsigned order_of(const struct shared_log *log, const struct shared_visit *v,
                         const struct shared_entry *e, bool own_is_first) {
    const size_t at = (size_t)(e - log->entries.data);
    const bool is_logged = e >= log->entries.data && at < log->entries.length;
    if (v->instruction == e->instruction)
        return ORDER_UNKNOWN;
    if (came_by(log, v->thread, e->instruction, log->entries.length))
        return own_is_first ? ORDER_REVERSED : ORDER_AS_NAMED;
    if (is_logged && came_by(log, e->thread, v->instruction, at))
        return own_is_first ? ORDER_AS_NAMED : ORDER_REVERSED;
    return ORDER_UNKNOWN;
}

enum { REACH_WARP, REACH_BLOCK, REACH_CLUSTER };

static unsigned reach_of(const struct check_at *a, const struct check_at *b) {
    return a->block != b->block                               ? REACH_CLUSTER
           : a->thread / WARP_LANES != b->thread / WARP_LANES ? REACH_BLOCK
                                                              : REACH_WARP;
}

void shared_note(struct race_domain *d, const struct shared_visit *v, unsigned lane,
                 const struct shared_entry *e, unsigned other, uint32_t offset, bool counts) {
    const unsigned mine = v->extra ? v->sender : lane;
    const bool is_async = is_copy_not_waited(v, lane, e, other);
    const unsigned kind = is_async ? 2 : is_read(v->class) || is_read(e->class);
    struct check_note note = {.kind = kinds[kind],
                              .tag = array_of(d->launch, offset),
                              .count = counts,
                              .at_count = 2,
                              .details = {[DETAIL_OFFSET] = offset, [DETAIL_WIDTH] = e->width}};
    const struct check_at own =
        place_of(d, v->thread + mine, v->instruction, role_of(v->class, v->issue != 0));
    const struct check_at earlier =
        place_of(d, e->thread + other, e->instruction, role_of(e->class, e->issue != 0));
    note.reach = reach_of(&own, &earlier);
    const bool swaps = !is_before(&own, is_async ? 1 : is_read(v->class), &earlier,
                                  is_async ? 0 : is_read(e->class));
    note.at[swaps] = own;
    note.at[!swaps] = earlier;
    note.details[DETAIL_ORDER] = order_of(&d->blocks[v->rank].log, v, e, !swaps);
    check_note(d->notes, &note);
}

void shared_note_ended(struct race_domain *d, uint32_t thread, const struct race_visitor *visitor) {
    struct check_note note = {.kind = exited,
                              .tag = array_of(d->launch, visitor->offset),
                              .count = 1,
                              .at_count = 1,
                              .at = {place_of(d, thread, visitor->instruction, "accesses it")},
                              .details = {[DETAIL_OFFSET] = visitor->offset, [DETAIL_WIDTH] = 4}};
    check_note(d->notes, &note);
}

void shared_note_proxy(struct race_domain *d, uint32_t writer, uint32_t write, uint32_t reader,
                       uint32_t read, uint32_t offset) {
    struct check_note note = {
        .kind = unfenced,
        .tag = array_of(d->launch, offset),
        .count = 1,
        .at_count = 2,
        .at = {place_of(d, writer, write, "writes"),
               place_of(d, reader, read, "reads it by the asynchronous proxy")},
        .details = {[DETAIL_OFFSET] = offset, [DETAIL_WIDTH] = 4}};
    check_note(d->notes, &note);
}

void shared_note_forgotten(struct race_domain *d) {
    check_note(d->notes, &(struct check_note){.kind = forgotten, .count = 1});
}

// ---- Words --------------------------------------------------------------------------------

// As elements of the access's width, whatever dimensions the array has.
static void put_object(const struct check_launch *launch, const struct check_note *note,
                       struct strbuf *out) {
    const uint64_t offset = note->details[DETAIL_OFFSET], width = note->details[DETAIL_WIDTH];
    if (!check_put_shared(launch, offset, width == 0 || width > 8 ? 4 : (uint32_t)width, out))
        strbuf_printf(out, "byte %llu of shared memory", (unsigned long long)offset);
}

static const char *message_of(const struct check_note *note) {
    if (note->kind == exited)
        return "shared memory of another block of the cluster is accessed when that block may have "
               "ended";
    if (note->kind == unfenced)
        return "an asynchronous copy or product reads shared memory that was written without a "
               "fence of its proxy";
    if (!strcmp(note->kind, "async-copy"))
        return "shared memory is used while an asynchronous copy of it may be under way";
    if (!strcmp(note->kind, "write-write"))
        return "two threads write the same shared memory, and nothing orders them";
    return "a thread reads shared memory that another one writes, and nothing orders them";
}

static const char *barrier_of(const struct check_note *note) {
    static const char *const barriers[] = {"__syncwarp()", "__syncthreads()", "cluster.sync()"};
    return barriers[note->reach];
}

static bool is_one_file(const struct profile_finding *finding) {
    const char *a = finding->places[0].file, *b = finding->places[1].file;
    return !a || !b || !strcmp(a, b);
}

static void put_help(const struct check_note *note, const struct profile_finding *finding,
                     struct strbuf *out) {
    if (note->kind == exited) {
        strbuf_puts(out, "a cluster.sync() before a block ends, behind the last access");
        return;
    }
    if (note->kind == unfenced) {
        strbuf_puts(out, "fence.proxy.async (cuda::ptx::fence_proxy_async()) by the threads that "
                         "write, behind the write and before the barrier");
        return;
    }
    const bool is_reversed = note->details[DETAIL_ORDER] == ORDER_REVERSED;
    const bool is_known = note->details[DETAIL_ORDER] != ORDER_UNKNOWN;
    uint32_t from = finding->places[is_reversed].line, to = finding->places[!is_reversed].line;
    if (!strcmp(note->kind, "async-copy")) {
        strbuf_puts(out, "wait for the copy (__pipeline_wait_prior(), cp.async.wait_group, or its "
                         "mbarrier), and then for the other threads");
        return;
    }
    if (!is_one_file(finding)) { // one of the two lines is a function's that was inlined
        strbuf_printf(out, "a %s between the two", barrier_of(note));
        return;
    }
    if (from == to || !from || !to) {
        strbuf_puts(out, "an atomic operation, or an element for each thread");
        return;
    }
    if (!is_known && from > to) {
        const uint32_t swapped = from;
        from = to;
        to = swapped;
    }
    if (from < to)
        strbuf_printf(out, "a %s between lines %u and %u", barrier_of(note), from, to);
    else
        strbuf_printf(out, "a %s behind line %u, before a thread comes to line %u again",
                      barrier_of(note), from, to);
}

static void say(const void *context, const struct check_note *note, struct profile_finding *finding,
                struct check_words *words) {
    if (note->kind == forgotten) {
        finding->message =
            "a block accessed its shared memory more than 16,384 times without a barrier between; "
            "accesses that are further apart were not all compared";
        finding->is_note = true;
        return;
    }
    put_object(context, note, &words->object);
    put_help(note, finding, &words->help);
    finding->message = (char *)message_of(note);
}

void shared_report(const struct check_launch *launch, struct check_notes *notes,
                   struct profile_findings *findings) {
    check_push_notes(launch, PROFILE_CHECK_RACE, notes, say, launch, findings);
}
