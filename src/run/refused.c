#include "run/refused.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"

static const char *const names[] = {
    [RUN_BLOCK_EXTENT] = "block_extent",
    [RUN_GRID_EXTENT] = "grid_extent",
    [RUN_BLOCK_THREADS] = "block_threads",
    [RUN_COOPERATIVE] = "cooperative",
    [RUN_KERNEL_THREADS] = "kernel_threads",
    [RUN_KERNEL_BLOCK] = "kernel_block",
    [RUN_SHARED] = "shared",
    [RUN_DYNAMIC_SHARED] = "dynamic_shared",
    [RUN_CLUSTER_MISSING] = "cluster_missing",
    [RUN_CLUSTER_REQUIRED] = "cluster_required",
    [RUN_CLUSTER_BLOCKS] = "cluster_blocks",
    [RUN_CLUSTER_REMAINDER] = "cluster_remainder",
};

static struct profile_broken_limit limit_of(const struct run_refusal *refusal,
                                            const struct run_refused *refused) {
    char *kernel = base_drop_parameters(base_demangle(refused->kernel->name));
    struct profile_broken_limit limit = {.limit = base_strdup(names[refusal->limit]),
                                         .asked = refusal->asked,
                                         .most = refusal->most,
                                         .text = run_refusal_text(refusal, refused->limits, kernel),
                                         .cure = run_refusal_cure(refusal, refused)};
    free(kernel);
    return limit;
}

static size_t find_limits(const struct run_refused *refused,
                          struct profile_broken_limit limits[RUN_MOST_REFUSALS]) {
    struct run_refusal refusals[RUN_MOST_REFUSALS];
    const size_t count = refused->kernel
                             ? run_check(refused->limits, refused->launch, refused->kernel,
                                         refused->static_bytes, refusals)
                             : 0;
    for (size_t i = 0; i < count; i++)
        limits[i] = limit_of(&refusals[i], refused);
    if (!count)
        limits[0] = (struct profile_broken_limit){.limit = base_strdup("other"),
                                                  .text = base_strdup(refused->text)};
    return count ? count : 1;
}

void run_add_refused(struct profile *profile, const struct run_refused *refused) {
    const char *symbol = refused->symbol ? refused->symbol : "";
    struct profile_refused kept = {
        .after = profile_launched_by(profile, refused->thread),
        .thread = refused->thread,
        .repeats = 1,
        .kernel = refused->symbol ? base_demangle(symbol) : base_strdup("no kernel"),
        .symbol = base_strdup(symbol),
        .dynamic_bytes = refused->dynamic_bytes,
        .parent = refused->parent ? base_demangle(refused->parent) : NULL,
        .error = base_strdup(refused->error),
        .limits = base_alloc(RUN_MOST_REFUSALS * sizeof *kept.limits),
    };
    memcpy(kept.grid, refused->launch->grid, sizeof kept.grid);
    memcpy(kept.block, refused->launch->block, sizeof kept.block);
    memcpy(kept.cluster, refused->launch->cluster, sizeof kept.cluster);
    kept.limit_count = find_limits(refused, kept.limits);
    profile_add_refused(profile, &kept);
}
