// Matches launches, adds up and explains. See against.h.
#include "report/against.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const char *const against_text[NCU_HELD] = {
    [NCU_LOADS] = "shared loads, wavefronts",       [NCU_STORES] = "shared stores, wavefronts",
    [NCU_ATOMICS] = "shared atomics, wavefronts",   [NCU_SECTOR_LOADS] = "global loads, sectors",
    [NCU_SECTOR_STORES] = "global stores, sectors",
};
const char *const against_reason_key[AGAINST_REASONS] = {
    [AGAINST_EQUAL] = "equal",         [AGAINST_WAITS] = "waits",   [AGAINST_MAY_WAIT] = "may wait",
    [AGAINST_LOOPS] = "loops",         [AGAINST_MERGED] = "merged", [AGAINST_ESTIMATE] = "estimate",
    [AGAINST_UNKNOWN] = "unexplained",
};
const char *const against_reason_text[AGAINST_REASONS] = {
    [AGAINST_WAITS] = "the pipe's counter has waits in it; the one by instruction (smsp__sass_...) "
                      "says what bankrun says",
    [AGAINST_MAY_WAIT] = "waits of the pipe, most likely, which its counter has in it; collect "
                         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum, too",
    [AGAINST_LOOPS] = "loads and atomics together are the same: loops around a compare-and-swap",
    [AGAINST_MERGED] = "the machine code may have fewer accesses than the PTX: bankrun --as "
                       "compiled counts those",
    [AGAINST_ESTIMATE] = "an estimate here: the cost of an access is not known exactly",
    [AGAINST_UNKNOWN] = "unexplained: docs/accuracy.md lists what is known",
};

// ---- Launches -------------------------------------------------------------------------------

// One launch of the profile's, which keeps those that are alike together.
struct one {
    uint32_t index;
    const struct profile_launch *launch;
    bool is_taken;
};
typedef VEC(struct one) ones;

static int by_index(const void *a, const void *b) {
    const struct one *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void spread(const struct profile *profile, ones *list) {
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        for (size_t r = 0; r < launch->run_count; r++)
            for (uint32_t n = 0; n < launch->runs[r].count; n++)
                vec_push(list, (struct one){launch->runs[r].first + n * launch->runs[r].step,
                                            launch, false});
        if (launch->run_count == 0)
            vec_push(list, (struct one){launch->index, launch, false});
    }
    if (list->length)
        qsort(list->data, list->length, sizeof *list->data, by_index);
}

// The name without "void ", template arguments and parameters: tools write these differently.
static size_t plain_name(const char *name, const char **begin) {
    *begin = strncmp(name, "void ", 5) == 0 ? name + 5 : name;
    return strcspn(*begin, "<(");
}

static bool is_same(const struct profile_launch *here, const struct ncu_launch *there) {
    const char *a, *b;
    const size_t x = plain_name(here->kernel ? here->kernel : here->symbol, &a),
                 y = plain_name(there->kernel, &b);
    return x == y && memcmp(a, b, x) == 0 &&
           memcmp(here->grid, there->grid, sizeof here->grid) == 0 &&
           memcmp(here->block, there->block, sizeof here->block) == 0;
}

// The first that is not taken, from *next on, then from the start. NULL: none.
static const struct profile_launch *take(ones *list, size_t *next, const struct ncu_launch *there) {
    for (size_t n = 0; n < list->length; n++) {
        struct one *one = &list->data[(*next + n) % list->length];
        if (one->is_taken || !is_same(one->launch, there))
            continue;
        one->is_taken = true;
        *next = (size_t)(one - list->data) + 1;
        return one->launch;
    }
    return NULL;
}

// ---- Sums -----------------------------------------------------------------------------------

struct kernel {
    const struct profile_launch *first;
    uint64_t launches;
    bool is_estimate;
    uint64_t here[NCU_HELD], there[NCU_METRIC_COUNT];
    bool lacks[NCU_METRIC_COUNT];
};
typedef VEC(struct kernel) kernel_list;

static struct kernel *kernel_of(kernel_list *kernels, const struct profile_launch *launch) {
    for (size_t i = 0; i < kernels->length; i++)
        if (text_is_same(kernels->data[i].first->symbol, launch->symbol))
            return &kernels->data[i];
    vec_push(kernels, (struct kernel){.first = launch});
    return &kernels->data[kernels->length - 1];
}

static void add(struct kernel *kernel, const struct profile_launch *here,
                const struct ncu_launch *there) {
    uint64_t metrics[REPORT_METRICS];
    report_metrics_of_launch(here, metrics);
    kernel->launches++;
    for (int what = 0; what < NCU_HELD; what++)
        kernel->here[what] += metrics[ncu_held[what]];
    for (size_t s = 0; s < here->site_count; s++)
        kernel->is_estimate |= here->sites[s].is_estimate;
    for (int m = 0; m < NCU_METRIC_COUNT; m++) {
        kernel->there[m] += there->values[m];
        kernel->lacks[m] |= !there->has[m];
    }
}

static bool is_wavefronts(enum ncu_metric what) {
    return what <= NCU_ATOMICS;
}

static bool agrees_by_instruction(const struct kernel *kernel, enum ncu_metric what) {
    const int metric = what == NCU_LOADS    ? NCU_SASS_LOADS
                       : what == NCU_STORES ? NCU_SASS_STORES
                                            : -1;
    return metric >= 0 && !kernel->lacks[metric] && kernel->there[metric] == kernel->here[what];
}

// Rounds of such a loop load and swap: their wavefronts are shared out differently.
static bool agrees_with_loops(const struct kernel *kernel, enum ncu_metric what) {
    return (what == NCU_LOADS || what == NCU_ATOMICS) && kernel->here[NCU_ATOMICS] &&
           !kernel->lacks[NCU_LOADS] && !kernel->lacks[NCU_ATOMICS] &&
           kernel->here[NCU_LOADS] + kernel->here[NCU_ATOMICS] ==
               kernel->there[NCU_LOADS] + kernel->there[NCU_ATOMICS];
}

static enum against_reason reason_of(const struct profile *profile, const struct kernel *kernel,
                                     enum ncu_metric what) {
    const uint64_t here = kernel->here[what], there = kernel->there[what];
    if (here == there)
        return AGAINST_EQUAL;
    if (agrees_by_instruction(kernel, what))
        return AGAINST_WAITS;
    if (agrees_with_loops(kernel, what))
        return AGAINST_LOOPS;
    if (kernel->is_estimate)
        return AGAINST_ESTIMATE;
    if (there < here && is_wavefronts(what))
        return profile->is_as_compiled ? AGAINST_UNKNOWN : AGAINST_MERGED;
    // By launches of up to 4000 x 4000 threads (docs/accuracy.md): up to a tenth.
    return is_wavefronts(what) && there > here && there - here <= here / 10 ? AGAINST_MAY_WAIT
                                                                            : AGAINST_UNKNOWN;
}

static void fill(struct against *against, const struct kernel *from, struct against_kernel *to) {
    to->name = from->first->kernel ? from->first->kernel : from->first->symbol;
    to->launches = from->launches;
    for (int what = 0; what < NCU_HELD; what++) {
        struct against_sum *sum = &to->sums[what];
        *sum = (struct against_sum){
            .is_there = !from->lacks[what], .here = from->here[what], .there = from->there[what]};
        if (!sum->is_there)
            continue;
        sum->reason = reason_of(against->profile, from, (enum ncu_metric)what);
        against->held++;
        against->agreed += sum->reason == AGAINST_EQUAL || sum->reason == AGAINST_WAITS ||
                           sum->reason == AGAINST_LOOPS;
    }
}

// Launches of a kernel that the export has, which it has not: a profiler may have skipped some.
static uint64_t count_left(const ones *list, const kernel_list *kernels) {
    uint64_t left = 0;
    for (size_t i = 0; i < list->length; i++)
        for (size_t k = 0; k < kernels->length && !list->data[i].is_taken; k++)
            left += text_is_same(kernels->data[k].first->symbol, list->data[i].launch->symbol);
    return left;
}

struct against *against_create(const struct profile *profile, const ncu_launches *there) {
    struct arena *arena = arena_create();
    struct against *against = ARENA_NEW(arena, struct against);
    kernel_list kernels = {0};
    ones list = {0};
    size_t next = 0;
    against->arena = arena;
    against->profile = profile;
    spread(profile, &list);
    for (size_t i = 0; i < there->length; i++) {
        const struct ncu_launch *launch = &there->data[i];
        const struct profile_launch *here = take(&list, &next, launch);
        if (here)
            add(kernel_of(&kernels, here), here, launch);
        else if (!against->only_there++)
            against->first_there = arena_strndup(arena, launch->kernel, strlen(launch->kernel));
    }
    against->only_here = count_left(&list, &kernels);
    against->kernels = ARENA_ARRAY(arena, struct against_kernel, kernels.length + 1);
    for (size_t k = 0; k < kernels.length; k++)
        fill(against, &kernels.data[k], &against->kernels[against->count++]);
    vec_free(&kernels);
    vec_free(&list);
    return against;
}

void against_free(struct against *against) {
    if (against)
        arena_destroy(against->arena);
}
