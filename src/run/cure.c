// What to do about a refused launch.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/strbuf.h"
#include "run/refused.h"

typedef unsigned long long number;

// The kernel as a call names it: "scale<32>".
static char *name_of(const struct run_refused *refused) {
    static const char unnamed[] = "(anonymous namespace)::";
    char *name = base_drop_parameters(base_demangle(refused->kernel->name)), *at;
    while ((at = strstr(name, unnamed)) != NULL)
        memmove(at, at + strlen(unnamed), strlen(at + strlen(unnamed)) + 1);
    return name;
}

static void put_attribute(struct strbuf *out, const struct run_refused *refused,
                          const char *runtime, const char *driver, uint64_t value) {
    char *name = name_of(refused);
    if (refused->is_by_driver)
        strbuf_printf(out, "cuFuncSetAttribute(function, %s, %llu);", driver, (number)value);
    else
        strbuf_printf(out, "cudaFuncSetAttribute(%s, %s, %llu);", name, runtime, (number)value);
    free(name);
}

static void cure_shared(struct strbuf *out, const struct run_refused *refused) {
    const uint64_t all = refused->limits->chip->shared_block_bytes, fixed = refused->static_bytes;
    const uint64_t most = fixed < all ? all - fixed : 0;
    if (refused->dynamic_bytes <= most)
        put_attribute(out, refused, "cudaFuncAttributeMaxDynamicSharedMemorySize",
                      "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", refused->dynamic_bytes);
    else
        strbuf_printf(out,
                      "ask for at most %llu bytes: sm_%u has %llu for a block, and the kernel "
                      "itself takes %llu",
                      (number)most, refused->limits->chip->arch, (number)all, (number)fixed);
}

static void cure_extent(struct strbuf *out, const struct run_refusal *refusal, bool is_grid) {
    if (refusal->asked == 0)
        strbuf_printf(out, "the %s is empty: launch only where there is something to do",
                      is_grid ? "grid" : "block");
    else if (is_grid)
        strbuf_printf(out,
                      "launch at most %llu blocks in %c, and let each of them do several parts of "
                      "the work",
                      (number)refusal->most, "xyz"[refusal->axis]);
    else
        strbuf_printf(out, "launch blocks of at most %llu threads in %c, and more of them",
                      (number)refusal->most, "xyz"[refusal->axis]);
}

static void cure_threads(struct strbuf *out, const struct run_refusal *refusal,
                         const struct run_refused *refused) {
    if (refusal->asked <= refused->limits->chip->threads_per_block)
        strbuf_printf(out,
                      "write __launch_bounds__(%llu) at the kernel, or launch blocks of at "
                      "most %llu threads",
                      (number)refusal->asked, (number)refusal->most);
    else
        strbuf_printf(out, "launch blocks of at most %llu threads, and more of them",
                      (number)refusal->most);
}

static void cure_cluster(struct strbuf *out, const struct run_refusal *refusal,
                         const struct run_refused *refused) {
    enum { LARGEST = 16, PORTABLE = 8 };
    const unsigned most = refused->kernel->ptx->max_cluster_blocks;
    if (refusal->most == PORTABLE && refusal->asked > PORTABLE && refusal->asked <= LARGEST &&
        !most)
        put_attribute(out, refused, "cudaFuncAttributeNonPortableClusterSizeAllowed",
                      "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1);
    else if (refusal->most)
        strbuf_printf(out, "launch clusters of at most %llu blocks", (number)refusal->most);
    else
        strbuf_puts(out, "clusters are there from sm_90 on");
}

char *run_refusal_cure(const struct run_refusal *refusal, const struct run_refused *refused) {
    const number most = refusal->most;
    struct strbuf out = {0};
    switch (refusal->limit) {
    case RUN_BLOCK_EXTENT:
    case RUN_GRID_EXTENT:
        cure_extent(&out, refusal, refusal->limit == RUN_GRID_EXTENT);
        break;
    case RUN_BLOCK_THREADS:
    case RUN_KERNEL_THREADS:
        cure_threads(&out, refusal, refused);
        break;
    case RUN_COOPERATIVE:
        strbuf_printf(&out,
                      "launch at most %llu blocks, or smaller ones, of which more are on the "
                      "device at a time",
                      most);
        break;
    case RUN_KERNEL_BLOCK:
        strbuf_printf(&out, "launch blocks of %llu thread%s in %c", most, most == 1 ? "" : "s",
                      "xyz"[refusal->axis]);
        break;
    case RUN_SHARED:
    case RUN_DYNAMIC_SHARED:
        cure_shared(&out, refused);
        break;
    case RUN_CLUSTER_MISSING:
        strbuf_puts(&out, "launch it with cudaLaunchKernelEx and "
                          "cudaLaunchAttributeClusterDimension");
        break;
    case RUN_CLUSTER_REQUIRED:
        strbuf_printf(&out, "launch clusters of %llu blocks in %c, or say nothing of them", most,
                      "xyz"[refusal->axis]);
        break;
    case RUN_CLUSTER_BLOCKS:
        cure_cluster(&out, refusal, refused);
        break;
    case RUN_CLUSTER_REMAINDER:
        strbuf_printf(&out, "launch a grid of %llu blocks in %c",
                      (refusal->asked + most - 1) / most * most, "xyz"[refusal->axis]);
        break;
    }
    return out.data ? strbuf_take(&out) : NULL;
}
