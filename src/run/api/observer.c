// The caller's observers in front of the simulator's events.
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/recorder.h"
#include "run/api/api.h"

_Static_assert((int)BANKRUN_SHARED == SITE_SHARED && (int)BANKRUN_GLOBAL == SITE_GLOBAL, "");
_Static_assert((int)BANKRUN_READS == EVENT_READ && (int)BANKRUN_WRITES == EVENT_WRITE &&
                   (int)BANKRUN_UPDATES == EVENT_ATOMIC,
               "");

struct site {
    struct bankrun_site shown;
    struct profile_site described; // whose strings `shown` has
    struct counter_rule rule;      // of shared memory
};

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
    struct site *items;
    uint32_t count;
};

struct api_observers {
    const struct api_sites *sites;
    struct observer *observers;
    const struct event_observer **list;
    size_t count;
};

// False: the bank model has no rule for the request.
static bool ask(const struct site *site, const struct event_access *event,
                struct bankrun_request *request) {
    if (event->space != SITE_SHARED || event->bulk_bytes || site->rule.is_estimate ||
        event->owner != event->block_number)
        return false;
    *request = profile_bank_request(&site->rule.request, event->mask, event->offsets);
    return true;
}

static void tell(void *state, const struct event_access *event) {
    const struct worker *worker = state;
    const struct observer *observer = worker->observer;
    const struct site *site = &observer->all->sites->items[event->site];
    struct bankrun_request request;
    const struct bankrun_event shown = {
        .site = &site->shown,
        .worker = worker->number,
        .space = (enum bankrun_space)event->space,
        .intent = (enum bankrun_intent)event->intent,
        .width = event->width,
        .mask = event->mask,
        .offsets = event->offsets,
        .addresses = event->addresses,
        .block = {event->block[0], event->block[1], event->block[2]},
        .block_number = event->block_number,
        .owner = event->owner,
        .warp = event->warp,
        .bulk_bytes = event->bulk_bytes,
        .request = ask(site, event, &request) ? &request : NULL,
    };
    observer->user->access(observer->user->context, &shown);
}

static void *begin_worker(void *context, unsigned number) {
    struct observer *observer = context;
    return &observer->workers[number];
}

static void describe(const struct ir_kernel_site *from, uint32_t number, unsigned arch,
                     struct site *site) {
    static const uint32_t any_grid[3] = {1, 1, 1};
    const struct recorded_site recorded = {.function = from->function, .site = from->site};
    profile_describe_site(&recorded, NULL, &site->described);
    profile_counter_rule(from->site, arch, SITE_SHARED, any_grid, &site->rule);
    site->shown = (struct bankrun_site){.number = number,
                                        .instruction = site->described.instruction,
                                        .file = site->described.file,
                                        .line = site->described.line,
                                        .column = site->described.column,
                                        .function = site->described.function,
                                        .width = from->site->width};
}

// Described once for each kernel.
static const struct api_sites *sites_of(struct bankrun_module *module,
                                        const struct ir_function *kernel) {
    for (size_t i = 0; i < module->sites.length; i++)
        if (module->sites.data[i]->kernel == kernel)
            return module->sites.data[i];
    struct api_sites *sites = base_alloc(sizeof *sites);
    struct ir_kernel_site *from = ir_kernel_sites(kernel, &sites->count);
    sites->kernel = kernel;
    sites->items = base_alloc((sites->count + 1) * sizeof *sites->items);
    for (uint32_t i = 0; i < sites->count; i++)
        describe(&from[i], i, module->device->arch, &sites->items[i]);
    free(from);
    vec_push(&module->sites, sites);
    return sites;
}

void api_sites_free(struct api_sites *sites) {
    for (uint32_t i = 0; i < sites->count; i++)
        profile_free_site(&sites->items[i].described);
    free(sites->items);
    free(sites);
}

static void listen(struct observer *observer, const struct api_observers *all,
                   const struct bankrun_observer *user, unsigned threads) {
    *observer = (struct observer){.all = all, .user = user};
    observer->event = (struct event_observer){
        .context = observer, .worker_begin = begin_worker, .access = user->access ? tell : NULL};
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
