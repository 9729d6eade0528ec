// Allocations: what is freed twice, too early or never, and what is used after that.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/check.h"
#include "cuda/checks/checker.h"
#include "cuda/memory/pointer.h"
#include "run/fault.h"

static void add(struct cuda_state *state, const void *pointer, size_t bytes) {
    struct cuda_checker *checker = state->checker;
    const struct sim_allocation *found = cuda_allocation(state, pointer);
    checker->has_host_memory |= found && (found->kind == SIM_HOST || found->kind == SIM_MANAGED);
    check_ledger_add(checker->ledger, &(struct check_allocation){
                                          .address = (uint64_t)(uintptr_t)pointer,
                                          .bytes = bytes,
                                          .call = state->call ? state->call : "a graph",
                                          .device = state->current->number,
                                      });
}

void cuda_check_allocated(struct cuda_state *state, const void *pointer, size_t bytes) {
    if (state->checker && bytes)
        add(state, pointer, bytes);
}

// The whole allocation as an operation in the stream.
static void run_in_stream(struct cuda_state *state, cuda_stream stream, uint64_t at, uint64_t bytes,
                          enum check_operation_kind kind) {
    struct check_operation made = {.kind = kind, .what = base_strdup(state->call)};
    struct check_clock before = {0};
    char where[CUDA_CHECK_TEXT];
    cuda_check_name_stream(state, stream, where);
    made.where = base_strdup(where);
    const uint32_t number = cuda_check_enter(state, stream, &before);
    check_footprint_add(&made.trace.footprint, CHECK_WRITE, at, at + bytes);
    check_order_run(state->checker->order, number, &before, &made);
    check_clock_free(&before);
}

void cuda_check_allocated_async(struct cuda_state *state, cuda_stream stream, const void *pointer,
                                size_t bytes) {
    if (state->checker && bytes)
        run_in_stream(state, stream, (uint64_t)(uintptr_t)pointer, bytes, CHECK_ALLOCATE);
}

// ---- Findings ---------------------------------------------------------------------------------

static struct profile_finding about_memory(const char *kind, const char *message,
                                           const char *object, const char *help) {
    return (struct profile_finding){
        .check = PROFILE_CHECK_MEMORY,
        .kind = (char *)kind,
        .message = (char *)message,
        .object = (char *)object,
        .help = (char *)help,
        .count = 1,
    };
}

static void name_allocation(const struct check_allocation *allocation, char text[CUDA_CHECK_TEXT]) {
    snprintf(text, CUDA_CHECK_TEXT, "allocation %" PRIu64 " (%" PRIu64 " bytes by %s)",
             allocation->number, allocation->bytes, allocation->call);
}

static void tell(struct cuda_state *state, const char *kind, const char *message,
                 const char *object, const char *help) {
    char key[2 * CUDA_CHECK_TEXT];
    const struct profile_finding finding = about_memory(kind, message, object, help);
    snprintf(key, sizeof key, "%s %s", kind, message);
    if (cuda_checks(state, PROFILE_CHECK_MEMORY))
        cuda_check_tell(state, key, &finding);
}

// ---- Frees ------------------------------------------------------------------------------------

// cudaFree waits for the device, but not where the memory is of a pool.
static void check_unused(struct cuda_state *state, const struct check_allocation *allocation) {
    char message[2 * CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    const struct check_operation *user = check_order_user(
        state->checker->order, allocation->address, allocation->address + allocation->bytes);
    if (!user)
        return;
    name_allocation(allocation, object);
    snprintf(message, sizeof message,
             "%s frees memory of a pool that %s in %s still uses: it does not wait for that",
             state->call, user->what, user->where);
    tell(state, "freed-in-use", message, object,
         "cudaFreeAsync in that stream, or cudaStreamSynchronize before it");
}

void cuda_check_freed(struct cuda_state *state, const void *pointer, bool waits) {
    const uint64_t at = (uint64_t)(uintptr_t)pointer;
    if (!state->checker)
        return;
    const struct check_allocation *allocation = check_ledger_at(state->checker->ledger, at);
    if (waits)
        cuda_check_waits_for_device(state, state->current);
    else if (allocation)
        check_unused(state, allocation);
    check_ledger_remove(state->checker->ledger, at, state->call);
}

void cuda_check_freed_async(struct cuda_state *state, cuda_stream stream, const void *pointer) {
    const uint64_t at = (uint64_t)(uintptr_t)pointer;
    if (!state->checker)
        return;
    const struct check_allocation *allocation = check_ledger_at(state->checker->ledger, at);
    if (allocation)
        run_in_stream(state, stream, at, allocation->bytes, CHECK_FREE);
    check_ledger_remove(state->checker->ledger, at, state->call);
}

void cuda_check_not_freed(struct cuda_state *state, const void *pointer) {
    const uint64_t at = (uint64_t)(uintptr_t)pointer;
    char message[2 * CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    if (!state->checker)
        return;
    const struct check_allocation *living = check_ledger_around(state->checker->ledger, at);
    const struct check_allocation *freed = check_ledger_freed(state->checker->ledger, at);
    if (living) {
        name_allocation(living, object);
        snprintf(message, sizeof message, "%s is given %s, which it cannot free", state->call,
                 at == living->address ? "memory of another kind" : "an address within memory");
        tell(state, "invalid-free", message, object,
             "free the pointer that the allocation gave, by the call that belongs to it");
    } else if (freed && freed->address == at) {
        name_allocation(freed, object);
        snprintf(message, sizeof message, "%s frees memory that %s has freed already", state->call,
                 freed->freed_by);
        tell(state, "double-free", message, object, "set pointers to NULL when they are freed");
    } else {
        snprintf(message, sizeof message, "%s frees memory that no call of CUDA allocated",
                 state->call);
        tell(state, "invalid-free", message, NULL, NULL);
    }
}

// ---- Use of what was freed --------------------------------------------------------------------

void cuda_check_fault(struct cuda_state *state, const struct run_launch *launch,
                      const struct sim_result *result) {
    char message[2 * CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    if (!state->checker || result->fault != SIM_FAULT_ILLEGAL_ADDRESS || !result->instruction)
        return;
    const struct check_allocation *freed =
        check_ledger_freed(state->checker->ledger, result->address);
    if (!freed || sim_find(sim_kernel_device(launch->kernel), result->address, false))
        return;
    name_allocation(freed, object);
    snprintf(message, sizeof message, "a kernel touches memory that %s has freed", freed->freed_by);
    struct profile_finding finding =
        about_memory("use-after-free", message, object, "free it when the last kernel has ended");
    struct profile_launch_result end = {0};
    struct profile_fault where;
    run_describe_end(launch, result, &end, &where);
    finding.place_count = 1;
    finding.places[0] = (struct profile_place){.role = (char *)"touches",
                                               .file = where.file,
                                               .line = where.line,
                                               .column = where.column,
                                               .function = where.function,
                                               .instruction = where.instruction,
                                               .has_thread = where.has_thread};
    memcpy(finding.places[0].block, where.block, sizeof where.block);
    memcpy(finding.places[0].thread, where.thread, sizeof where.thread);
    cuda_check_tell(state, message, &finding);
    run_fault_free(&where);
}

void cuda_check_used(struct cuda_state *state, const void *at, bool writes) {
    char message[2 * CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    if (!state->checker || cuda_allocation(state, at))
        return;
    const struct check_allocation *freed =
        check_ledger_freed(state->checker->ledger, (uint64_t)(uintptr_t)at);
    if (!freed)
        return;
    name_allocation(freed, object);
    snprintf(message, sizeof message, "%s %s memory that %s has freed", state->call,
             writes ? "writes" : "reads", freed->freed_by);
    tell(state, "use-after-free", message, object, "free it behind its last use");
}

// ---- What is left -----------------------------------------------------------------------------

static void tell_leaks(struct cuda_state *state, const char *message, const char *object,
                       uint64_t count) {
    struct profile_finding finding = about_memory("leak", message, object, NULL);
    finding.is_note = !cuda_checks(state, PROFILE_CHECK_LEAK);
    finding.count = count;
    cuda_check_tell(state, message, &finding);
}

// A note, of all together.
static void note_leaks(struct cuda_state *state, const struct check_allocation *left,
                       size_t count) {
    char message[CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += left[i].bytes;
    name_allocation(&left[0], object);
    snprintf(message, sizeof message,
             count == 1 ? "%" PRIu64 " bytes are never freed"
                        : "%" PRIu64 " bytes in %zu allocations are never freed",
             bytes, count);
    tell_leaks(state, message, object, 1);
}

static bool is_like(const struct check_allocation *a, const struct check_allocation *b) {
    return a->bytes == b->bytes && strcmp(a->call, b->call) == 0;
}

// Those of one call and size are one finding. Numbers of those that were told become 0.
static void tell_like(struct cuda_state *state, struct check_allocation *left, size_t count) {
    char message[CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    uint64_t like = 1;
    for (size_t i = 1; i < count; i++)
        if (left[i].number && is_like(&left[0], &left[i])) {
            left[i].number = 0;
            like++;
        }
    name_allocation(&left[0], object);
    snprintf(message, sizeof message, "%" PRIu64 " bytes of %s are never freed", left[0].bytes,
             left[0].call);
    tell_leaks(state, message, object, like);
}

void cuda_check_tell_leaks(struct cuda_state *state) {
    size_t count;
    struct check_allocation *left =
        check_ledger_living(state->checker->ledger, state->current->number, &count);
    for (size_t i = 0; i < count; i++)
        check_ledger_remove(state->checker->ledger, left[i].address, "the device's reset");
    if (count && !cuda_checks(state, PROFILE_CHECK_LEAK))
        note_leaks(state, left, count);
    for (size_t i = 0; cuda_checks(state, PROFILE_CHECK_LEAK) && i < count; i++)
        if (left[i].number)
            tell_like(state, &left[i], count - i);
    free(left);
}
