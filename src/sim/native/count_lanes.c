// Counts requests that native code makes of lanes that are somewhere else each time.
#include "sim/native/native_internal.h"

enum { WORD = 4 };

static bool is_ramp(const uint32_t offsets[LANES], uint32_t step) {
    uint32_t differ = 0;
    for (uint32_t l = 0; l < LANES; l++)
        differ |= offsets[l] ^ (offsets[0] + l * step);
    return !differ;
}

// As handlers look at it: mem_known() and mem_known_lanes() in lanes/mem/resolve.h. What is counted
// by a number that it has is so whatever else it is.
static bool is_known(struct event_memo *memo, const uint32_t offsets[LANES]) {
    if (event_memo_takes_degree(memo, offsets))
        return true;
    const uint32_t step = offsets[1] - offsets[0];
    if ((step == 0 || step == WORD) && is_ramp(offsets, step))
        return event_memo_takes_pattern(memo, step ? EVENT_LINEAR : EVENT_UNIFORM, offsets[0]);
    return event_memo_takes_lanes(memo, EVENT_ALL_LANES, offsets[0], offsets, NULL, true);
}

uint32_t sim_native_count_lanes(struct sim_warp *warp, uint32_t site,
                                const uint32_t offsets[LANES]) {
    const struct sim_worker *worker = warp->block->worker;
    if (!worker->hears_access)
        return true;
    struct event_memo *memo =
        worker->memos ? worker->memos[site * SITE_SPACES + SITE_SHARED] : NULL;
    return memo && event_memo_is_about(memo, offsets[0], warp->number) && is_known(memo, offsets);
}
