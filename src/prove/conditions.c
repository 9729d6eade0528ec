// Under which condition on a parameter accesses stay in their array: the kernel is proved again for
// numbers from 0 to some limit, and the greatest limit is found for which an access does.
#include "prove/conditions.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { MOST_PROBES = 160 };

struct probe {
    struct prove_assumption assumption;
    struct prove_result *result;
};

struct search {
    const struct ir_function *kernel;
    const struct prove_launch *launch;
    struct probe *probes; // that were made, MOST_PROBES at most
    unsigned count;
    uint64_t steps, most_steps;
};

static const struct prove_bounds *try_assumption(struct search *search, uint32_t site,
                                                 const struct prove_assumption *assumption) {
    for (unsigned i = 0; i < search->count; i++) {
        const struct probe *probe = &search->probes[i];
        if (probe->assumption.offset == assumption->offset &&
            probe->assumption.may_be_negative == assumption->may_be_negative &&
            probe->assumption.most == assumption->most)
            return &probe->result->sites[site].bounds;
    }
    if (search->count == MOST_PROBES || search->steps > search->most_steps)
        return NULL;
    struct probe *probe = &search->probes[search->count++];
    *probe =
        (struct probe){*assumption, prove_assuming(search->kernel, search->launch, assumption)};
    search->steps += probe->result->steps;
    return &probe->result->sites[site].bounds;
}

static bool stays(const struct prove_bounds *bounds) {
    return bounds && bounds->fit <= PROVE_FITS;
}

// From 0 to the greatest limit. False: there is none, or none with which the access is made.
static bool find_most(struct search *search, uint32_t site, struct prove_assumption *assumption) {
    uint64_t low = 0, high = assumption->bytes == 8 ? INT64_MAX : INT32_MAX;
    assumption->most = low;
    if (!stays(try_assumption(search, site, assumption)))
        return false;
    assumption->most = high;
    if (stays(try_assumption(search, site, assumption)))
        low = high;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        assumption->most = middle;
        if (stays(try_assumption(search, site, assumption)))
            low = middle;
        else
            high = middle;
    }
    assumption->most = low;
    const struct prove_bounds *bounds = try_assumption(search, site, assumption);
    return bounds && bounds->fit == PROVE_FITS;
}

static void look_for_condition(struct search *search, uint32_t site, struct prove_bounds *bounds) {
    for (unsigned p = 0; p < bounds->parameter_count; p++) {
        struct prove_assumption assumption = bounds->parameters[p];
        if (!find_most(search, site, &assumption))
            continue;
        assumption.may_be_negative = true;
        if (!stays(try_assumption(search, site, &assumption)))
            assumption.may_be_negative = false;
        bounds->fit = PROVE_FITS_IF;
        bounds->condition = assumption;
        bounds->kernel = search->kernel;
        return;
    }
}

void prove_conditions(const struct ir_function *kernel, const struct prove_launch *launch,
                      struct prove_result *result) {
    struct search search = {.kernel = kernel,
                            .launch = launch,
                            .probes = base_alloc(MOST_PROBES * sizeof *search.probes),
                            .most_steps = 20 * result->steps + 1000000};
    for (uint32_t s = 0; s < result->site_count && !result->trouble; s++) {
        struct prove_bounds *bounds = &result->sites[s].bounds;
        if (bounds->fit == PROVE_FIT_UNKNOWN && bounds->has_bytes)
            look_for_condition(&search, s, bounds);
    }
    for (unsigned i = 0; i < search.count; i++)
        prove_free(search.probes[i].result);
    free(search.probes);
}
