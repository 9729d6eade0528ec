#include "cuda/core/section.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cuda/core/hand_over.h"
#include "cuda/core/state.h"
#include "profile/since.h"

struct cuda_section {
    struct profile_moment moment;
    uint64_t left_out; // launches that the profile had dropped by then
};

struct cuda_section *cuda_section_begin(void) {
    struct cuda_state *state = cuda_state();
    if (!state->config.profile_path && !cuda_hands_over())
        return NULL;
    if (!cuda_lock(state))
        return NULL;
    struct cuda_section *section = base_alloc(sizeof *section);
    if (state->profile)
        section->moment = profile_moment_of(state->profile);
    section->left_out = state->profiler.left_out;
    cuda_unlock(state);
    return section;
}

static char *profile_of(struct cuda_state *state, const struct cuda_section *section) {
    struct profile_moment moment = section->moment;
    if (state->profiler.left_out != section->left_out)
        moment.launched = 0; // those that there were are dropped
    struct profile *made = profile_since(state->profile, &moment);
    profile_sort_threads(made);
    char *text = profile_to_json(made);
    profile_free(made);
    return text;
}

char *cuda_section_profile(const struct cuda_section *section) {
    struct cuda_state *state = cuda_state();
    if (!cuda_lock(state))
        return NULL;
    char *text = state->profile ? profile_of(state, section) : NULL;
    cuda_unlock(state);
    return text;
}

void cuda_section_end(struct cuda_section *section) {
    if (!section)
        return;
    profile_free_moment(&section->moment);
    free(section);
}
