// The checker of uninitialised reads. The simulator tracks which bits nothing has defined
// (sim/shadow); here the uses of which it tells become findings.
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "check/checker.h"
#include "check/notes.h"
#include "ir/address.h"
#include "profile/recorder.h"

struct init_check {
    const struct check_launch *launch;
    struct event_observer observer;
    struct check_notes *workers; // launch->workers of them
};

enum { ADDRESS, ORIGIN }; // details of a note

struct use {
    const char *kind, *role, *message;
};

static const struct use uses[EVENT_UNDEFINED_USES] = {
    [EVENT_UNDEFINED_BRANCH] = {"undefined-branch", "decides by it",
                                "a branch depends on a value that was never initialised"},
    [EVENT_UNDEFINED_PREDICATE] = {"undefined-branch", "decides by it",
                                   "whether memory is written depends on a value that was never "
                                   "initialised"},
    [EVENT_UNDEFINED_ADDRESS] = {"undefined-address", "computes an address of it",
                                 "an address depends on a value that was never initialised"},
    [EVENT_UNDEFINED_STORE] = {"undefined-store", "stores it",
                               "a value that was never initialised is stored to global memory"},
    [EVENT_UNDEFINED_ATOMIC] = {"undefined-atomic", "changes memory by it",
                                "an atomic works on a value that was never initialised"},
};

static void *worker_begin(void *context, unsigned worker) {
    struct init_check *check = context;
    return &check->workers[worker];
}

static uint64_t count_of(uint32_t mask) {
    return (uint64_t)__builtin_popcount(mask);
}

static void on_undefined(void *state, const struct event_undefined *event) {
    const struct use *use = &uses[event->use];
    struct check_note note = {
        .kind = use->kind,
        .message = use->message,
        .count = count_of(event->mask),
        .at = {{.role = use->role,
                .instruction = event->instruction,
                .has_thread = true,
                .thread = event->warp * WARP_LANES + (uint32_t)__builtin_ctz(event->mask),
                .block = event->block_number}},
        .at_count = 1,
        .details = {[ADDRESS] = event->address, [ORIGIN] = event->origin}};
    if (event->origin != EVENT_NONE && event->origin != event->instruction)
        note.at[note.at_count++] =
            (struct check_at){.role = "loads it", .instruction = event->origin};
    check_note(state, &note);
}

static void *begin(const struct check_launch *launch) {
    struct init_check *check = base_alloc(sizeof *check);
    check->launch = launch;
    check->workers = base_alloc(launch->workers * sizeof *check->workers);
    check->observer = (struct event_observer){
        .context = check, .worker_begin = worker_begin, .undefined = on_undefined};
    return check;
}

static const struct event_observer *observer(void *state) {
    return &((struct init_check *)state)->observer;
}

// ---- Words --------------------------------------------------------------------------------

static uint32_t element_bytes(const struct check_launch *launch, uint32_t number) {
    enum { UNKNOWN = 4 };
    const struct ir_instruction *instruction = check_instruction(launch, number);
    if (!instruction || !instruction->ptx->type_count)
        return UNKNOWN;
    const unsigned bytes = ptx_type_bytes((enum ptx_type)instruction->ptx->types[0]);
    return bytes ? bytes : 1;
}

// Whose bytes these are: an array with the number of the element, as the load counts them.
static void describe_object(const struct check_launch *launch, uint64_t address, uint32_t origin,
                            struct strbuf *out) {
    const uint32_t bytes = element_bytes(launch, origin);
    struct check_memory memory;
    if (ir_is_in_shared_window(address)) {
        check_put_shared(launch, address - IR_SHARED_WINDOW, bytes, out);
    } else if (ir_is_in_local_window(address)) {
        strbuf_printf(out, "byte %" PRIu64 " of the thread's local memory",
                      (uint64_t)(address - IR_LOCAL_WINDOW));
    } else if (launch->find_memory(launch->context, address, &memory)) {
        const uint64_t index = (address - memory.address) / bytes;
        if (memory.name)
            strbuf_printf(out, "%s[%" PRIu64 "]", memory.name, index);
        else
            strbuf_printf(out, "element %" PRIu64 " of the %" PRIu64 "-byte allocation", index,
                          memory.bytes);
    }
}

static const char *help_of(uint64_t address) {
    if (ir_is_in_shared_window(address))
        return "write it before it is read: no block finds zeros in shared memory";
    if (ir_is_in_local_window(address))
        return "give the array values before they are read";
    return "clear it (cudaMemset), or write it before it is read: cudaMalloc and malloc give "
           "memory as it is";
}

static void say(const void *context, const struct check_note *note, struct profile_finding *finding,
                struct check_words *words) {
    const uint64_t address = note->details[ADDRESS];
    const uint32_t origin = (uint32_t)note->details[ORIGIN];
    if (origin == EVENT_NONE)
        return;
    describe_object(context, address, origin, &words->object);
    finding->help = (char *)help_of(address);
}

static void push_incomplete(struct profile_findings *findings) {
    profile_push_finding(
        findings, &(struct profile_finding){
                      .check = PROFILE_CHECK_INIT,
                      .kind = "not-all-checked",
                      .message = "values of global memory were not looked at: the system grants no "
                                 "address space to keep what is known of them (ulimit -v)",
                      .is_note = true,
                      .count = 1});
}

static void end(void *state, struct profile_findings *findings) {
    struct init_check *check = state;
    struct check_notes all = {0};
    for (unsigned w = 0; w < check->launch->workers; w++)
        check_merge_notes(&all, &check->workers[w]);
    check_push_notes(check->launch, PROFILE_CHECK_INIT, &all, say, check->launch, findings);
    if (!check->launch->tracks_undefined)
        push_incomplete(findings);
    free(check->workers);
    free(check);
}

const struct check_checker check_init = {PROFILE_CHECK_INIT, begin, observer, end};
