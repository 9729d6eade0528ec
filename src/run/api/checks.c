// Checks of launches, and what they found.
#include <string.h>

#include "run/api/api.h"

_Static_assert((int)BANKRUN_PLACES == (int)PROFILE_PLACES, "");
_Static_assert((int)BANKRUN_CHECK_RACE == 1 << PROFILE_CHECK_RACE, "");
_Static_assert((int)BANKRUN_CHECK_INIT == 1 << PROFILE_CHECK_INIT, "");
_Static_assert((int)BANKRUN_CHECK_SYNC == 1 << PROFILE_CHECK_SYNC, "");
_Static_assert((int)BANKRUN_CHECK_MEMORY == 1 << PROFILE_CHECK_MEMORY, "");

bool bankrun_profile_check(struct bankrun_profile *profile, unsigned checks, bool counts) {
    const unsigned known =
        BANKRUN_CHECK_RACE | BANKRUN_CHECK_INIT | BANKRUN_CHECK_SYNC | BANKRUN_CHECK_MEMORY;
    if (checks & ~known)
        return false;
    profile->profile->checks = checks;
    profile->profile->is_uncounted = !counts;
    return true;
}

static void copy_place(struct bankrun_place *place, const struct profile_place *from) {
    *place = (struct bankrun_place){.role = from->role,
                                    .file = from->file,
                                    .line = from->line,
                                    .column = from->column,
                                    .function = from->function,
                                    .instruction = from->instruction,
                                    .has_thread = from->has_thread};
    memcpy(place->block, from->block, sizeof place->block);
    memcpy(place->thread, from->thread, sizeof place->thread);
}

bool bankrun_profile_finding(const struct bankrun_profile *profile, size_t n, size_t m,
                             struct bankrun_finding *finding) {
    const struct profile *all = profile->profile;
    if (n >= all->launch_count || m >= all->launches[n].findings.count)
        return false;
    const struct profile_finding *from = &all->launches[n].findings.list[m];
    *finding = (struct bankrun_finding){.check = profile_check_text[from->check],
                                        .kind = from->kind,
                                        .message = from->message,
                                        .object = from->object,
                                        .help = from->help,
                                        .is_note = from->is_note,
                                        .count = from->count,
                                        .place_count = from->place_count};
    for (size_t i = 0; i < from->place_count; i++)
        copy_place(&finding->places[i], &from->places[i]);
    return true;
}
