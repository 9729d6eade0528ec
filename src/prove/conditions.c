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
    bool *wanted;         // sites that conditions are looked for of
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
    *probe = (struct probe){
        *assumption, prove_assuming(search->kernel, search->launch, assumption, search->wanted)};
    search->steps += probe->result->steps;
    return &probe->result->sites[site].bounds;
}

static bool stays(const struct prove_bounds *bounds) {
    return bounds && bounds->fit <= PROVE_FITS;
}

// A limit with which the access stays, and what it reaches then.
struct point {
    bool is_known;
    uint64_t limit;
    int64_t low, high;
};

static struct point point_of(uint64_t limit, const struct prove_bounds *bounds) {
    const bool is_known = bounds->fit == PROVE_FITS && bounds->has_reach;
    return (struct point){is_known, limit, bounds->low, bounds->high};
}

// How far behind the later point the access stays if what it reaches goes on like this; the
// reach is the same: farther than it has come so far.
static double extrapolate(const struct point *before, const struct point *now, uint64_t bytes) {
    const double run = (double)(now->limit - before->limit);
    const double up = (double)(now->high - before->high) / run,
                 down = (double)(before->low - now->low) / run;
    double room = 3 * (double)now->limit + 4;
    if (up > 0)
        room = (double)((int64_t)bytes - 1 - now->high) / up;
    if (down > 0 && (up <= 0 || (double)now->low / down < room))
        room = (double)now->low / down;
    return room;
}

// Between two limits: at the first the access stays, at the second it does not. Every third time
// the middle, wherever the points say.
static uint64_t next_limit(const struct point points[2], uint64_t bytes, uint64_t low,
                           uint64_t high, unsigned turn) {
    double room = 1;
    if (turn % 3 == 2)
        room = (double)((high - low) / 2);
    else if (points[0].is_known && points[1].is_known)
        room = extrapolate(&points[0], &points[1], bytes);
    room = room < 1 ? 1 : room;
    return room < (double)(high - low) ? low + (uint64_t)room : high - 1;
}

// From 0 to the greatest limit. False: there is none, or none with which the access is made.
static bool find_most(struct search *search, uint32_t site, uint64_t array_bytes,
                      struct prove_assumption *assumption) {
    uint64_t low = 0, high = assumption->bytes == 8 ? INT64_MAX : INT32_MAX;
    assumption->most = low;
    const struct prove_bounds *bounds = try_assumption(search, site, assumption);
    if (!stays(bounds))
        return false;
    struct point points[2] = {{0}, point_of(low, bounds)};
    assumption->most = high;
    if (stays(try_assumption(search, site, assumption)))
        low = high;
    for (unsigned turn = 0; high - low > 1; turn++) {
        assumption->most =
            next_limit(points, array_bytes, low, high, points[0].is_known ? turn : 0);
        bounds = try_assumption(search, site, assumption);
        if (!stays(bounds)) {
            high = assumption->most;
            continue;
        }
        low = assumption->most;
        points[0] = points[1];
        points[1] = point_of(low, bounds);
    }
    assumption->most = low;
    bounds = try_assumption(search, site, assumption);
    return bounds && bounds->fit == PROVE_FITS;
}

static void look_for_condition(struct search *search, uint32_t site, struct prove_bounds *bounds) {
    for (unsigned p = 0; p < bounds->parameter_count; p++) {
        struct prove_assumption assumption = bounds->parameters[p];
        if (!find_most(search, site, bounds->bytes, &assumption))
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
                            .wanted = base_alloc(result->site_count + 1),
                            .probes = base_alloc(MOST_PROBES * sizeof *search.probes),
                            .most_steps = 4 * result->steps + 400000};
    for (uint32_t s = 0; s < result->site_count && !result->trouble; s++) {
        const struct prove_bounds *bounds = &result->sites[s].bounds;
        search.wanted[s] = bounds->fit == PROVE_FIT_UNKNOWN && bounds->has_bytes;
    }
    for (uint32_t s = 0; s < result->site_count; s++)
        if (search.wanted[s])
            look_for_condition(&search, s, &result->sites[s].bounds);
    for (unsigned i = 0; i < search.count; i++)
        prove_free(search.probes[i].result);
    free(search.probes);
    free(search.wanted);
}
