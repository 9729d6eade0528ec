// A site's worst request on the banks, for display.
#include <string.h>

#include "bankrun/banks.h"
#include "profile/why.h"

_Static_assert((int)PROFILE_MAX_BANKS == (int)WHY_BANKS, "one number of banks");

enum bankrun_certainty profile_certainty(unsigned arch, const struct profile_site *site) {
    static const uint32_t zeros[WARP_LANES];
    static const uint64_t sources[WARP_LANES];
    struct bankrun_cost cost = {.certainty = BANKRUN_UNKNOWN};
    struct bankrun_request request = profile_bank_request(&site->request, 1, zeros);
    struct bankrun_copy copy = {site->request.width, 1, zeros, sources};
    if (!site->is_modelled)
        return BANKRUN_UNKNOWN;
    if (site->request.is_copy)
        bankrun_count_copy(arch, &copy, &cost);
    else
        bankrun_count(arch, &request, &cost);
    return cost.certainty;
}

bool profile_map_banks(unsigned arch, const struct profile_site *site,
                       struct profile_bank_map *map) {
    struct bankrun_request request =
        profile_bank_request(&site->request, site->worst_mask, site->worst_offsets);
    unsigned banks = bankrun_banks(arch);
    if (!site->is_modelled || site->worst_degree == 0 || banks == 0 || banks > PROFILE_MAX_BANKS ||
        bankrun_phase_lanes(arch, &request, 0) == 0) {
        return false;
    }
    struct why_phase phase;
    why_find_phase(arch, &request, &phase);
    *map = (struct profile_bank_map){
        .banks = banks,
        .lanes = phase.lanes,
        .most = phase.most,
        .is_by_lane = phase.by_lane,
    };
    memcpy(map->count, phase.count, sizeof map->count);
    memcpy(map->meeting, phase.meeting, sizeof map->meeting);
    return true;
}

unsigned profile_bank_of(unsigned arch, uint32_t offset) {
    return bankrun_bank(arch, offset);
}
