// Accesses to global memory that are not coalesced. See hint_global.h.
#include "profile/hint_global.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "profile/cost.h"
#include "profile/why.h"

enum {
    LEAST_TIMES = 2,  // as many sectors as would do: less is often a matter of how rows are aligned
    LEAST_EXCESS = 4, // of a request, on average: a whole line of 128 bytes in vain, so that few
                      // lanes, and bytes with gaps, which move no more than words do, are none
    LEAST_PART = 10,  // percent of the launch's sectors that are in vain here
    LEAST_COST = 1024, // sectors: 32 KiB, which take no time that could be measured
    MOST_STRUCTURE = 128,
};

// ---- What lanes do --------------------------------------------------------------------------

static unsigned distance(int64_t bytes) {
    return (unsigned)llabs(bytes);
}

struct profile_shape hint_global_shape(uint32_t mask, const uint32_t *offsets) {
    uint32_t places[WARP_LANES];
    if (!(mask & (mask - 1)))
        return (struct profile_shape){0};
    for (int l = 0; l < WARP_LANES; l++)
        places[l] = offsets[l] + 0x80000000u; // behind 0, wherever the first one is
    const struct why_shape shape = why_find_shape(mask, places);
    if (shape.kind == WHY_STRIDE)
        return (struct profile_shape){.group = WARP_LANES, .inner = distance(shape.inner)};
    if (shape.kind == WHY_GROUPS)
        return (struct profile_shape){
            .group = shape.group, .inner = distance(shape.inner), .outer = distance(shape.outer)};
    return (struct profile_shape){0};
}

// ---- Which sites ----------------------------------------------------------------------------

static bool is_uncoalesced(const struct profile_counts *counts, uint64_t all) {
    const uint64_t excess = profile_excess_of(counts);
    return counts->units >= LEAST_TIMES * counts->ideal &&
           excess >= LEAST_EXCESS * counts->requests && excess >= LEAST_COST &&
           excess * 100 >= all * LEAST_PART;
}

// Accesses to the other members of lanes' structures want what this one leaves: the first-level
// cache has it already, or it is written together.
static bool are_whole(const struct profile_launch *launch, const struct profile_site *site) {
    const struct profile_shape *shape = &site->shape;
    uint64_t bytes = 0;
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *other = &launch->sites[i];
        if (other->space == SITE_GLOBAL && other->op == site->op &&
            other->shape.group == shape->group && other->shape.inner == shape->inner &&
            other->shape.outer == shape->outer)
            bytes += other->shape.bytes;
    }
    return shape->group && shape->inner <= MOST_STRUCTURE && bytes >= shape->inner;
}

static uint64_t all_sectors(const struct profile_launch *launch) {
    uint64_t sum = 0;
    for (int op = 0; op < PROFILE_OPS; op++)
        sum += launch->totals[SITE_GLOBAL][op].units;
    return sum;
}

// ---- In words -------------------------------------------------------------------------------

static const char *verb_of(enum profile_op op) {
    return op == PROFILE_STORE ? "write" : op == PROFILE_ATOMIC ? "update" : "read";
}

static void put_neighbours(struct strbuf *out, unsigned apart) {
    if (apart <= MOST_STRUCTURE)
        strbuf_puts(out, ": let neighbouring lanes have neighbouring elements; of structures, an "
                         "array for each member");
    else
        strbuf_puts(out, ": let neighbouring lanes have neighbouring elements; where rows become "
                         "columns, go through a tile in shared memory");
}

static void put_stride(struct strbuf *out, const struct profile_site *site) {
    strbuf_printf(out, "lanes %s places %u bytes apart", verb_of(site->op), site->shape.inner);
    put_neighbours(out, site->shape.inner);
}

static void put_groups(struct strbuf *out, const struct profile_site *site) {
    const struct profile_shape *shape = &site->shape;
    const bool is_close = shape->inner <= site->width;
    strbuf_printf(out, "groups of %u lanes %s ", shape->group, verb_of(site->op));
    if (shape->inner == 0)
        strbuf_puts(out, "one element");
    else if (is_close)
        strbuf_puts(out, "neighbouring elements");
    else
        strbuf_printf(out, "places %u bytes apart", shape->inner);
    if (shape->outer)
        strbuf_printf(out, ", %u bytes from group to group", shape->outer);
    else
        strbuf_puts(out, ", each group the same ones");
    if (is_close)
        strbuf_puts(out, ": let more neighbouring lanes have neighbouring elements, of 32 bytes at "
                         "least");
    else
        put_neighbours(out, shape->inner);
}

static void put_irregular(struct strbuf *out, const struct profile_site *site) {
    strbuf_printf(out, "lanes %s places that follow no rule: ", verb_of(site->op));
    if (site->op == PROFILE_ATOMIC)
        strbuf_puts(out, "gather the updates of a block in shared memory first");
    else
        strbuf_puts(out, "have the data in the order in which it is wanted, or go through shared "
                         "memory");
}

static void put_words(struct strbuf *out, const struct profile_site *site) {
    if (site->shape.group == WARP_LANES)
        put_stride(out, site);
    else if (site->shape.group)
        put_groups(out, site);
    else
        put_irregular(out, site);
}

// Of a launch that is too small to be about anything but itself, what it is as part of a large one.
static double gain_at_scale(const struct profile_cost *cost, uint64_t sectors) {
    enum { BLOCKS = 64 }; // of each multiprocessor
    const double times = BLOCKS * cost->machine->multiprocessors / cost->counts.blocks;
    return times > 1 ? profile_cost_gain_global(cost, sectors, times)
                     : profile_cost_gain_global(cost, sectors, 1);
}

// Of what a loop accesses, later rounds may find in the first-level cache what earlier ones left,
// which the estimate does not know: 16 rounds over lanes' own 64 bytes, with 87 % of the sectors in
// vain, took an H200 1.2 times as long as the same side by side.
static bool is_in_loop(const struct profile_launch *launch, const struct profile_site *site) {
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                   threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    return site->counts.requests > blocks * ((threads + WARP_LANES - 1) / WARP_LANES);
}

static void put_worth(struct strbuf *out, const struct profile_cost *cost, uint64_t sectors,
                      uint64_t all) {
    strbuf_printf(out, "\n%u %% of the launch's sectors are in vain here",
                  (unsigned)(100 * (double)sectors / (double)all + 0.5));
    if (!cost)
        return;
    const double gain = profile_cost_gain_global(cost, sectors, 1);
    if (cost_is_worth(gain))
        strbuf_printf(out, "; without them up to %.1f times as fast (an estimate for %s)", gain,
                      cost->machine->name);
}

static void say(const struct profile_launch *launch, struct profile_site *site,
                const struct profile_cost *cost, uint64_t sectors, uint64_t all) {
    struct strbuf text = {0};
    site->hints.gains[PROFILE_HINT_UNCOALESCED] = sectors;
    site->hints.excess = all;
    site->hints.stride = site->shape.group == WARP_LANES ? site->shape.inner : 0;
    put_words(&text, site);
    put_worth(&text, is_in_loop(launch, site) ? NULL : cost, sectors, all);
    site->help = strbuf_take(&text);
}

void hint_global(unsigned arch, struct profile_launch *launch) {
    const uint64_t all = all_sectors(launch);
    struct profile_cost found;
    const struct profile_cost *cost = profile_time_of(arch, launch, &found) ? &found : NULL;
    for (size_t i = 0; i < launch->site_count; i++) {
        struct profile_site *site = &launch->sites[i];
        const uint64_t sectors = profile_excess_of(&site->counts);
        if (site->space == SITE_GLOBAL && is_uncoalesced(&site->counts, all) &&
            !are_whole(launch, site) && (!cost || cost_is_worth(gain_at_scale(cost, sectors))))
            say(launch, site, cost, sectors, all);
    }
}
