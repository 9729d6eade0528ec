// Launches of which some blocks were run: their counts are scaled to the whole grid, with the error
// that the differences between the blocks make likely.
#include "profile/sampled.h"

#include <math.h>

// Two standard errors hold the truth 19 times in 20.
static const double CONFIDENCE = 1.96;

void spread_add(struct spread *spread, uint64_t value) {
    spread->pieces++;
    spread->sum += value;
    spread->squares += (wide_count)value * value;
}

void spread_merge(struct spread *to, const struct spread *from) {
    to->pieces += from->pieces;
    to->sum += from->sum;
    to->squares += from->squares;
}

double spread_error(const struct spread *spread, double share) {
    const double n = (double)spread->pieces, mean = (double)spread->sum / n;
    if (spread->sum == 0 || share >= 1)
        return 0;
    if (spread->pieces < 2)
        return 1; // one block says nothing about the others
    // Exact in integers: n * squares - sum^2 is 0 when all blocks are alike.
    const wide_count sum = spread->sum;
    const double deviation = (double)(spread->pieces * spread->squares - sum * sum) / n;
    return CONFIDENCE * sqrt(deviation / (n - 1) * (1 - share) / n) / mean;
}

static uint64_t scale(uint64_t value, uint64_t ran, uint64_t all) {
    return (uint64_t)(((wide_count)value * all + ran / 2) / ran);
}

static void scale_site(struct profile_site *site, uint64_t ran, uint64_t all) {
    struct profile_counts *counts = &site->counts;
    counts->requests = scale(counts->requests, ran, all);
    counts->units = scale(counts->units, ran, all);
    counts->ideal = scale(counts->ideal, ran, all);
    if (site->space != SITE_SHARED)
        return;
    counts->requests = 0; // the sum of its degrees, each rounded
    for (int degree = 0; degree <= PROFILE_MAX_DEGREE; degree++) {
        site->degrees[degree] = scale(site->degrees[degree], ran, all);
        counts->requests += site->degrees[degree];
    }
}

void profile_scale(struct profile_launch *launch, uint64_t all) {
    const uint64_t ran = launch->blocks_run;
    launch->instructions = scale(launch->instructions, ran, all);
    launch->thread_instructions = scale(launch->thread_instructions, ran, all);
    launch->barriers = scale(launch->barriers, ran, all);
    for (int space = 0; space < SITE_SPACES; space++)
        for (int op = 0; op < PROFILE_OPS; op++)
            launch->totals[space][op] = (struct profile_counts){0};
    for (size_t i = 0; i < launch->site_count; i++) {
        struct profile_site *site = &launch->sites[i];
        scale_site(site, ran, all);
        profile_add_counts(&launch->totals[site->space][site->op], &site->counts, 1);
    }
}
