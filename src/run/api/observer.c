// The caller's observers in front of the simulator's events.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/demangle.h"
#include "profile/recorder.h"
#include "ptx/facts.h"
#include "run/api/api.h"

#define SAME(ours, event) _Static_assert((int)(ours) == (int)(event), "")
SAME(BANKRUN_SHARED, SITE_SHARED);
SAME(BANKRUN_GLOBAL, SITE_GLOBAL);
SAME(BANKRUN_READS, EVENT_READ);
SAME(BANKRUN_WRITES, EVENT_WRITE);
SAME(BANKRUN_UPDATES, EVENT_ATOMIC);
SAME(BANKRUN_WEAK, EVENT_WEAK);
SAME(BANKRUN_VOLATILE, EVENT_VOLATILE);
SAME(BANKRUN_RELAXED, EVENT_RELAXED);
SAME(BANKRUN_ACQUIRE, EVENT_ACQUIRE);
SAME(BANKRUN_RELEASE, EVENT_RELEASE);
SAME(BANKRUN_ACQ_REL, EVENT_ACQ_REL);
SAME(BANKRUN_SC, EVENT_SC);
SAME(BANKRUN_OF_BLOCK, EVENT_CTA);
SAME(BANKRUN_OF_CLUSTER, EVENT_CLUSTER);
SAME(BANKRUN_OF_DEVICE, EVENT_GPU);
SAME(BANKRUN_OF_SYSTEM, EVENT_SYS);
SAME(BANKRUN_AT_ONCE, EVENT_AT_ONCE);
SAME(BANKRUN_BY_GROUP, EVENT_BY_GROUP);
SAME(BANKRUN_BY_BULK_GROUP, EVENT_BY_BULK_GROUP);
SAME(BANKRUN_BY_MBARRIER, EVENT_BY_MBARRIER);
SAME(BANKRUN_BY_WGMMA_GROUP, EVENT_BY_WGMMA_GROUP);
SAME(BANKRUN_NO_PROXY, EVENT_NO_PROXY);
SAME(BANKRUN_ALIAS_PROXY, EVENT_ALIAS_PROXY);
SAME(BANKRUN_ASYNC_PROXY, EVENT_ASYNC_PROXY);
SAME(BANKRUN_TENSORMAP_PROXY, EVENT_TENSORMAP_PROXY);
SAME(BANKRUN_SURFACE_PROXY, EVENT_SURFACE_PROXY);
SAME(BANKRUN_BARRIER_ARRIVE, EVENT_BARRIER_ARRIVE);
SAME(BANKRUN_BARRIER_SYNC, EVENT_BARRIER_SYNC);
SAME(BANKRUN_BARRIER_COMPLETE, EVENT_BARRIER_COMPLETE);
SAME(BANKRUN_WARP_BARRIER, EVENT_WARP_BARRIER);
SAME(BANKRUN_WARP_EXCHANGE, EVENT_WARP_EXCHANGE);
SAME(BANKRUN_CLUSTER_ARRIVE, EVENT_CLUSTER_ARRIVE);
SAME(BANKRUN_CLUSTER_COMPLETE, EVENT_CLUSTER_COMPLETE);
SAME(BANKRUN_CLUSTER_WAIT, EVENT_CLUSTER_WAIT);
SAME(BANKRUN_MBARRIER_INIT, EVENT_MBARRIER_INIT);
SAME(BANKRUN_MBARRIER_INVALIDATE, EVENT_MBARRIER_INVALIDATE);
SAME(BANKRUN_MBARRIER_EXPECT_TX, EVENT_MBARRIER_EXPECT_TX);
SAME(BANKRUN_MBARRIER_COMPLETE_TX, EVENT_MBARRIER_COMPLETE_TX);
SAME(BANKRUN_MBARRIER_ARRIVE, EVENT_MBARRIER_ARRIVE);
SAME(BANKRUN_MBARRIER_COPIES, EVENT_MBARRIER_COPIES);
SAME(BANKRUN_MBARRIER_WAIT, EVENT_MBARRIER_WAIT);
SAME(BANKRUN_FENCE, EVENT_FENCE);
SAME(BANKRUN_ASYNC_COMMIT, EVENT_ASYNC_COMMIT);
SAME(BANKRUN_ASYNC_WAIT, EVENT_ASYNC_WAIT);
SAME(BANKRUN_ASYNC_FENCE, EVENT_ASYNC_FENCE);
SAME(BANKRUN_LANES_EXIT, EVENT_LANES_EXIT);
SAME(BANKRUN_BLOCK_BEGIN, EVENT_BLOCK_BEGIN);
SAME(BANKRUN_BLOCK_END, EVENT_BLOCK_END);
SAME(BANKRUN_CLUSTER_BEGIN, EVENT_CLUSTER_BEGIN);
SAME(BANKRUN_CLUSTER_END, EVENT_CLUSTER_END);
SAME(BANKRUN_GRID_RELEASE, EVENT_GRID_RELEASE);
SAME(BANKRUN_GRID_WAIT, EVENT_GRID_WAIT);
SAME(BANKRUN_GRID_WAIT, EVENT_KINDS - 1);

struct worker {
    const struct observer *observer;
    unsigned number;
};

struct observer {
    const struct api_observers *all;
    const struct bankrun_observer *user;
    struct event_observer event;
    struct worker *workers;
};

struct api_sites {
    const struct ir_function *kernel;
    struct arena *arena;
    struct bankrun_site *shown; // of each instruction
    struct counter_rule *rules; // of each site's accesses to shared memory
};

struct api_observers {
    const struct api_sites *sites;
    struct observer *observers;
    const struct event_observer **list;
    size_t count;
};

// False: the bank model has no rule for the request.
static bool ask(const struct api_sites *sites, const struct event_access *event,
                struct bankrun_request *request) {
    if (event->site == EVENT_NONE || event->space != SITE_SHARED || event->bulk_bytes ||
        event->owner != event->block_number)
        return false;
    const struct counter_rule *rule = &sites->rules[event->site];
    if (rule->is_estimate)
        return false;
    *request = profile_bank_request(&rule->request, event->mask, event->offsets);
    return true;
}

static void tell(void *state, const struct event_access *event) {
    const struct worker *worker = state;
    const struct observer *observer = worker->observer;
    const struct api_sites *sites = observer->all->sites;
    struct bankrun_request request;
    const struct bankrun_event shown = {
        .site = &sites->shown[event->instruction],
        .worker = worker->number,
        .space = (enum bankrun_space)event->space,
        .intent = (enum bankrun_intent)event->intent,
        .order = (enum bankrun_order)event->order,
        .scope = (enum bankrun_scope)event->scope,
        .completion = (enum bankrun_completion)event->completion,
        .proxy = (enum bankrun_proxy)event->proxy,
        .width = event->width,
        .mask = event->mask,
        .offsets = event->offsets,
        .addresses = event->addresses,
        .block = {event->block[0], event->block[1], event->block[2]},
        .block_number = event->block_number,
        .owner = event->owner,
        .warp = event->warp,
        .bulk_bytes = event->bulk_bytes,
        .source_bytes = event->source_bytes,
        .pieces = event->pieces,
        .request = ask(sites, event, &request) ? &request : NULL,
    };
    observer->user->access(observer->user->context, &shown);
}

static void tell_sync(void *state, const struct event_sync *event) {
    const struct worker *worker = state;
    const struct observer *observer = worker->observer;
    const struct bankrun_site *sites = observer->all->sites->shown;
    const struct bankrun_sync shown = {
        .kind = (enum bankrun_sync_kind)event->kind,
        .site = event->instruction == EVENT_NONE ? NULL : &sites[event->instruction],
        .worker = worker->number,
        .block = {event->block[0], event->block[1], event->block[2]},
        .block_number = event->block_number,
        .warp = event->warp,
        .mask = event->mask,
        .id = event->id,
        .expected = event->expected,
        .members = event->members,
        .order = (enum bankrun_order)event->order,
        .scope = (enum bankrun_scope)event->scope,
        .proxy = (enum bankrun_proxy)event->proxy,
        .completion = (enum bankrun_completion)event->completion,
        .reads_only = event->reads_only,
        .owner = event->owner,
        .offset = event->offset,
        .count = event->count,
        .phase = event->phase,
        .ends_phase = event->ends_phase,
        .drops = event->drops,
    };
    observer->user->sync(observer->user->context, &shown);
}

static void *begin_worker(void *context, unsigned number) {
    struct observer *observer = context;
    return &observer->workers[number];
}

// Those that decoding adds, jumps over guarded instructions and returns at the end, have no text.
static const char *text_of(const struct ptx_instruction *ptx) {
    return ptx->mnemonic ? ptx->mnemonic : ptx_isa_row(ptx->isa)->opcode;
}

static const char *demangle(struct arena *arena, const char *name) {
    char *readable = base_demangle(name);
    const char *copy = arena_strndup(arena, readable, strlen(readable));
    free(readable);
    return copy;
}

// An instruction after the one whose name is mangled `*last`, which in most cases is its own, too.
static struct bankrun_site describe(struct arena *arena, const struct ir_function *function,
                                    const struct ir_instruction *instruction, const char **last,
                                    const char **readable) {
    const struct ir_source_place at =
        ir_instruction_place(function, (uint32_t)(instruction - function->instructions));
    if (!*last || strcmp(*last, at.function))
        *readable = demangle(arena, at.function);
    *last = at.function;
    struct bankrun_site site = {.instruction = text_of(instruction->ptx),
                                .function = *readable,
                                .file = at.file,
                                .line = at.line,
                                .column = at.column};
    if (instruction->site != IR_NONE)
        site.width = function->sites[instruction->site].width;
    return site;
}

static void describe_all(struct api_sites *sites) {
    uint32_t functions, count = 0;
    const struct ir_function **reachable = ir_reachable(sites->kernel, &functions);
    for (uint32_t f = 0; f < functions; f++)
        count += reachable[f]->instruction_count;
    sites->shown = ARENA_ARRAY(sites->arena, struct bankrun_site, count + 1);
    const char *last = NULL, *readable = NULL;
    uint32_t n = 0;
    for (uint32_t f = 0; f < functions; f++)
        for (uint32_t i = 0; i < reachable[f]->instruction_count; i++, n++) {
            sites->shown[n] = describe(sites->arena, reachable[f], &reachable[f]->instructions[i],
                                       &last, &readable);
            sites->shown[n].number = n;
        }
    free(reachable);
}

static void find_rules(struct api_sites *sites, unsigned arch) {
    static const uint32_t any_grid[3] = {1, 1, 1};
    uint32_t count;
    struct ir_kernel_site *from = ir_kernel_sites(sites->kernel, &count);
    sites->rules = ARENA_ARRAY(sites->arena, struct counter_rule, count + 1);
    for (uint32_t i = 0; i < count; i++)
        profile_counter_rule(from[i].site, arch, SITE_SHARED, any_grid, &sites->rules[i]);
    free(from);
}

// Described once for each kernel.
static const struct api_sites *sites_of(struct bankrun_module *module,
                                        const struct ir_function *kernel) {
    for (size_t i = 0; i < module->sites.length; i++)
        if (module->sites.data[i]->kernel == kernel)
            return module->sites.data[i];
    struct api_sites *sites = base_alloc(sizeof *sites);
    sites->kernel = kernel;
    sites->arena = arena_create();
    describe_all(sites);
    find_rules(sites, module->device->arch);
    vec_push(&module->sites, sites);
    return sites;
}

void api_sites_free(struct api_sites *sites) {
    arena_destroy(sites->arena);
    free(sites);
}

static void listen(struct observer *observer, const struct api_observers *all,
                   const struct bankrun_observer *user, unsigned threads) {
    *observer = (struct observer){.all = all, .user = user};
    observer->event = (struct event_observer){.context = observer,
                                              .worker_begin = begin_worker,
                                              .access = user->access ? tell : NULL,
                                              .sync = user->sync ? tell_sync : NULL,
                                              .wants_unsited = user->wants_uncounted};
    observer->workers = base_alloc(threads * sizeof *observer->workers);
    for (unsigned w = 0; w < threads; w++)
        observer->workers[w] = (struct worker){observer, w};
}

struct api_observers *api_observers_create(struct bankrun_module *module,
                                           const struct ir_function *kernel,
                                           const struct bankrun_launch *launch) {
    struct api_observers *all = base_alloc(sizeof *all);
    all->count = launch->observer_count;
    all->observers = base_alloc((all->count + 1) * sizeof *all->observers);
    all->list = base_alloc((all->count + 1) * sizeof *all->list);
    if (all->count)
        all->sites = sites_of(module, kernel);
    for (size_t i = 0; i < all->count; i++) {
        listen(&all->observers[i], all, &launch->observers[i], bankrun_threads(module->device));
        all->list[i] = &all->observers[i].event;
    }
    return all;
}

void api_observers_free(struct api_observers *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->observers[i].workers);
    free(all->observers);
    free(all->list);
    free(all);
}

const struct event_observer *const *api_observers_list(const struct api_observers *observers) {
    return observers->list;
}
