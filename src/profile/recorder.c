// Records one launch: hands each event to the counter of its worker, site, space and array.
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "profile/combine.h"
#include "profile/recorder.h"
#include "profile/trace.h"

static enum profile_op op_of(enum site_op op) {
    switch (op) {
    case SITE_LOAD:
        return PROFILE_LOAD;
    case SITE_STORE:
        return PROFILE_STORE;
    case SITE_MATRIX_LOAD:
        return PROFILE_MATRIX_LOAD;
    case SITE_MATRIX_STORE:
        return PROFILE_MATRIX_STORE;
    case SITE_ASYNC_COPY:
    case SITE_BULK_COPY:
        return PROFILE_ASYNC_COPY;
    default: // atom and red
        return PROFILE_ATOMIC;
    }
}

static void list_sites(struct profile_recorder *recorder) {
    const struct profile_launch_info *info = &recorder->info;
    uint32_t functions;
    const struct ir_function **reachable = ir_reachable(info->kernel, &functions);
    for (uint32_t f = 0; f < functions; f++)
        recorder->site_count += reachable[f]->site_count;
    recorder->sites = base_alloc((recorder->site_count + 1) * sizeof *recorder->sites);
    struct recorded_site *next = recorder->sites;
    for (uint32_t f = 0; f < functions; f++)
        for (uint32_t s = 0; s < reachable[f]->site_count; s++, next++) {
            next->function = reachable[f];
            next->site = &reachable[f]->sites[s];
            next->op = op_of(next->site->op);
            for (int space = 0; space < SITE_SPACES; space++)
                profile_counter_rule(next->site, info->arch, (enum site_space)space, info->grid,
                                     &next->rules[space]);
        }
    free(reachable);
}

// A site for each of wider accesses that the one as written can become a part of.
static void add_combined(struct profile_recorder *recorder) {
    const uint32_t count = recorder->site_count;
    recorder->site_count *= COMBINE_VARIANTS;
    recorder->sites =
        base_realloc(recorder->sites, (recorder->site_count + 1) * sizeof *recorder->sites);
    recorder->combined = base_alloc(recorder->site_count * sizeof *recorder->combined);
    for (uint32_t n = count; n < recorder->site_count; n++) {
        struct recorded_site *added = &recorder->sites[n];
        struct ir_site *site = &recorder->combined[n];
        *added = recorder->sites[n % count];
        *site = *added->site;
        site->width = 1u << n / count;
        added->site = site;
        added->is_combined = true;
        profile_counter_rule(site, recorder->info.arch, SITE_SHARED, recorder->info.grid,
                             &added->rules[SITE_SHARED]);
    }
    combine_plan_at(recorder->plan, recorder->sites);
}

// Not the array of the last event: its own counter, which becomes the site's first.
static struct counter *counter_of_array(const struct profile_recorder *recorder,
                                        struct counter **list, const struct counter_rule *rule,
                                        uint32_t offset) {
    const struct profile_launch_info *info = &recorder->info;
    const struct ir_variable *array =
        ir_shared_variable_at(info->layout, offset, info->dynamic_shared_bytes);
    struct counter **at = list;
    while (*at && (*at)->array != array)
        at = &(*at)->next;
    struct counter *counter = *at;
    if (counter)
        *at = counter->next;
    else
        counter = counter_create(rule);
    counter->next = *list;
    *list = counter;
    counter->array = array;
    counter->tally.first = array ? array->offset : offset;
    counter->tally.bytes = !array                   ? 1
                           : array->ptx->is_unsized ? info->dynamic_shared_bytes
                                                    : array->ptx->bytes;
    return counter;
}

static void record_shared(struct recorder_worker *worker, const struct access_event *event) {
    struct counter **list = &worker->counters[event->site][SITE_SHARED];
    struct counter *counter = *list;
    // The first lane says which array the request is about.
    uint32_t offset = event->offsets[__builtin_ctz(event->mask)];
    if (!counter || offset - counter->tally.first >= counter->tally.bytes) {
        counter =
            counter_of_array(worker->recorder, list,
                             &worker->recorder->sites[event->site].rules[SITE_SHARED], offset);
        if (!counter->rule->request.is_copy) // whose source must be seen each time
            worker->tallies[event->site * SITE_SPACES + SITE_SHARED] = &counter->tally;
    }
    if (counter->rule->request.is_copy)
        counter_copy(counter, event);
    else
        counter_shared(counter, event);
}

static void record_global(struct recorder_worker *worker, const struct access_event *event) {
    struct counter **counter = &worker->counters[event->site][SITE_GLOBAL];
    if (!*counter) {
        *counter = counter_create(&worker->recorder->sites[event->site].rules[SITE_GLOBAL]);
        (*counter)->tally.bytes = UINT64_MAX;
        worker->tallies[event->site * SITE_SPACES + SITE_GLOBAL] = &(*counter)->tally;
    }
    counter_global(*counter, event);
}

// A copy from global to shared memory counts in both spaces.
static void record(void *state, const struct access_event *event) {
    struct recorder_worker *worker = state;
    assert(event->site < worker->recorder->site_count && event->mask != 0);
    if (event->space == SITE_SHARED && worker->combiner)
        combiner_request(worker->combiner, event);
    else if (event->space == SITE_SHARED)
        record_shared(worker, event);
    if (event->space == SITE_GLOBAL ||
        worker->recorder->sites[event->site].site->op == SITE_ASYNC_COPY)
        record_global(worker, event);
}

static void record_combined(void *state, const struct access_event *event) {
    record_shared(state, event);
}

static void record_and_trace(void *state, const struct access_event *event) {
    struct recorder_worker *worker = state;
    const struct profile_recorder *recorder = worker->recorder;
    bool is_shared = event->space == SITE_SHARED;
    if (is_shared && recorder->traced[event->site])
        profile_trace_request(recorder->info.trace, recorder, event);
    record(state, event);
}

static void *begin_worker(void *context, unsigned number) {
    struct profile_recorder *recorder = context;
    assert(number < recorder->info.workers && !recorder->workers[number]);
    struct recorder_worker *worker = base_alloc(sizeof *worker);
    worker->recorder = recorder;
    worker->counters = base_alloc((recorder->site_count + 1) * sizeof *worker->counters);
    worker->tallies =
        base_alloc(SITE_SPACES * (recorder->site_count + 1) * sizeof(struct access_tally *));
    if (recorder->plan)
        worker->combiner = combiner_create(recorder->plan, record_combined, worker);
    return recorder->workers[number] = worker;
}

static void end_piece(void *state) {
    struct recorder_worker *worker = state;
    uint64_t units[SITE_SPACES] = {0};
    if (worker->combiner)
        combiner_flush(worker->combiner);
    for (uint32_t site = 0; site < worker->recorder->site_count; site++)
        for (int space = 0; space < SITE_SPACES; space++)
            for (struct counter *counter = worker->counters[site][space]; counter;
                 counter = counter->next) {
                counter_flush(counter);
                units[space] += counter->counts.units;
            }
    for (int space = 0; space < SITE_SPACES; space++) {
        spread_add(&worker->spread[space], units[space] - worker->units[space]);
        worker->units[space] = units[space];
    }
}

static void finish_sample(const struct profile_recorder *recorder, struct profile_launch *launch) {
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    launch->is_sample = true;
    for (int space = 0; space < SITE_SPACES; space++) {
        struct spread spread = {0};
        for (unsigned n = 0; n < recorder->info.workers; n++)
            if (recorder->workers[n])
                spread_merge(&spread, &recorder->workers[n]->spread[space]);
        if (spread.pieces)
            launch->error[space] =
                spread_error(&spread, (double)launch->blocks_run / (double)blocks);
    }
    if (launch->blocks_run)
        profile_scale(launch, blocks);
}

static struct access_tally **tallies_of(void *state) {
    const struct recorder_worker *worker = state;
    return worker->tallies;
}

struct profile_recorder *profile_record(const struct profile_launch_info *info) {
    struct profile_recorder *recorder = base_alloc(sizeof *recorder);
    recorder->info = *info;
    recorder->observer = (struct access_observer){
        .context = recorder,
        .worker_begin = begin_worker,
        .access = record,
        .tallies = tallies_of,
        .piece_end = info->may_sample ? end_piece : NULL,
    };
    recorder->workers = base_alloc((info->workers + 1) * sizeof(struct recorder_worker *));
    list_sites(recorder);
    if (info->compiled)
        recorder->plan = combine_plan_create(info->compiled, info->kernel, recorder->sites,
                                             recorder->site_count);
    if (recorder->plan) {
        add_combined(recorder);
        recorder->observer.tallies = NULL; // the order of all requests matters
    }
    if (info->trace)
        recorder->traced = profile_trace_begin(info->trace, recorder);
    if (recorder->traced) {
        recorder->observer.access = record_and_trace;
        recorder->observer.tallies = NULL; // a trace wants every request
    }
    return recorder;
}

const struct access_observer *profile_observer(struct profile_recorder *recorder) {
    return &recorder->observer;
}

static void free_worker(struct profile_recorder *recorder, struct recorder_worker *worker) {
    for (uint32_t site = 0; worker && site < recorder->site_count; site++)
        for (int space = 0; space < SITE_SPACES; space++)
            for (struct counter *counter = worker->counters[site][space], *next; counter;
                 counter = next) {
                next = counter->next;
                counter_free(counter);
            }
    if (worker) {
        combiner_free(worker->combiner);
        free(worker->counters);
        free(worker->tallies);
    }
    free(worker);
}

void profile_finish(struct profile_recorder *recorder, struct profile *profile,
                    const struct profile_launch_result *result) {
    const struct profile_launch_info *info = &recorder->info;
    struct profile_launch *launch = profile_add_launch(profile);
    launch->symbol = base_strdup(info->kernel->name);
    launch->kernel = base_demangle(info->kernel->name);
    for (int axis = 0; axis < 3; axis++) {
        launch->grid[axis] = info->grid[axis];
        launch->block[axis] = info->block[axis];
    }
    launch->shared_bytes = info->dynamic_shared_bytes > 0
                               ? info->layout->dynamic_offset + info->dynamic_shared_bytes
                               : info->layout->static_bytes;
    launch->bank_bytes = bankrun_bank_bytes(info->arch);
    launch->is_of_several = info->devices > 1;
    launch->device = launch->is_of_several ? info->device : 0;
    launch->blocks_run = result->blocks_run;
    launch->instructions = result->instructions;
    launch->thread_instructions = result->thread_instructions;
    launch->fault = result->fault ? base_strdup(result->fault) : NULL;
    for (unsigned n = 0; n < info->workers; n++)
        if (recorder->workers[n] && recorder->workers[n]->combiner)
            combiner_flush(recorder->workers[n]->combiner);
    profile_merge(recorder, launch);
    if (result->is_sample && !result->fault)
        finish_sample(recorder, launch);
    profile_fold_last(profile);
    for (unsigned n = 0; n < info->workers; n++)
        free_worker(recorder, recorder->workers[n]);
    free(recorder->workers);
    combine_plan_free(recorder->plan);
    free(recorder->combined);
    free(recorder->sites);
    free(recorder->traced);
    free(recorder);
}
