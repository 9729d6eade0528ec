// Under which condition on a parameter accesses stay in their array: the kernel is proved again for
// numbers from 0 to some limit, and the greatest limit is found for which an access does.
#include "prove/conditions.h"

#include <stdlib.h>

#include "base/alloc.h"

// A limit may make rounds of loops be walked one by one that were not before. In steps of the proof
// that knew no limit: what one probe may take, what all of them may, and what is always allowed.
enum { MOST_PROBES = 160, PROBE_STEPS = 2, ALL_STEPS = 4, MORE_STEPS = 100000 };

struct probe {
    struct prove_assumption assumption;
    struct prove_result *result;
};

struct search {
    const struct ir_function *kernel;
    struct prove_launch launch; // of which every probe has so many steps
    bool *wanted;               // sites that conditions are looked for of
    struct probe *probes;       // that were made, MOST_PROBES at most
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
        *assumption, prove_assuming(search->kernel, &search->launch, assumption, search->wanted)};
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

// What is known of the limits: at `low` the access stays, at `high` it does not.
struct bracket {
    uint64_t low, high;
    struct point points[2]; // the last two at which it stays
};

// The next one to try, between the two: where the points say that it just stays, which they may
// first say too high; else the middle.
static uint64_t next_limit(const struct bracket *bracket, uint64_t bytes, unsigned turn) {
    const struct point *points = bracket->points;
    const uint64_t gap = bracket->high - bracket->low;
    if (!points[0].is_known || !points[1].is_known)
        return bracket->low + 1;
    const double room = extrapolate(&points[0], &points[1], bytes);
    if (turn % 3 == 2 || room >= (double)gap)
        return bracket->low + gap / 2;
    return bracket->low + (room < 1 ? 1 : (uint64_t)room);
}

static void note_stays(struct bracket *bracket, uint64_t limit, const struct prove_bounds *bounds) {
    bracket->low = limit;
    bracket->points[0] = bracket->points[1];
    bracket->points[1] = point_of(limit, bounds);
}

static bool is_about(const struct probe *probe, const struct prove_assumption *assumption) {
    return probe->assumption.offset == assumption->offset && !probe->assumption.may_be_negative;
}

// From what was tried for other accesses.
static void note_probes(const struct search *search, uint32_t site,
                        const struct prove_assumption *assumption, struct bracket *bracket) {
    for (unsigned i = 0; i < search->count; i++) {
        const struct probe *probe = &search->probes[i];
        if (is_about(probe, assumption) && !stays(&probe->result->sites[site].bounds) &&
            probe->assumption.most < bracket->high)
            bracket->high = probe->assumption.most;
    }
    for (const struct probe *next = bracket->low < bracket->high ? search->probes : NULL; next;) {
        next = NULL;
        for (unsigned i = 0; i < search->count; i++) {
            const struct probe *probe = &search->probes[i];
            if (is_about(probe, assumption) && probe->assumption.most > bracket->low &&
                probe->assumption.most < bracket->high &&
                (!next || probe->assumption.most < next->assumption.most))
                next = probe;
        }
        if (next)
            note_stays(bracket, next->assumption.most, &next->result->sites[site].bounds);
    }
}

// From 0 to the greatest limit. False: there is none, or none with which the access is made.
static bool find_most(struct search *search, uint32_t site, uint64_t array_bytes,
                      struct prove_assumption *assumption) {
    const uint64_t most = assumption->bytes == 8 ? INT64_MAX : INT32_MAX;
    struct bracket bracket = {.low = 0, .high = most};
    assumption->most = 0;
    const struct prove_bounds *bounds = try_assumption(search, site, assumption);
    if (!stays(bounds))
        return false;
    note_stays(&bracket, 0, bounds);
    assumption->most = most;
    if (stays(try_assumption(search, site, assumption)))
        bracket.low = most;
    note_probes(search, site, assumption, &bracket);
    for (unsigned turn = 0; bracket.high > bracket.low + 1; turn++) {
        assumption->most = next_limit(&bracket, array_bytes, turn);
        bounds = try_assumption(search, site, assumption);
        if (stays(bounds))
            note_stays(&bracket, assumption->most, bounds);
        else
            bracket.high = assumption->most;
    }
    assumption->most = bracket.low;
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
                            .launch = *launch,
                            .wanted = base_alloc(result->site_count + 1),
                            .probes = base_alloc(MOST_PROBES * sizeof *search.probes),
                            .most_steps = ALL_STEPS * result->steps + 4 * MORE_STEPS};
    const uint64_t most = PROBE_STEPS * result->steps + MORE_STEPS;
    if (!launch->most_steps || most < launch->most_steps)
        search.launch.most_steps = most;
    for (uint32_t s = 0; s < result->site_count && !result->trouble; s++) {
        const struct prove_bounds *bounds = &result->sites[s].bounds;
        search.wanted[s] = bounds->fit == PROVE_FIT_UNKNOWN && bounds->has_bytes;
    }
    for (uint32_t s = 0; s < result->site_count; s++) {
        if (search.wanted[s])
            look_for_condition(&search, s, &result->sites[s].bounds);
        search.wanted[s] = false;
    }
    for (unsigned i = 0; i < search.count; i++)
        prove_free(search.probes[i].result);
    free(search.probes);
    free(search.wanted);
}
