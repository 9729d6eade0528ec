// Records one launch: hands each event to the counter of its worker, site, space and array.
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "profile/hint_global.h"
#include "profile/recorder.h"
#include "profile/trace.h"

enum profile_op profile_op_of(enum site_op op) {
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

static void fill_sites(struct profile_recorder *recorder, const struct ir_kernel_site *sites,
                       uint32_t count) {
    const struct profile_launch_info *info = &recorder->info;
    recorder->site_count = count;
    recorder->sites = base_alloc((count + 1) * sizeof *recorder->sites);
    for (uint32_t s = 0; s < count; s++) {
        struct recorded_site *site = &recorder->sites[s];
        site->function = sites[s].function;
        site->site = sites[s].site;
        site->is_wider = sites[s].is_wider;
        site->op = profile_op_of(site->site->op);
        for (int space = 0; space < SITE_SPACES; space++)
            profile_counter_rule(site->site, info->arch, (enum site_space)space, info->grid,
                                 &site->rules[space]);
    }
}

static void list_sites(struct profile_recorder *recorder) {
    const struct profile_launch_info *info = &recorder->info;
    if (info->sites) {
        fill_sites(recorder, info->sites, info->site_count);
        return;
    }
    uint32_t count;
    struct ir_kernel_site *sites = ir_kernel_sites(info->kernel, &count);
    fill_sites(recorder, sites, count);
    free(sites);
}

static void bounds_of(const struct profile_launch_info *info, const struct ir_variable *array,
                      uint32_t offset, uint32_t *first, uint32_t *bytes) {
    *first = array ? (uint32_t)array->offset : offset;
    *bytes = !array                   ? 1
             : array->ptx->is_unsized ? info->dynamic_shared_bytes
                                      : (uint32_t)array->ptx->bytes;
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
        counter = counter_create(rule, recorder->asks);
    counter->next = *list;
    *list = counter;
    counter->array = array;
    uint32_t first, bytes;
    bounds_of(info, array, offset, &first, &bytes);
    counter->memo.first = first;
    counter->memo.bytes = bytes;
    return counter;
}

static void record_shared(struct recorder_worker *worker, const struct event_access *event) {
    struct counter **list = &worker->counters[event->site][SITE_SHARED];
    struct counter *counter = *list;
    // The first lane says which array the request is about.
    uint32_t offset = event->offsets[__builtin_ctz(event->mask)];
    if (!counter || offset - counter->memo.first >= counter->memo.bytes) {
        counter =
            counter_of_array(worker->recorder, list,
                             &worker->recorder->sites[event->site].rules[SITE_SHARED], offset);
        if (!counter->rule->request.is_copy) // whose source must be seen each time
            worker->memos[event->site * SITE_SPACES + SITE_SHARED] = &counter->memo;
    }
    if (counter->rule->request.is_copy)
        counter_copy(counter, event);
    else
        counter_shared(counter, event);
}

static void record_global(struct recorder_worker *worker, const struct event_access *event) {
    struct counter **counter = &worker->counters[event->site][SITE_GLOBAL];
    if (!*counter) {
        *counter = counter_create(&worker->recorder->sites[event->site].rules[SITE_GLOBAL], false);
        (*counter)->memo.bytes = UINT64_MAX;
        worker->memos[event->site * SITE_SPACES + SITE_GLOBAL] = &(*counter)->memo;
    }
    counter_global(*counter, event);
}

// A copy from global to shared memory counts in both spaces. (Asked of the event first: that is at
// hand.)
static void record(void *state, const struct event_access *event) {
    struct recorder_worker *worker = state;
    assert(event->site < worker->recorder->site_count && event->mask != 0);
    if (event->space == SITE_SHARED)
        record_shared(worker, event);
    if (event->space == SITE_GLOBAL ||
        (event->addresses && worker->recorder->sites[event->site].site->op == SITE_ASYNC_COPY))
        record_global(worker, event);
}

static void trace(void *state, const struct event_access *event) {
    const struct profile_recorder *recorder = state;
    if (event->space == SITE_SHARED && recorder->traced[event->site])
        profile_trace_request(recorder->info.trace, recorder, event);
}

static void *begin_trace(void *context, unsigned number) {
    (void)number;
    return context;
}

static void contention(void *state, uint32_t offset) {
    struct recorder_worker *worker = state;
    const struct profile_launch_info *info = &worker->recorder->info;
    for (size_t i = 0; i < worker->contended.length; i++)
        if (offset - worker->contended.data[i].first < worker->contended.data[i].bytes)
            return;
    struct contended_array found = {
        .array = ir_shared_variable_at(info->layout, offset, info->dynamic_shared_bytes)};
    bounds_of(info, found.array, offset, &found.first, &found.bytes);
    for (size_t i = 0; i < worker->contended.length; i++)
        if (worker->contended.data[i].array == found.array) // what belongs to none is as one
            return;
    vec_push(&worker->contended, found);
}

bool profile_is_contended(const struct profile_recorder *recorder,
                          const struct ir_variable *array) {
    for (unsigned w = 0; w < recorder->info.workers; w++) {
        const struct recorder_worker *worker = recorder->workers[w];
        for (size_t i = 0; worker && i < worker->contended.length; i++)
            if (worker->contended.data[i].array == array)
                return true;
    }
    return false;
}

struct recorder_worker *profile_begin_worker(struct profile_recorder *recorder, unsigned number) {
    assert(number < recorder->info.workers && !recorder->workers[number]);
    struct recorder_worker *worker = base_alloc(sizeof *worker);
    worker->recorder = recorder;
    worker->counters = base_alloc((recorder->site_count + 1) * sizeof *worker->counters);
    worker->memos =
        base_alloc(SITE_SPACES * (recorder->site_count + 1) * sizeof(struct event_memo *));
    return recorder->workers[number] = worker;
}

static void *begin_worker(void *context, unsigned number) {
    return profile_begin_worker(context, number);
}

static void end_piece(void *state) {
    struct recorder_worker *worker = state;
    uint64_t units[SITE_SPACES] = {0};
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

// A block that stands for others, in the order of these numbers.
static void end_one_of_many(void *state) {
    struct recorder_worker *worker = state;
    const struct profile_launch_info *info = &worker->recorder->info;
    assert(worker->pieces < info->piece_count);
    const uint64_t blocks = info->pieces[worker->pieces++];
    for (uint32_t site = 0; site < worker->recorder->site_count; site++)
        for (int space = 0; space < SITE_SPACES; space++)
            for (struct counter *counter = worker->counters[site][space]; counter;
                 counter = counter->next)
                counter_scale(counter, blocks);
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

static struct event_memo **memos_of(void *state) {
    const struct recorder_worker *worker = state;
    return worker->memos;
}

struct profile_recorder *profile_record(const struct profile_launch_info *info) {
    struct profile_recorder *recorder = base_alloc(sizeof *recorder);
    recorder->info = *info;
    recorder->asks = profile_asks(info);
    recorder->observer = (struct event_observer){
        .context = recorder,
        .worker_begin = begin_worker,
        .access = record,
        .memos = memos_of,
        .contention = contention,
        .piece_end = info->pieces       ? end_one_of_many
                     : info->may_sample ? end_piece
                                        : NULL,
    };
    recorder->workers = base_alloc((info->workers + 1) * sizeof(struct recorder_worker *));
    list_sites(recorder);
    if (info->trace)
        recorder->traced = profile_trace_begin(info->trace, recorder);
    recorder->tracer =
        (struct event_observer){.context = recorder, .worker_begin = begin_trace, .access = trace};
    return recorder;
}

const struct event_observer *profile_observer(struct profile_recorder *recorder) {
    return &recorder->observer;
}

const struct event_observer *profile_tracer(struct profile_recorder *recorder) {
    return recorder->traced ? &recorder->tracer : NULL;
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
        vec_free(&worker->contended);
        free(worker->counters);
        free(worker->memos);
    }
    free(worker);
}

void profile_drop(struct profile_recorder *recorder) {
    for (unsigned n = 0; n < recorder->info.workers; n++)
        free_worker(recorder, recorder->workers[n]);
    free(recorder->workers);
    free(recorder->sites);
    free(recorder->traced);
    free(recorder);
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
    launch->shared_bytes = ir_shared_bytes(info->layout, info->dynamic_shared_bytes);
    launch->bank_bytes = bankrun_bank_bytes(info->arch);
    launch->is_of_several = info->devices > 1;
    launch->device = launch->is_of_several ? info->device : 0;
    launch->thread = info->thread;
    launch->blocks_run = result->blocks_run;
    launch->instructions = result->instructions;
    launch->thread_instructions = result->thread_instructions;
    launch->barriers = result->barriers;
    launch->may_differ = result->may_differ;
    launch->fault = base_strdup(result->fault);
    if (result->where)
        profile_add_fault(launch, result->where);
    for (size_t i = 0; i < result->passed_count; i++)
        profile_add_passed(launch, &result->passed[i]);
    launch->findings = result->findings;
    if (result->cut)
        profile_cut_short(launch, result->cut, result->cut_signal);
    launch->blocks = result->blocks;
    launch->whole_reason = base_strdup(result->whole_reason);
    launch->freedom = result->races.freedom;
    launch->races = base_strdup(result->races.words);
    profile_ran(result->instructions);
    profile_merge(recorder, launch, result);
    profile_asked(recorder);
    if (result->is_sample && !launch->fault)
        finish_sample(recorder, launch);
    hint_global(info->arch, launch);
    profile_fold_last(profile);
    profile_drop(recorder);
}
