#define _GNU_SOURCE // pthread_setname_np
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
#include "base/pool.h"
#include "base/vec.h"
#include "ranks/relay.h"
#include "run/observers.h"
#include "spread/deal.h"
#include "spread/form.h"
#include "spread/why.h"
#include "spread/writers.h"
#include "spread/wrote.h"

struct rank {
    bool has_ended, has_asked;
    uint64_t blocks, instructions, thread_instructions, barriers; // of this launch
    struct strbuf counted;
    VEC(struct strbuf) wrote; // as they came
    // Of all launches.
    uint64_t all_blocks, sent, received;
    double seconds, waited; // waited: of threads, for pages
};

struct spread { // under `lock`, but for what is said to be somebody else's
    struct ranks_channel *channel;
    unsigned ranks;
    bool shares_all;
    struct run_spread face;
    const char *listing; // of the thread that launches, as `home`
    struct ranks_home *home;
    VEC(uint64_t) modules; // that the others have
    pthread_mutex_t lock, sending, giving;
    struct strbuf pages; // on their way; its memory stays: what the system gives anew it clears
    pthread_cond_t changed;
    pthread_t thread;
    bool is_started, is_lost;
    pid_t owner;
    struct rank *rank;
    // The launch under way.
    uint32_t number;
    bool is_running, has_failed;
    const char *failure; // in words; static
    struct deal deal;
    uint64_t own_next, own_end;
    struct map why; // kernel's name -> reason, of launches that were not shared out
    VEC(const char *) why_names;
    uint64_t shared, alone, undone;
    uint64_t race_address; // what ranks did not agree on; 0: that was not it
    double reported;
    struct {
        double begin, wait, merge;
    } seconds; // of rank 0, in all launches that were shared out
};

static struct ranks_home *the_home; // for the handler

bool spread_fault(uint64_t address) {
    struct ranks_home *home = __atomic_load_n(&the_home, __ATOMIC_ACQUIRE);
    return home && ranks_home_fault(home, address);
}

// ---- Messages -----------------------------------------------------------------------------------

static void post(struct spread *spread, enum ranks_kind kind, unsigned rank, const void *bytes,
                 size_t length) {
    const struct ranks_message head = {
        .kind = kind, .rank = rank, .launch = spread->number, .length = length};
    pthread_mutex_lock(&spread->sending);
    if (ranks_channel_send(spread->channel, RANKS_TO_BANKRUN, &head, sizeof head) && length)
        ranks_channel_send(spread->channel, RANKS_TO_BANKRUN, bytes, length);
    spread->rank[rank].sent += sizeof head + length;
    pthread_mutex_unlock(&spread->sending);
}

static void post_all(struct spread *spread, enum ranks_kind kind, const struct strbuf *body) {
    for (unsigned rank = 1; rank < spread->ranks; rank++)
        post(spread, kind, rank, body ? body->data : NULL, body ? body->length : 0);
}

static void fail(struct spread *spread, const char *why) {
    if (!spread->has_failed)
        spread->failure = why;
    spread->has_failed = true;
}

// ---- Blocks -------------------------------------------------------------------------------------

static uint64_t chunk(struct spread *spread, unsigned rank, uint64_t *first) {
    *first = 0;
    return spread->has_failed ? 0 : deal_take(&spread->deal, rank, first);
}

static bool all_have_asked(const struct spread *spread) {
    for (unsigned r = 1; r < spread->ranks; r++)
        if (!spread->rank[r].has_asked && !spread->rank[r].has_ended)
            return false;
    return true;
}

static bool take_own(void *context, uint64_t *cluster) {
    struct spread *spread = context;
    bool is_there = true;
    pthread_mutex_lock(&spread->lock);
    // Where everything is shared out, for tests, each rank gets some.
    while (spread->shares_all && spread->own_next == spread->own_end && !spread->has_failed &&
           !all_have_asked(spread))
        pthread_cond_wait(&spread->changed, &spread->lock);
    if (spread->has_failed)
        spread->own_next = spread->own_end;
    else if (spread->own_next == spread->own_end) {
        uint64_t first;
        const uint64_t count = chunk(spread, 0, &first);
        spread->own_next = first;
        spread->own_end = first + count;
    }
    is_there = spread->own_next < spread->own_end;
    *cluster = spread->own_next;
    spread->own_next += is_there;
    pthread_mutex_unlock(&spread->lock);
    return is_there;
}

static void give_chunk(struct spread *spread, unsigned rank, struct ranks_reader *in) {
    uint64_t part[2] = {0};
    pthread_mutex_lock(&spread->lock);
    spread->deal.shares[rank].threads = (unsigned)ranks_get_number(in);
    part[1] = chunk(spread, rank, &part[0]);
    spread->rank[rank].has_asked = true;
    pthread_cond_broadcast(&spread->changed);
    pthread_mutex_unlock(&spread->lock);
    post(spread, RANKS_CHUNK, rank, part, sizeof part);
}

// ---- What the others say ------------------------------------------------------------------------

// Not where the launch has ended meanwhile, and pages are not what they were when it began.
static void give_pages(struct spread *spread, unsigned rank, struct ranks_reader *in) {
    struct strbuf *out = &spread->pages;
    pthread_mutex_lock(&spread->giving);
    pthread_mutex_lock(&spread->lock);
    const bool is_running = spread->is_running;
    pthread_mutex_unlock(&spread->lock);
    if (is_running) {
        out->length = 0;
        ranks_home_pages(spread->home, in, out);
        post(spread, RANKS_PAGES, rank, out->data, out->length);
    }
    pthread_mutex_unlock(&spread->giving);
}

static void stop_giving(struct spread *spread) {
    pthread_mutex_lock(&spread->lock);
    spread->is_running = false;
    pthread_mutex_unlock(&spread->lock);
    pthread_mutex_lock(&spread->giving); // whoever gives has looked before
    pthread_mutex_unlock(&spread->giving);
}

static void note_end(struct spread *spread, struct rank *rank, struct ranks_reader *in) {
    const bool is_good = ranks_get_number(in) != 0;
    rank->blocks = ranks_get_number(in);
    rank->instructions = ranks_get_number(in);
    rank->thread_instructions = ranks_get_number(in);
    rank->barriers = ranks_get_number(in);
    rank->seconds += (double)ranks_get_number(in) * 1e-6;
    rank->waited += (double)ranks_get_number(in) * 1e-6;
    rank->has_ended = true;
    if (!is_good || in->is_bad)
        fail(spread, "a block on another rank faulted, or touched memory that the host sees");
    rank->counted.length = 0;
    strbuf_append(&rank->counted, in->at, (size_t)(in->end - in->at));
}

// Lock held. Of the launch under way.
static void note(struct spread *spread, const struct ranks_message *head, struct ranks_reader *in) {
    struct rank *rank = &spread->rank[head->rank];
    if (head->kind == RANKS_ENDED) {
        note_end(spread, rank, in);
    } else if (head->kind == RANKS_WROTE) {
        struct strbuf wrote = {0};
        strbuf_append(&wrote, in->at, (size_t)(in->end - in->at));
        vec_push(&rank->wrote, wrote);
    }
    pthread_cond_broadcast(&spread->changed);
}

static void handle(struct spread *spread, const struct ranks_message *head, const char *body) {
    struct ranks_reader in = ranks_read(body, (size_t)head->length);
    pthread_mutex_lock(&spread->lock);
    if (head->kind == RANKS_LOST) {
        spread->is_lost = true;
        fail(spread, "a rank was lost");
        pthread_cond_broadcast(&spread->changed);
    }
    const bool is_now = spread->is_running && head->launch == spread->number && head->rank > 0 &&
                        head->rank < spread->ranks;
    if (is_now)
        spread->rank[head->rank].received += sizeof *head + head->length;
    if (is_now && head->kind != RANKS_TAKE && head->kind != RANKS_NEED)
        note(spread, head, &in);
    pthread_mutex_unlock(&spread->lock);
    if (is_now && head->kind == RANKS_TAKE)
        give_chunk(spread, head->rank, &in);
    else if (is_now && head->kind == RANKS_NEED)
        give_pages(spread, head->rank, &in);
}

static void *serve(void *context) {
    struct spread *spread = context;
    struct ranks_message head;
    for (;;) {
        if (!ranks_channel_receive(spread->channel, RANKS_TO_PROGRAM, &head, sizeof head))
            break;
        char *body = base_alloc((size_t)head.length + 1);
        const bool is_whole =
            ranks_channel_receive(spread->channel, RANKS_TO_PROGRAM, body, (size_t)head.length);
        if (is_whole)
            handle(spread, &head, body);
        free(body);
        if (!is_whole)
            break;
    }
    head = (struct ranks_message){.kind = RANKS_LOST};
    handle(spread, &head, NULL);
    return NULL;
}

static bool start(struct spread *spread) {
    sigset_t all, before;
    if (spread->is_started)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    spread->is_started = pthread_create(&spread->thread, NULL, serve, spread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (spread->is_started)
        pthread_setname_np(spread->thread, POOL_THREADS "ranks");
    return spread->is_started;
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
    post(spread, RANKS_REPORT, 0, out.data, out.length);
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
    post_all(spread, RANKS_MODULE, &out);
    strbuf_free(&out);
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
    spread->own_end = chunk(spread, 0, &spread->own_next) + spread->own_next;
    for (unsigned r = 0; r < spread->ranks; r++) {
        struct rank *rank = &spread->rank[r];
        rank->has_ended = r == 0;
        rank->has_asked = false;
        rank->counted.length = 0;
        for (size_t i = 0; i < rank->wrote.length; i++)
            strbuf_free(&rank->wrote.data[i]);
        rank->wrote.length = 0;
    }
    pthread_mutex_unlock(&spread->lock);
}

static bool have_ended(const struct spread *spread) {
    for (unsigned r = 1; r < spread->ranks; r++)
        if (!spread->rank[r].has_ended)
            return false;
    return true;
}

// Until all have ended, or something is wrong.
static void wait_for_others(struct spread *spread, const struct run_launch *launch) {
    pthread_mutex_lock(&spread->lock);
    while (!spread->has_failed && !have_ended(spread)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&spread->changed, &spread->lock, &until);
        if (launch->stop && *launch->stop)
            fail(spread, "the program ends");
    }
    pthread_mutex_unlock(&spread->lock);
}

static bool merge_rank(struct spread *spread, const struct rank *rank,
                       const struct ranks_merge *merge) {
    bool is_good = true;
    for (size_t i = 0; i < rank->wrote.length && is_good; i++) {
        size_t length = 0;
        const struct strbuf *wrote = &rank->wrote.data[i];
        char *plain = spread_unpack(wrote->data, wrote->length, &length);
        struct ranks_reader in = ranks_read(plain, length);
        is_good = plain && ranks_home_merge(spread->home, &in, merge, &spread->race_address);
        free(plain);
    }
    return is_good;
}

static bool merge_all(struct spread *spread, const struct ranks_merge *merge) {
    ranks_home_open(spread->home);
    for (unsigned r = 1; r < spread->ranks; r++)
        if (!merge_rank(spread, &spread->rank[r], merge)) {
            spread->failure = merge->op == RANKS_STORES
                                  ? "blocks on two ranks wrote different values to one byte, which "
                                    "is a race between blocks (bankrun check --check race)"
                                  : "blocks on two ranks changed one word, by atomics and perhaps "
                                    "by stores";
            return false;
        }
    spread->race_address = 0;
    return true;
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
    sim.take = take_own;
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
        fail(spread, "a block faulted, or touched memory that the host sees");
    pthread_mutex_unlock(&spread->lock);
    const double waits = ranks_now();
    wait_for_others(spread, launch);
    const double merges = ranks_now();
    spread->seconds.wait += merges - waits;
    if (spread->has_failed || !merge_all(spread, merge) ||
        !add_counted(spread,
                     launch->profile && !launch->profile->is_uncounted ? observers->recorder : NULL,
                     threads))
        return false;
    spread->seconds.merge += ranks_now() - merges;
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
        post_all(spread, RANKS_LAUNCH, &out);
        run_observers_begin(&observers, &copy, &every);
        spread->seconds.begin += ranks_now() - begun;
        is_good = attempt(spread, launch, merge, &observers, result);
        stop_giving(spread);
        ranks_home_end(spread->home, !is_good);
        if (!is_good || !have_ended(spread))
            post_all(spread, RANKS_CANCEL, NULL);
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
    if (!make_home(spread, sim) || !start(spread))
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
