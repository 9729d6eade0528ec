// The checker of races: one logical clock for each cluster or block that runs (clock.h), which says
// what is ordered, and what was accessed by whom in shared (shared_words.h) and global memory.
#include <stdlib.h>

#include "base/alloc.h"
#include "check/checker.h"
#include "check/race/domain.h"
#include "check/race/global.h"
#include "check/race/reads.h"
#include "ptx/facts.h"

struct race_worker {
    struct race_check *check;
    struct check_notes notes;
    struct global_worker *global;
    VEC(struct race_domain *) domains; // that run
    struct race_domain *last;          // of the last event; NULL: none
    struct race_domain *idle;          // one that has ended; NULL: none
    struct race_reads reads;
};

struct race_check {
    const struct check_launch *launch;
    struct event_observer observer;
    struct global_race *global;
    bool *is_matrix_store; // by instruction, numbered as events number them
    uint32_t site_count;
    struct race_worker *workers; // launch->workers of them
};

// ---- Domains ------------------------------------------------------------------------------

static struct race_domain *find(struct race_worker *worker, uint64_t block_number, uint32_t *rank) {
    if (worker->last && (*rank = race_domain_rank(worker->last, block_number)) != UINT32_MAX)
        return worker->last;
    for (size_t i = 0; i < worker->domains.length; i++) {
        worker->last = worker->domains.data[i];
        *rank = race_domain_rank(worker->last, block_number);
        if (*rank != UINT32_MAX)
            return worker->last;
    }
    return worker->last = NULL;
}

static struct race_domain *open_domain(struct race_worker *worker, uint32_t blocks) {
    const struct check_launch *launch = worker->check->launch;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    struct race_domain *domain = worker->idle;
    if (domain && domain->clock->blocks == blocks)
        worker->idle = NULL;
    else
        domain = race_domain_create(launch, blocks, threads, global_rules(worker->check->global),
                                    &worker->notes);
    vec_push(&worker->domains, domain);
    return domain;
}

static void close_domain(struct race_worker *worker, struct race_domain *domain) {
    size_t i = 0;
    race_reads_settle(&worker->reads, domain);
    if (worker->reads.domain == domain)
        worker->reads.domain = NULL;
    while (worker->domains.data[i] != domain)
        i++;
    worker->domains.data[i] = worker->domains.data[--worker->domains.length];
    worker->last = NULL;
    if (!worker->idle && race_domain_reset(domain))
        worker->idle = domain;
    else
        race_domain_free(domain);
}

// The blocks of a cluster begin right behind it.
static void begin_block(struct race_worker *worker, uint64_t number) {
    const size_t count = worker->domains.length;
    struct race_domain *domain = count ? worker->domains.data[count - 1] : NULL;
    if (!domain || domain->begun == domain->clock->blocks)
        domain = open_domain(worker, 1);
    domain->blocks[domain->begun++].number = number;
}

// ---- Matrices -----------------------------------------------------------------------------

// What the lanes of a warp store of a matrix comes, through the product before, of what all of them
// have read: none stores before all have read.
static bool *find_matrix_stores(const struct ir_function *kernel) {
    struct ir_code code = ir_code_of(kernel);
    const struct ir_instruction *instruction;
    VEC(bool) found = {0};
    for (uint32_t i = 0; (instruction = ir_code_instruction(&code, i)) != NULL; i++) {
        const enum ptx_access access = ptx_access_of(instruction->ptx);
        const bool is_store =
            access == PTX_ACCESS_MATRIX_STORE || access == PTX_ACCESS_FRAGMENT_STORE;
        vec_push(&found, is_store);
    }
    ir_code_free(&code);
    return found.data;
}

// ---- Events -------------------------------------------------------------------------------

static void *worker_begin(void *context, unsigned worker) {
    struct race_check *check = context;
    check->workers[worker].check = check;
    check->workers[worker].global = global_worker_begin(check->global);
    race_reads_init(&check->workers[worker].reads, check->site_count);
    return &check->workers[worker];
}

static void on_access(void *state, const struct event_access *event) {
    struct race_worker *worker = state;
    uint32_t rank;
    struct race_domain *domain = find(worker, event->block_number, &rank);
    if (!domain)
        return;
    const bool is_ordered = event->order != EVENT_WEAK || event->intent != EVENT_READ;
    if (race_reads_take(&worker->reads, domain, event, is_ordered))
        return;
    if (worker->check->is_matrix_store[event->instruction])
        clock_warp_barrier(domain->clock, clock_warp_index(domain->clock, rank, event->warp),
                           event->mask);
    if (event->space == SITE_SHARED)
        shared_access(domain, rank, event);
    if (event->addresses)
        global_access(worker->global, domain->clock, rank, event);
}

static void on_sync(void *state, const struct event_sync *event) {
    struct race_worker *worker = state;
    uint32_t rank;
    if (event->kind == EVENT_CLUSTER_BEGIN) {
        open_domain(worker, event->expected);
        return;
    }
    if (event->kind == EVENT_BLOCK_BEGIN) {
        begin_block(worker, event->block_number);
        return;
    }
    struct race_domain *domain = find(worker, event->block_number, &rank);
    if (!domain)
        return;
    race_reads_sync(&worker->reads, domain, event);
    global_sync(worker->global, domain->clock, rank, event);
    shared_sync(domain, rank, event);
    const bool is_single = domain->clock->blocks == 1;
    if (event->kind == EVENT_CLUSTER_END || (event->kind == EVENT_BLOCK_END && is_single))
        close_domain(worker, domain);
}

static void worker_end(void *state) {
    struct race_worker *worker = state;
    while (worker->domains.length)
        close_domain(worker, worker->domains.data[0]);
    if (worker->idle)
        race_domain_free(worker->idle);
    vec_free(&worker->domains);
    race_reads_free(&worker->reads);
    global_worker_end(worker->global);
}

static struct event_journal *journal_of(void *state) {
    return &((struct race_worker *)state)->reads.journal;
}

// ---- The launch ---------------------------------------------------------------------------

static void *begin(const struct check_launch *launch) {
    struct race_check *check = base_alloc(sizeof *check);
    check->launch = launch;
    check->global = global_begin(launch);
    check->is_matrix_store = find_matrix_stores(launch->kernel);
    free(ir_kernel_sites(launch->kernel, &check->site_count));
    check->workers = base_alloc((launch->workers + 1) * sizeof *check->workers);
    check->observer = (struct event_observer){.context = check,
                                              .worker_begin = worker_begin,
                                              .access = on_access,
                                              .sync = on_sync,
                                              .worker_end = worker_end,
                                              .journal = journal_of,
                                              .wants_unsited = true,
                                              .wants_values = true};
    return check;
}

static const struct event_observer *observer(void *state) {
    return &((struct race_check *)state)->observer;
}

static void end(void *state, struct profile_findings *findings) {
    struct race_check *check = state;
    struct check_notes all = {0};
    for (unsigned i = 0; i < check->launch->workers; i++)
        check_merge_notes(&all, &check->workers[i].notes);
    shared_report(check->launch, &all, findings);
    global_end(check->global, findings);
    free(check->is_matrix_store);
    free(check->workers);
    free(check);
}

const struct check_checker check_race = {
    .check = PROFILE_CHECK_RACE, .begin = begin, .observer = observer, .end = end};
