#include "cuda/checks/checker.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/stream/event.h"
#include "cuda/stream/stream.h"

bool cuda_checks(const struct cuda_state *state, enum profile_check check) {
    return state->checker && state->config.checks & profile_check_bit(check);
}

void cuda_check_begin(struct cuda_state *state) {
    const uint32_t ours = profile_check_bit(PROFILE_CHECK_RACE) |
                          profile_check_bit(PROFILE_CHECK_MEMORY) |
                          profile_check_bit(PROFILE_CHECK_LEAK);
    if (!(state->config.checks & ours))
        return;
    state->checker = base_alloc(sizeof *state->checker);
    state->checker->order = check_order_create(cuda_check_conflict, state);
    state->checker->ledger = check_ledger_create();
}

void cuda_check_end(struct cuda_state *state) {
    struct cuda_checker *checker = state->checker;
    if (!checker)
        return;
    struct cuda_device *device = state->current;
    cuda_check_stop_watching(state);
    for (unsigned d = 0; d < state->device_count; d++) {
        state->current = &state->devices[d];
        cuda_check_drop(state);
    }
    state->current = device;
    state->checker = NULL;
    check_order_free(checker->order);
    check_ledger_free(checker->ledger);
    for (size_t i = 0; i < checker->told.length; i++) {
        free(checker->told.data[i].key);
        profile_free_findings(&checker->told.data[i].findings);
    }
    vec_free(&checker->told);
    free(checker);
}

static void drop_streams(struct cuda_state *state) {
    struct cuda_handle *handle;
    for (handle = state->handles.all[CUDA_STREAM]; handle; handle = handle->next)
        if (handle->is_live && handle->device == state->current)
            cuda_check_stream_gone(state, (struct cuda_stream *)handle);
    for (handle = state->handles.all[CUDA_EVENT]; handle; handle = handle->next)
        if (handle->is_live && handle->device == state->current)
            cuda_check_event_gone(state, (struct cuda_event *)handle);
}

void cuda_check_drop(struct cuda_state *state) {
    if (!state->checker)
        return;
    cuda_check_waits_for_device(state, state->current);
    drop_streams(state);
    if (!state->dying &&
        (cuda_checks(state, PROFILE_CHECK_MEMORY) || cuda_checks(state, PROFILE_CHECK_LEAK)))
        cuda_check_tell_leaks(state);
}

// ---- Findings ---------------------------------------------------------------------------------

static const struct profile_finding *told(struct cuda_checker *checker, const char *key,
                                          const struct profile_finding *finding) {
    enum { MOST_TOLD = 1000 };
    for (size_t i = 0; i < checker->told.length; i++)
        if (strcmp(checker->told.data[i].key, key) == 0)
            return &checker->told.data[i].findings.list[0];
    if (checker->told.length == MOST_TOLD)
        return NULL;
    struct cuda_told new = {.key = base_strdup(key)};
    profile_push_finding(&new.findings, finding);
    vec_push(&checker->told, new);
    return finding;
}

// A child that was forked writes no profile, and one that dies wrote it already.
void cuda_check_tell(struct cuda_state *state, const char *key,
                     const struct profile_finding *finding) {
    if (state->is_forked || state->dying)
        return;
    cuda_start_profile(state);
    const struct profile_finding *first = told(state->checker, key, finding);
    if (state->profile && first)
        profile_add_finding(state->profile, first);
}
