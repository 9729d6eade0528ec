// Which host memory is watched, and what is told of who touches it.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/checks/checker.h"
#include "cuda/checks/watch.h"

static const uint64_t PAGE = CHECK_PAGE;

static bool is_done(const void *order, struct check_stamp stamp) {
    return check_order_is_done(order, stamp);
}

static void tell_touch(struct cuda_state *state, const struct cuda_watch_touch *touch) {
    char key[CUDA_CHECK_TEXT], message[3 * CUDA_CHECK_TEXT], bytes[CUDA_CHECK_TEXT];
    cuda_check_name_bytes(state, touch->address, touch->address, bytes);
    snprintf(message, sizeof message,
             "the host %s memory that %s in %s still uses: it did not wait for that",
             touch->writes ? "writes" : "reads", touch->what, touch->where);
    snprintf(key, sizeof key, "host %d %s", touch->writes, touch->what);
    cuda_check_tell(state, key,
                    &(struct profile_finding){
                        .check = PROFILE_CHECK_MEMORY,
                        .kind = (char *)"host-access",
                        .message = message,
                        .object = bytes,
                        .help = (char *)"cudaStreamSynchronize, cudaEventSynchronize or "
                                        "cudaDeviceSynchronize before the access",
                        .count = 1,
                    });
}

void cuda_check_stop_watching(struct cuda_state *state) {
    struct cuda_watch_touch touch;
    cuda_watch_lower();
    while (cuda_watch_next(&touch)) {
        tell_touch(state, &touch);
        free(touch.what);
        free(touch.where);
    }
    cuda_watch_drop(is_done, state->checker->order);
}

// The whole pages of a range; the last page of an allocation belongs to it alone.
static bool pages_of(const struct sim_allocation *memory, const struct check_piece *piece,
                     struct cuda_watch *watch) {
    const uint64_t memory_end = memory->address + memory->bytes;
    watch->first = piece->begin;
    watch->past = piece->end < memory_end ? piece->end : memory_end;
    watch->begin = (piece->begin + PAGE - 1) / PAGE * PAGE;
    watch->end = watch->past == memory_end ? (watch->past + PAGE - 1) / PAGE * PAGE
                                           : watch->past / PAGE * PAGE;
    return memory->address % PAGE == 0 && watch->begin < watch->end;
}

static void watch_piece(struct cuda_state *state, const struct check_operation *operation,
                        const struct check_piece *piece, bool is_written) {
    const struct sim_allocation *memory = sim_find(cuda_any_sim(state), piece->begin, false);
    struct cuda_watch watch = {.is_written = is_written, .stamp = operation->stamp};
    if (piece->bits || !memory || (memory->kind != SIM_HOST && memory->kind != SIM_MANAGED) ||
        !check_ledger_at(state->checker->ledger, memory->address) ||
        !pages_of(memory, piece, &watch))
        return;
    watch.what = base_strdup(operation->what);
    watch.where = base_strdup(operation->where);
    if (!cuda_watch_add(&watch)) {
        free(watch.what);
        free(watch.where);
    }
}

void cuda_check_watch(struct cuda_state *state, const struct check_operation *operation) {
    static const enum check_touch touches[] = {CHECK_READ, CHECK_WRITE};
    if (!cuda_checks(state, PROFILE_CHECK_MEMORY) || !state->checker->has_host_memory ||
        check_order_is_done(state->checker->order, operation->stamp))
        return;
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < operation->trace.footprint.pieces[touches[t]].length; i++)
            watch_piece(state, operation, &operation->trace.footprint.pieces[touches[t]].data[i],
                        touches[t] == CHECK_WRITE);
}

void cuda_check_go_on_watching(struct cuda_state *state) {
    if (!state->checker->host_functions)
        cuda_watch_raise();
}
