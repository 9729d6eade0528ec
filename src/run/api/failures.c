// What a profile says of launches that went wrong, or that it does not have.
#include <string.h>

#include "profile/profile.h"
#include "run/api/api.h"

#define SAME(kind) _Static_assert((int)BANKRUN_##kind == (int)PROFILE_##kind, "")
SAME(GAP_UNSUPPORTED);
SAME(GAP_MODULE);
SAME(GAP_FAULT);
SAME(GAP_LOST);
SAME(GAP_UNSEEN);
SAME(GAP_LIBRARY);

bool bankrun_profile_has_failed(const struct bankrun_profile *profile) {
    return profile_has_failed(profile->profile);
}

bool bankrun_profile_refused(const struct bankrun_profile *profile, size_t n,
                             struct bankrun_refused_launch *refused) {
    if (n >= profile->profile->refused_count)
        return false;
    const struct profile_refused *from = &profile->profile->refused[n];
    *refused = (struct bankrun_refused_launch){.after = from->after,
                                               .repeats = from->repeats,
                                               .kernel = from->kernel,
                                               .symbol = from->symbol,
                                               .shared_bytes = from->dynamic_bytes,
                                               .error = from->error,
                                               .reasons = from->limit_count};
    memcpy(refused->grid, from->grid, sizeof refused->grid);
    memcpy(refused->block, from->block, sizeof refused->block);
    memcpy(refused->cluster, from->cluster, sizeof refused->cluster);
    return true;
}

bool bankrun_profile_reason(const struct bankrun_profile *profile, size_t n, size_t m,
                            struct bankrun_refusal_reason *reason) {
    const struct profile *all = profile->profile;
    if (n >= all->refused_count || m >= all->refused[n].limit_count)
        return false;
    const struct profile_broken_limit *from = &all->refused[n].limits[m];
    *reason = (struct bankrun_refusal_reason){.limit = from->limit,
                                              .asked = from->asked,
                                              .most = from->most,
                                              .text = from->text,
                                              .cure = from->cure};
    return true;
}

bool bankrun_profile_passed(const struct bankrun_profile *profile, size_t n, size_t m,
                            struct bankrun_passed *passed) {
    const struct profile *all = profile->profile;
    if (n >= all->launch_count || m >= all->launches[n].passed_count)
        return false;
    const struct profile_passed *from = &all->launches[n].passed[m];
    *passed = (struct bankrun_passed){.count = from->count,
                                      .message = from->first.message,
                                      .file = from->first.file,
                                      .line = from->first.line,
                                      .column = from->first.column,
                                      .function = from->first.function,
                                      .instruction = from->first.instruction,
                                      .address = from->first.address};
    memcpy(passed->block, from->first.block, sizeof passed->block);
    memcpy(passed->thread, from->first.thread, sizeof passed->thread);
    return true;
}

bool bankrun_profile_gap(const struct bankrun_profile *profile, size_t n, struct bankrun_gap *gap) {
    if (n >= profile->profile->gap_count)
        return false;
    const struct profile_gap *from = &profile->profile->gaps[n];
    *gap = (struct bankrun_gap){(enum bankrun_gap_kind)from->kind, from->text, from->count};
    return true;
}
