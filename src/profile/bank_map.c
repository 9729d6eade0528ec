// A site's worst request on the banks, for display.
#include <string.h>

#include "bankrun/banks.h"
#include "profile/why.h"

_Static_assert((int)PROFILE_MAX_BANKS == (int)WHY_BANKS, "one number of banks");

// How the request was made, as far as the profile keeps it: enough to find its phases.
static enum bankrun_access access_of(const struct profile_site *site) {
    switch (site->op) {
    case PROFILE_LOAD:
        return BANKRUN_LOAD;
    case PROFILE_STORE:
        return BANKRUN_STORE;
    case PROFILE_MATRIX_LOAD:
        return BANKRUN_MATRIX_LOAD;
    case PROFILE_MATRIX_STORE:
        return BANKRUN_MATRIX_STORE;
    case PROFILE_ASYNC_COPY:
        return BANKRUN_ASYNC_COPY;
    case PROFILE_ATOMIC:
    case PROFILE_OPS:
        break;
    }
    if (strstr(site->instruction, ".cas")) {
        return BANKRUN_ATOMIC_CAS;
    }
    return site->width == 4 ? BANKRUN_ATOMIC : BANKRUN_ATOMIC_LOOP;
}

static struct counter_rule rule_of(unsigned arch, const struct profile_site *site) {
    struct counter_rule rule = {.arch = arch, .access = access_of(site), .width = site->width};
    if (site->op == PROFILE_MATRIX_LOAD || site->op == PROFILE_MATRIX_STORE) {
        rule.matrices = strstr(site->instruction, ".x4")   ? 4
                        : strstr(site->instruction, ".x2") ? 2
                                                           : 1;
    }
    return rule;
}

enum bankrun_certainty profile_certainty(unsigned arch, const struct profile_site *site) {
    static const uint32_t zeros[WARP_LANES];
    static const uint64_t sources[WARP_LANES];
    struct counter_rule rule = rule_of(arch, site);
    struct bankrun_cost cost = {.certainty = BANKRUN_UNKNOWN};
    struct bankrun_request request = {rule.access, rule.width, rule.matrices, 1, zeros};
    struct bankrun_copy copy = {rule.width, 1, zeros, sources};
    if (rule.access == BANKRUN_ASYNC_COPY && !strstr(site->instruction, ".cg"))
        bankrun_count_copy(arch, &copy, &cost);
    else
        bankrun_count(arch, &request, &cost);
    return cost.certainty;
}

bool profile_map_banks(unsigned arch, const struct profile_site *site,
                       struct profile_bank_map *map) {
    struct counter_rule rule = rule_of(arch, site);
    struct bankrun_request request = {rule.access, rule.width, rule.matrices, site->worst_mask,
                                      site->worst_offsets};
    unsigned banks = bankrun_banks(arch);
    if (site->worst_degree == 0 || banks == 0 || banks > PROFILE_MAX_BANKS ||
        bankrun_phase_lanes(arch, &request, 0) == 0) {
        return false;
    }
    struct why_phase phase;
    why_find_phase(&rule, site->worst_mask, site->worst_offsets, &phase);
    if (rule.access == BANKRUN_ATOMIC && phase.most != site->worst_degree) {
        rule.access = BANKRUN_ATOMIC_CONSTANT; // the lanes of a word were summed first
        why_find_phase(&rule, site->worst_mask, site->worst_offsets, &phase);
    }
    *map = (struct profile_bank_map){
        .banks = banks,
        .lanes = phase.lanes,
        .most = phase.most,
        .is_by_lane = phase.by_lane,
    };
    memcpy(map->count, phase.count, sizeof map->count);
    return true;
}

unsigned profile_bank_of(unsigned arch, uint32_t offset) {
    return bankrun_bank(arch, offset);
}
