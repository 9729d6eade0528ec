// Findings in global memory, in words.
#include "base/strbuf.h"
#include "check/race/global_internal.h"

static uint64_t block_of(const struct global_race *race, const struct global_stamp *stamp) {
    const struct check_launch *launch = race->launch;
    const uint32_t *size = launch->cluster, *grid = launch->grid;
    uint32_t rank = stamp->thread / (race->block_warps * WARP_LANES), cluster = stamp->domain;
    uint64_t number = 0, row = 1;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t clusters = grid[axis] / size[axis];
        number += row * (cluster % clusters * size[axis] + rank % size[axis]);
        cluster /= clusters;
        rank /= size[axis];
        row *= grid[axis];
    }
    return number;
}

static bool is_write(enum global_class class) {
    return class != GLOBAL_READ && class != GLOBAL_STRONG_READ;
}

static const char *role_of(enum global_class class) {
    static const char *const roles[GLOBAL_CLASSES] = {
        [GLOBAL_WRITE] = "writes",
        [GLOBAL_READ] = "reads",
        [GLOBAL_STRONG_WRITE] = "writes strongly",
        [GLOBAL_STRONG_READ] = "reads strongly",
        [GLOBAL_NARROW] = "writes, with the scope of its block",
    };
    return roles[class];
}

static struct check_at place_of(const struct global_race *race, enum global_class class,
                                const struct global_stamp *stamp) {
    return (struct check_at){.role = role_of(class),
                             .instruction = stamp->instruction,
                             .has_thread = true,
                             .thread = stamp->thread % (race->block_warps * WARP_LANES),
                             .block = block_of(race, stamp)};
}

// Writers first, so that the same two instructions are one finding whoever came first.
static bool is_swapped(enum global_class class, const struct global_stamp *stamp,
                       enum global_class other_class, const struct global_stamp *other) {
    if (is_write(class) != is_write(other_class))
        return is_write(other_class);
    if (stamp->instruction != other->instruction)
        return stamp->instruction > other->instruction;
    return stamp->domain != other->domain ? stamp->domain > other->domain
                                          : stamp->thread > other->thread;
}

static const char *message_of(bool is_across, bool is_write_write, bool is_narrow) {
    if (is_narrow)
        return "an atomic or strong access whose scope is its own block meets another block's";
    if (is_across)
        return is_write_write ? "two blocks write the same memory, and nothing orders them"
                              : "a block reads what another one writes, and nothing orders them";
    return is_write_write ? "two threads of a block write the same memory, and nothing orders them"
                          : "a thread reads what another one of its block writes, and nothing "
                            "orders them";
}

static const char *help_across(const struct global_race *race, enum global_class class,
                               enum global_class other, bool is_narrow) {
    if (is_narrow)
        return "use a scope that reaches other blocks: atomicAdd() instead of atomicAdd_block(), "
               "__threadfence() instead of __threadfence_block(), cuda::thread_scope_device";
    if (class == GLOBAL_STRONG_WRITE || other == GLOBAL_STRONG_WRITE)
        return "use an atomic, or a volatile access, on both sides, or make two launches of it";
    if (race->order)
        return "between the first access and the atomic or flag that tells the other block of it "
               "stands a __threadfence() (or a release), and the other block reads that first";
    return "blocks run in any order and at the same time: use atomics, or make two launches of it";
}

static const char *help_of(const struct global_race *race, enum global_class class,
                           const struct global_stamp *stamp, enum global_class other_class,
                           const struct global_stamp *other) {
    const bool is_narrow = class == GLOBAL_NARROW || other_class == GLOBAL_NARROW;
    if (stamp->domain != other->domain)
        return help_across(race, class, other_class, is_narrow);
    if (stamp->thread / WARP_LANES == other->thread / WARP_LANES)
        return "threads of a warp need not run in step: a __syncwarp() between the two, or atomics";
    return "a __syncthreads() between the two, or atomics";
}

void global_note(struct check_notes *notes, const struct global_race *race, uint64_t address,
                 enum global_class class, const struct global_stamp *stamp,
                 enum global_class other_class, const struct global_stamp *other) {
    const bool is_across = stamp->domain != other->domain;
    const bool is_narrow = is_across && (class == GLOBAL_NARROW || other_class == GLOBAL_NARROW);
    const bool both_write = is_write(class) && is_write(other_class);
    const bool swap = is_swapped(class, stamp, other_class, other);
    const struct check_note note = {
        .kind = both_write ? "write-write" : "read-write",
        .message = message_of(is_across, both_write, is_narrow),
        .help = help_of(race, class, stamp, other_class, other),
        .tag = is_across,
        .reach = stamp->thread / WARP_LANES != other->thread / WARP_LANES,
        .count = 1,
        .at = {place_of(race, swap ? other_class : class, swap ? other : stamp),
               place_of(race, swap ? class : other_class, swap ? stamp : other)},
        .at_count = 2,
        .details = {address}};
    check_note(notes, &note);
}

// ---- Findings ------------------------------------------------------------------------------

static void print_object(const struct check_memory *memory, uint64_t address, struct strbuf *out) {
    const uint64_t offset = address - memory->address;
    if (memory->name && !offset)
        strbuf_puts(out, memory->name);
    else if (memory->name)
        strbuf_printf(out, "%s, byte %llu", memory->name, (unsigned long long)offset);
    else
        strbuf_printf(out, "byte %llu of an allocation of %llu bytes", (unsigned long long)offset,
                      (unsigned long long)memory->bytes);
}

// Of the same accesses: what blocks do to each other says it all.
static bool is_across_too(const struct check_notes *notes, const struct check_note *within) {
    for (size_t i = 0; i < notes->list.length; i++) {
        const struct check_note *note = &notes->list.data[i];
        if (note->tag && note->kind == within->kind &&
            note->at[0].instruction == within->at[0].instruction &&
            note->at[1].instruction == within->at[1].instruction)
            return true;
    }
    return false;
}

static void push_incomplete(struct profile_findings *findings) {
    profile_push_finding(
        findings,
        &(struct profile_finding){
            .check = PROFILE_CHECK_RACE,
            .kind = "not-all-checked",
            .message = "races in global memory were looked for in part of it alone: the checker "
                       "may take a quarter of this machine's memory, and that was used up",
            .is_note = true,
            .count = 1});
}

static bool is_told(const struct global_race *race, const struct check_note *note) {
    struct check_memory memory;
    if (!note->tag && is_across_too(&race->notes, note))
        return false;
    // Memory that kernels free and allocate again goes from thread to thread in order.
    return race->launch->find_memory(race->launch->context, note->details[0], &memory);
}

static void say(const void *context, const struct check_note *note, struct profile_finding *finding,
                struct check_words *words) {
    const struct check_launch *launch = context;
    struct check_memory memory;
    (void)finding;
    if (launch->find_memory(launch->context, note->details[0], &memory))
        print_object(&memory, note->details[0], &words->object);
}

void global_push_findings(const struct global_race *race, struct profile_findings *findings) {
    struct check_notes told = {0};
    for (size_t i = 0; i < race->notes.list.length; i++)
        if (is_told(race, &race->notes.list.data[i]))
            check_note(&told, &race->notes.list.data[i]);
    check_push_notes(race->launch, PROFILE_CHECK_RACE, &told, say, race->launch, findings);
    if (race->budget.is_spent || race->has_missed)
        push_incomplete(findings);
}
