// From the sites of the IR to the accesses of the bank model.
#include "profile/recorder.h"

#include "ir/ir.h"

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
static bool has_rule(unsigned arch, const struct profile_request *asked) {
    static const uint32_t zeros[WARP_LANES];
    struct bankrun_request request = profile_bank_request(asked, 1, zeros);
    struct bankrun_cost cost;
    return bankrun_count(arch, &request, &cost) == BANKRUN_OK;
}

void profile_counter_rule(const struct ir_site *site, unsigned arch, enum site_space space,
                          const uint32_t grid[3], struct counter_rule *rule) {
    struct profile_request *request = &rule->request;
    bool is_matrix = site->op == SITE_MATRIX_LOAD || site->op == SITE_MATRIX_STORE;
    *rule = (struct counter_rule){
        .arch = arch, .space = space, .lanes = UINT32_MAX, .grid = {grid[0], grid[1]}};
    request->width = site->width;
    if (space == SITE_GLOBAL) {
        rule->keep = 31; // a sector
        return;
    }
    request->access = access_of(site);
    request->matrices = is_matrix ? site->matrices : 0;
    request->is_scanned = site->atomic == SITE_ATOMIC_NATIVE_SCANNED;
    if (is_matrix && site->matrices < 4)
        rule->lanes = (1u << 8 * site->matrices) - 1;
    rule->is_estimate = site->op == SITE_BULK_COPY || !has_rule(arch, request);
    if (rule->is_estimate)
        *request = (struct profile_request){.access = BANKRUN_STORE,
                                            .width = site->width > 16 ? 16 : site->width};
    // The rule of copies is about the first-level cache.
    request->is_copy =
        !rule->is_estimate && site->op == SITE_ASYNC_COPY && arch >= 80 && !site->is_uncached;
    rule->keep = bankrun_period(arch, request->width) - 1;
}

bool profile_cost(const struct counter_rule *rule, const struct event_access *event,
                  struct bankrun_cost *cost) {
    if (rule->request.is_copy) {
        struct bankrun_copy copy = {rule->request.width, event->mask, event->offsets,
                                    event->addresses};
        return bankrun_count_copy(rule->arch, &copy, cost) == BANKRUN_OK;
    }
    struct bankrun_request request =
        profile_bank_request(&rule->request, event->mask, event->offsets);
    return bankrun_count(rule->arch, &request, cost) == BANKRUN_OK;
}
