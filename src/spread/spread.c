#include "spread/spread.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "ranks/relay.h"
#include "run/observers.h"
#include "spread/deal.h"
#include "spread/form.h"
#include "spread/inside.h"
#include "spread/why.h"
#include "spread/writers.h"
#include "spread/wrote.h"

static struct ranks_home *the_home; // for the handler

bool spread_fault(uint64_t address) {
    struct ranks_home *home = __atomic_load_n(&the_home, __ATOMIC_ACQUIRE);
    return home && ranks_home_fault(home, address);
}

// ---- The report ---------------------------------------------------------------------------------

static void put_report(struct spread *spread, struct strbuf *out) {
    ranks_put_number(out, spread->shared);
    ranks_put_number(out, spread->alone);
    ranks_put_number(out, spread->undone);
    ranks_put_number(out, spread->ranks);
    for (unsigned r = 0; r < spread->ranks; r++) {
        const struct rank *rank = &spread->rank[r];
        ranks_put_number(out, rank->all_blocks);
        ranks_put_number(out, (uint64_t)(rank->seconds * 1e6));
        ranks_put_number(out, (uint64_t)(rank->waited * 1e6));
        ranks_put_number(out, rank->sent);
        ranks_put_number(out, rank->received);
    }
    ranks_put_number(out, (uint64_t)(spread->seconds.begin * 1e6));
    ranks_put_number(out, (uint64_t)(spread->seconds.wait * 1e6));
    ranks_put_number(out, (uint64_t)(spread->seconds.merge * 1e6));
    ranks_put_number(out, spread->why_names.length);
    for (size_t i = 0; i < spread->why_names.length; i++) {
        const char *name = spread->why_names.data[i];
        ranks_put_text(out, name);
        ranks_put_text(out, map_get(&spread->why, name, strlen(name)));
    }
}

static void report(struct spread *spread, bool is_new) {
    const double now = ranks_now();
    struct strbuf out = {0};
    if (!is_new && now - spread->reported < 0.2)
        return;
    spread->reported = now;
    put_report(spread, &out);
    spread_post(spread, RANKS_REPORT, 0, out.data, out.length);
    strbuf_free(&out);
}

// The launch is run by this process alone.
static bool refuse(struct spread *spread, const struct run_launch *launch, const char *why) {
    const char *name = sim_kernel_function(launch->kernel)->name;
    const bool is_new = !map_get(&spread->why, name, strlen(name));
    spread->alone++;
    if (is_new) {
        const char *kept = base_strdup(name);
        map_put(&spread->why, kept, strlen(kept), (void *)(uintptr_t)why);
        vec_push(&spread->why_names, kept);
    }
    report(spread, is_new);
    return false;
}

// ---- A launch -----------------------------------------------------------------------------------

static struct ranks_range *ranges_of(const struct sim_part *parts, size_t count) {
    struct ranks_range *ranges = base_alloc((count + 1) * sizeof *ranges);
    for (size_t i = 0; i < count; i++)
        ranges[i] = (struct ranks_range){parts[i].address, parts[i].bytes, parts[i].may_write};
    return ranges;
}

static bool make_home(struct spread *spread, const struct sim *sim) {
    uint64_t base, bytes;
    if (spread->home)
        return true;
    sim_space_of(sim, &base, &bytes);
    if (!bytes || base % RANKS_PAGE)
        return false;
    spread->home = ranks_home_create(base, bytes / RANKS_PAGE * RANKS_PAGE);
    __atomic_store_n(&the_home, spread->home, __ATOMIC_RELEASE);
    return spread->home != NULL;
}

static void send_module(struct spread *spread, const struct run_launch *launch, uint64_t name) {
    struct strbuf out = {0};
    for (size_t i = 0; i < spread->modules.length; i++)
        if (spread->modules.data[i] == name)
            return;
    vec_push(&spread->modules, name);
    spread_put_module(&out, launch, spread->listing);
    spread_post_all(spread, RANKS_MODULE, &out);
    strbuf_free(&out);
}

static void drop_wrote(struct rank *rank) {
    for (size_t i = rank->merged; i < rank->wrote.length; i++)
        free(rank->wrote.data[i].bytes);
    rank->wrote.length = rank->merged = 0;
}

static void begin(struct spread *spread, const struct run_launch *launch) {
    const uint32_t *grid = launch->sim.grid, *cluster = launch->sim.cluster;
    uint64_t size = 1;
    for (int axis = 0; axis < 3; axis++)
        size *= cluster[axis] ? cluster[axis] : 1;
    pthread_mutex_lock(&spread->lock);
    spread->number++;
    spread->is_running = true;
    spread->race_address = 0;
    spread->has_failed = spread->is_lost;
    spread->failure = spread->is_lost ? "a rank was lost" : NULL;
    spread->deal.shares[0].threads = (unsigned)sim_threads(sim_kernel_device(launch->kernel));
    deal_begin(&spread->deal, (uint64_t)grid[0] * grid[1] * grid[2] / size);
    // The first block is run here: what it asks for is told, and not only counted.
    spread->own_end = spread_chunk(spread, 0, &spread->own_next) + spread->own_next;
    for (unsigned r = 0; r < spread->ranks; r++) {
        struct rank *rank = &spread->rank[r];
        rank->has_ended = r == 0;
        rank->has_asked = false;
        rank->counted.length = 0;
        drop_wrote(rank);
    }
    pthread_mutex_unlock(&spread->lock);
}

static bool add_counted(struct spread *spread, struct profile_recorder *recorder,
                        unsigned threads) {
    for (unsigned r = 1; recorder && r < spread->ranks; r++) {
        const struct strbuf *counted = &spread->rank[r].counted;
        if (!profile_read_counted(recorder, threads + r - 1, counted->data, counted->length))
            return false;
    }
    return true;
}

static void add_results(struct spread *spread, struct sim_kernel *kernel,
                        struct sim_result *result) {
    uint64_t instructions = 0;
    spread->rank[0].all_blocks += result->blocks_run;
    for (unsigned r = 1; r < spread->ranks; r++) {
        struct rank *rank = &spread->rank[r];
        result->blocks_run += rank->blocks;
        result->instructions += rank->instructions;
        result->thread_instructions += rank->thread_instructions;
        result->barriers += rank->barriers;
        rank->all_blocks += rank->blocks;
        instructions += rank->instructions;
    }
    sim_ran_elsewhere(kernel, instructions, result->instructions, result->blocks_run);
}

struct attempt {
    struct spread *spread;
    const struct run_launch *launch;
};

static bool goes_on(void *context, uint64_t done, uint64_t blocks, uint64_t instructions) {
    const struct attempt *attempt = context;
    const volatile sig_atomic_t *stop = attempt->launch->stop;
    (void)done, (void)blocks, (void)instructions;
    return !__atomic_load_n(&attempt->spread->has_failed, __ATOMIC_RELAXED) && !(stop && *stop);
}

static void run_own(struct spread *spread, const struct run_launch *launch,
                    struct run_observers *observers, struct sim_result *result) {
    struct attempt attempt = {spread, launch};
    struct sim_launch sim = launch->sim;
    const double begun = ranks_now();
    sim.observers = observers->list.data;
    sim.observer_count = (unsigned)observers->list.length;
    sim.take = spread_take_own;
    sim.take_context = spread;
    sim.progress = goes_on;
    sim.progress_context = &attempt;
    sim_launch(launch->kernel, &sim, result);
    spread->rank[0].seconds += ranks_now() - begun;
}

// What follows may be undone. True: it was a success, or has to be taken for one since it ends
// here.
static bool attempt(struct spread *spread, const struct run_launch *launch,
                    const struct ranks_merge *merge, struct run_observers *observers,
                    struct sim_result *result) {
    const unsigned threads = (unsigned)sim_threads(sim_kernel_device(launch->kernel));
    run_own(spread, launch, observers, result);
    if (launch->stop && *launch->stop) {
        ranks_home_open(spread->home);
        return true;
    }
    pthread_mutex_lock(&spread->lock);
    if (result->fault != SIM_OK || result->child_count)
        spread_fail(spread, "a block faulted, or touched memory that the host sees");
    pthread_mutex_unlock(&spread->lock);
    spread_wait_and_merge(spread, launch, merge);
    ranks_home_open(spread->home);
    const double adds = ranks_now();
    if (spread->has_failed ||
        !add_counted(spread,
                     launch->profile && !launch->profile->is_uncounted ? observers->recorder : NULL,
                     threads))
        return false;
    spread->seconds.merge += ranks_now() - adds;
    add_results(spread, launch->kernel, result);
    return true;
}

static bool share(struct spread *spread, const struct run_launch *launch,
                  const struct ranks_merge *merge, const struct sim_apart *apart,
                  struct sim_result *result) {
    struct run_observers observers;
    struct run_every_block every = {0};
    struct run_launch copy = *launch;
    struct strbuf out = {0};
    struct ranks_range *ranges = ranges_of(apart->parts, apart->part_count);
    struct ranks_range *others = ranges_of(apart->others, apart->other_count);
    const double begun = ranks_now();
    bool is_good =
        ranks_home_begin(spread->home, ranges, apart->part_count, others, apart->other_count);
    if (is_good) {
        const uint64_t module = spread_module_name(launch, spread->listing);
        copy.more_workers = spread->ranks - 1;
        begin(spread, launch);
        send_module(spread, launch, module);
        spread_put_launch(&out, launch, module, ranges, apart->part_count,
                          ranks_home_unwritten(spread->home));
        spread_post_all(spread, RANKS_LAUNCH, &out);
        run_observers_begin(&observers, &copy, &every);
        spread->seconds.begin += ranks_now() - begun;
        is_good = attempt(spread, launch, merge, &observers, result);
        spread_stop_giving(spread);
        ranks_home_end(spread->home, !is_good);
        if (!is_good || !spread_have_ended(spread))
            spread_post_all(spread, RANKS_CANCEL, NULL);
        if (is_good)
            run_observers_end(&observers, &copy, &every, result);
        else
            run_observers_drop(&observers);
        if (!is_good)
            sim_result_free(result);
    }
    strbuf_free(&out);
    free(ranges);
    free(others);
    return is_good;
}

static bool run(void *context, const struct run_launch *launch, struct sim_result *result) {
    struct spread *spread = context;
    struct ranks_merge merge = {0};
    const char *name = sim_kernel_function(launch->kernel)->name;
    const char *known = map_get(&spread->why, name, strlen(name));
    struct sim *sim = (struct sim *)(uintptr_t)sim_kernel_device(launch->kernel);
    struct sim_apart apart;
    if (spread->is_lost || spread->owner != getpid() || known)
        return known ? refuse(spread, launch, known) : false;
    const char *why = spread_why_not(launch, &merge);
    if (why)
        return refuse(spread, launch, why);
    if (!spread->shares_all && spread_is_short(launch)) {
        spread->alone++;
        report(spread, false);
        return false;
    }
    if (!make_home(spread, sim) || !spread_start_serving(spread))
        return refuse(spread, launch, "the system gives no memory for it");
    sim_apart_begin(sim, &apart);
    const bool is_good = share(spread, launch, &merge, &apart, result);
    sim_apart_end(sim, &apart, !is_good);
    spread->shared += is_good;
    spread->undone += !is_good;
    if (!is_good && spread->race_address) {
        const unsigned bytes = merge.op == RANKS_STORES ? 1 : merge.bytes;
        refuse(spread, launch, // which keeps the words as long as the kernel's name
               spread_run_watched(launch, spread->race_address, bytes, spread->failure, result));
        return true;
    }
    if (!is_good)
        return refuse(spread, launch,
                      spread->failure ? spread->failure : "the system protects no more memory");
    report(spread, true);
    return true;
}

bool spread_is_ready(const struct spread *spread) {
    return spread && !spread->is_lost && spread->owner == getpid();
}

void spread_listing(struct spread *spread, const char *listing) {
    spread->listing = listing;
}

struct spread *spread_create(struct ranks_channel *channel, bool shares_all) {
    struct spread *spread = base_alloc(sizeof *spread);
    spread->channel = channel;
    spread->ranks = ranks_channel_ranks(channel);
    spread->shares_all = shares_all;
    spread->face = (struct run_spread){run, spread};
    spread->rank = base_alloc((spread->ranks + 1) * sizeof *spread->rank);
    spread->deal.ranks = spread->ranks;
    spread->deal.shares = base_alloc((spread->ranks + 1) * sizeof *spread->deal.shares);
    spread->owner = getpid();
    pthread_mutex_init(&spread->lock, NULL);
    pthread_mutex_init(&spread->sending, NULL);
    pthread_mutex_init(&spread->giving, NULL);
    pthread_cond_init(&spread->changed, NULL);
    return spread;
}

const struct run_spread *spread_face(const struct spread *spread) {
    return spread ? &spread->face : NULL;
}
