#include "run/limits.h"

#include <string.h>

#include "base/strbuf.h"

enum { LARGEST_CLUSTER = 16, DEFAULT_MULTIPROCESSORS = 132 };

struct run_limits run_limits_of(unsigned arch) {
    struct run_limits limits = {
        .chip = bankrun_limits_of(arch),
        .grid = {arch < 30 ? 65535 : INT32_MAX, 65535, arch < 20 ? 1 : 65535},
        .block = {arch < 20 ? 512 : 1024, arch < 20 ? 512 : 1024, 64},
        .shared_bytes = arch < 20 ? 16384 : 49152,
        .dynamic_bytes = UINT32_MAX,
        .cluster_blocks = arch < 90 ? 0 : LARGEST_CLUSTER,
        .multiprocessors = DEFAULT_MULTIPROCESSORS,
    };
    return limits;
}

struct refusals {
    struct run_refusal *list;
    size_t count;
};

static void refuse(struct refusals *refusals, enum run_limit limit, unsigned axis, uint64_t asked,
                   uint64_t most) {
    refusals->list[refusals->count++] = (struct run_refusal){limit, axis, asked, most};
}

static uint64_t product(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2];
}

static void check_shape(const struct run_limits *limits, const struct sim_launch *launch,
                        struct refusals *refusals) {
    for (unsigned i = 0; i < 3; i++) {
        if (launch->block[i] == 0 || launch->block[i] > limits->block[i])
            refuse(refusals, RUN_BLOCK_EXTENT, i, launch->block[i], limits->block[i]);
        if (launch->grid[i] == 0 || launch->grid[i] > limits->grid[i])
            refuse(refusals, RUN_GRID_EXTENT, i, launch->grid[i], limits->grid[i]);
    }
    // Extents within their limits have a product that fits.
    if (!refusals->count && product(launch->block) > limits->chip->threads_per_block)
        refuse(refusals, RUN_BLOCK_THREADS, 0, product(launch->block),
               limits->chip->threads_per_block);
}

static void check_cooperative(const struct run_limits *limits, const struct sim_launch *launch,
                              uint64_t static_bytes, struct refusals *refusals) {
    const unsigned threads = (unsigned)product(launch->block);
    const uint64_t most =
        (uint64_t)run_occupancy(limits, threads, static_bytes, launch->dynamic_shared_bytes) *
        limits->multiprocessors;
    if (launch->is_cooperative && product(launch->grid) > most)
        refuse(refusals, RUN_COOPERATIVE, 0, product(launch->grid), most);
}

unsigned run_block_threads(const struct run_limits *limits, const struct ir_function *kernel) {
    const struct ptx_function *ptx = kernel->ptx;
    const uint32_t *bounds = ptx->required_threads[0] ? ptx->required_threads : ptx->max_threads;
    uint64_t threads = bounds[0];
    for (int i = 1; i < 3; i++)
        threads *= bounds[i] ? bounds[i] : 1;
    const unsigned most = limits->chip->threads_per_block;
    return threads && threads < most ? (unsigned)threads : most;
}

static void check_kernel(const struct run_limits *limits, const struct sim_launch *launch,
                         const struct ir_function *kernel, struct refusals *refusals) {
    const uint32_t *required = kernel->ptx->required_threads;
    for (unsigned i = 0; i < 3 && required[0]; i++) {
        const uint32_t extent = required[i] ? required[i] : 1;
        if (launch->block[i] != extent)
            refuse(refusals, RUN_KERNEL_BLOCK, i, launch->block[i], extent);
    }
    const unsigned most = run_block_threads(limits, kernel);
    if (!refusals->count && product(launch->block) > most)
        refuse(refusals, RUN_KERNEL_THREADS, 0, product(launch->block), most);
}

static void check_shared(const struct run_limits *limits, const struct sim_launch *launch,
                         uint64_t static_bytes, struct refusals *refusals) {
    const uint64_t bytes = static_bytes + launch->dynamic_shared_bytes;
    if (launch->dynamic_shared_bytes > limits->dynamic_bytes)
        refuse(refusals, RUN_DYNAMIC_SHARED, 0, launch->dynamic_shared_bytes,
               limits->dynamic_bytes);
    else if (bytes > limits->chip->shared_block_bytes)
        refuse(refusals, RUN_SHARED, 0, bytes, limits->chip->shared_block_bytes);
}

void run_required_cluster(const struct run_limits *limits, const struct ir_function *kernel,
                          uint32_t cluster[3]) {
    const uint32_t *own = kernel->ptx->required_cluster;
    const uint32_t *required = own[0] ? own : limits->cluster;
    for (int i = 0; i < 3; i++)
        cluster[i] = required[0] && !required[i] ? 1 : required[i];
}

static void check_cluster_size(const struct run_limits *limits, const struct sim_launch *launch,
                               const struct ir_function *kernel, const uint32_t cluster[3],
                               struct refusals *refusals) {
    unsigned most = limits->cluster_blocks;
    if (kernel->ptx->max_cluster_blocks && kernel->ptx->max_cluster_blocks < most)
        most = kernel->ptx->max_cluster_blocks;
    if (product(cluster) == 0 || product(cluster) > most)
        refuse(refusals, RUN_CLUSTER_BLOCKS, 0, product(cluster), most);
    for (unsigned i = 0; i < 3; i++)
        if (cluster[i] && launch->grid[i] % cluster[i])
            refuse(refusals, RUN_CLUSTER_REMAINDER, i, launch->grid[i], cluster[i]);
}

static void check_cluster(const struct run_limits *limits, const struct sim_launch *launch,
                          const struct ir_function *kernel, struct refusals *refusals) {
    const uint32_t *given = launch->cluster;
    const bool is_given = given[0] || given[1] || given[2];
    uint32_t required[3];
    run_required_cluster(limits, kernel, required);
    for (unsigned i = 0; i < 3 && required[0] && is_given; i++)
        if (given[i] != required[i])
            refuse(refusals, RUN_CLUSTER_REQUIRED, i, given[i], required[i]);
    if (refusals->count)
        return;
    if (required[0] || is_given)
        check_cluster_size(limits, launch, kernel, required[0] ? required : given, refusals);
    else if (kernel->ptx->needs_cluster)
        refuse(refusals, RUN_CLUSTER_MISSING, 0, 0, 0);
}

bool run_is_cluster_good(const struct run_limits *limits, const struct sim_launch *launch,
                         const struct ir_function *kernel) {
    struct run_refusal list[RUN_MOST_REFUSALS];
    struct refusals refusals = {.list = list};
    check_cluster(limits, launch, kernel, &refusals);
    return refusals.count == 0;
}

size_t run_check(const struct run_limits *limits, const struct sim_launch *launch,
                 const struct ir_function *kernel, uint64_t static_shared_bytes,
                 struct run_refusal list[RUN_MOST_REFUSALS]) {
    struct refusals refusals = {.list = list};
    check_shape(limits, launch, &refusals);
    if (!refusals.count)
        check_cooperative(limits, launch, static_shared_bytes, &refusals);
    if (!refusals.count)
        check_kernel(limits, launch, kernel, &refusals);
    if (!refusals.count)
        check_shared(limits, launch, static_shared_bytes, &refusals);
    if (!refusals.count)
        check_cluster(limits, launch, kernel, &refusals);
    return refusals.count;
}

unsigned run_occupancy(const struct run_limits *limits, unsigned threads,
                       uint64_t static_shared_bytes, uint64_t dynamic_shared_bytes) {
    const uint64_t bytes = static_shared_bytes + dynamic_shared_bytes;
    if (dynamic_shared_bytes > limits->dynamic_bytes || bytes > UINT32_MAX)
        return 0;
    return bankrun_occupancy(limits->chip, threads, 0, (unsigned)bytes);
}

char *run_refusal_text(const struct run_refusal *refusal, const struct run_limits *limits,
                       const char *name) {
    const unsigned long long asked = refusal->asked, most = refusal->most;
    const unsigned arch = limits->chip->arch;
    const char axis = "xyz"[refusal->axis];
    struct strbuf out = {0};
    switch (refusal->limit) {
    case RUN_BLOCK_EXTENT:
        strbuf_printf(&out, "a block has at %s %llu thread%s in %c", asked ? "most" : "least",
                      asked ? most : 1, asked ? "s" : "", axis);
        break;
    case RUN_GRID_EXTENT:
        strbuf_printf(&out, "a grid has at %s %llu block%s in %c", asked ? "most" : "least",
                      asked ? most : 1, asked ? "s" : "", axis);
        break;
    case RUN_BLOCK_THREADS:
        strbuf_printf(&out, "the block has %llu threads; sm_%u takes at most %llu", asked, arch,
                      most);
        break;
    case RUN_COOPERATIVE:
        strbuf_printf(&out,
                      "a cooperative launch of %llu blocks; %u multiprocessors of sm_%u hold "
                      "%llu at a time",
                      asked, limits->multiprocessors, arch, most);
        break;
    case RUN_KERNEL_THREADS:
        strbuf_printf(&out, "the block has %llu threads; kernel '%s' is made for at most %llu",
                      asked, name, most);
        break;
    case RUN_KERNEL_BLOCK:
        strbuf_printf(&out, "the block has %llu threads in %c; kernel '%s' requires %llu", asked,
                      axis, name, most);
        break;
    case RUN_SHARED:
        strbuf_printf(&out,
                      "the block needs %llu bytes of shared memory; sm_%u has %llu for one block",
                      asked, arch, most);
        break;
    case RUN_DYNAMIC_SHARED:
        strbuf_printf(&out,
                      "the launch asks for %llu bytes of dynamic shared memory; kernel '%s' may "
                      "have %llu",
                      asked, name, most);
        break;
    case RUN_CLUSTER_MISSING:
        strbuf_printf(&out, "kernel '%s' requires a cluster", name);
        break;
    case RUN_CLUSTER_REQUIRED:
        strbuf_printf(&out, "the cluster has %llu blocks in %c; kernel '%s' requires %llu", asked,
                      axis, name, most);
        break;
    case RUN_CLUSTER_BLOCKS:
        if (most)
            strbuf_printf(&out, "the cluster has %llu blocks; sm_%u takes at most %llu", asked,
                          arch, most);
        else
            strbuf_printf(&out, "sm_%u has no clusters", arch);
        break;
    case RUN_CLUSTER_REMAINDER:
        strbuf_printf(&out, "the grid's %llu blocks in %c are no multiple of the cluster's %llu",
                      asked, axis, most);
        break;
    }
    return strbuf_take(&out);
}
