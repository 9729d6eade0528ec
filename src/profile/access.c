// From the sites of the IR to the accesses of the bank model.
#include <string.h>

#include "profile/recorder.h"

static enum bankrun_access atomic_access(const struct ir_site *site) {
    switch (site->atomic) {
    case SITE_ATOMIC_NATIVE:
    case SITE_ATOMIC_NATIVE_SCANNED:
        return BANKRUN_ATOMIC;
    case SITE_ATOMIC_NATIVE_SUMMED:
        return BANKRUN_ATOMIC_CONSTANT;
    case SITE_ATOMIC_CAS:
        return BANKRUN_ATOMIC_CAS;
    case SITE_ATOMIC_EARLY_LOOP:
        return site->is_generic ? BANKRUN_GENERIC_EARLY_LOOP : BANKRUN_ATOMIC_EARLY_LOOP;
    default:
        return site->is_generic ? BANKRUN_GENERIC_LOOP : BANKRUN_ATOMIC_LOOP;
    }
}

static enum bankrun_access access_of(const struct ir_site *site) {
    switch (site->op) {
    case SITE_LOAD:
        return site->is_generic ? BANKRUN_GENERIC_LOAD : BANKRUN_LOAD;
    case SITE_STORE:
        return BANKRUN_STORE;
    case SITE_MATRIX_LOAD:
        return BANKRUN_MATRIX_LOAD;
    case SITE_MATRIX_STORE:
        return BANKRUN_MATRIX_STORE;
    case SITE_ASYNC_COPY:
        return BANKRUN_ASYNC_COPY;
    case SITE_BULK_COPY: // counted by its bytes, see counter.c
        return BANKRUN_STORE;
    default:
        return atomic_access(site);
    }
}

// Asks the model about one lane at offset 0.
static bool has_rule(const struct counter_rule *rule) {
    static const uint32_t zeros[WARP_LANES];
    struct bankrun_request request = {rule->access, rule->width, rule->matrices, 1, zeros};
    struct bankrun_cost cost;
    return bankrun_count(rule->arch, &request, &cost) == BANKRUN_OK;
}

void profile_counter_rule(const struct ir_site *site, unsigned arch, enum site_space space,
                          const uint32_t grid[3], struct counter_rule *rule) {
    bool is_matrix = site->op == SITE_MATRIX_LOAD || site->op == SITE_MATRIX_STORE;
    *rule = (struct counter_rule){.arch = arch,
                                  .space = space,
                                  .access = access_of(site),
                                  .width = site->width,
                                  .matrices = is_matrix ? site->matrices : 0,
                                  .lanes = UINT32_MAX,
                                  .is_scanned = site->atomic == SITE_ATOMIC_NATIVE_SCANNED,
                                  .grid = {grid[0], grid[1]}};
    if (space == SITE_GLOBAL) {
        rule->keep = 31; // a sector
        return;
    }
    if (is_matrix && site->matrices < 4)
        rule->lanes = (1u << 8 * site->matrices) - 1;
    if (!has_rule(rule)) {
        rule->is_estimate = true;
        rule->access = BANKRUN_STORE;
        rule->width = site->width > 16 ? 16 : site->width;
        rule->matrices = 0;
    }
    // cp.async.cg passes the first-level cache by, where the rule of the others is from.
    rule->is_copy = !rule->is_estimate && site->op == SITE_ASYNC_COPY && arch >= 80 &&
                    !strstr(site->text, ".cg");
    rule->keep = bankrun_period(arch, rule->width) - 1;
}

bool profile_cost(const struct counter_rule *rule, const struct access_event *event,
                  struct bankrun_cost *cost) {
    if (rule->is_copy) {
        struct bankrun_copy copy = {rule->width, event->mask, event->offsets, event->addresses};
        return bankrun_count_copy(rule->arch, &copy, cost) == BANKRUN_OK;
    }
    struct bankrun_request request = {counter_access(rule, event->mask), rule->width,
                                      rule->matrices, event->mask, event->offsets};
    return bankrun_count(rule->arch, &request, cost) == BANKRUN_OK;
}
