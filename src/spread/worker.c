#define _GNU_SOURCE // syscall
#include "spread/worker.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "compiled/stream.h"
#include "profile/record.h"
#include "ranks/relay.h"
#include "run/module.h"
#include "spread/form.h"
#include "spread/wrote.h"

struct module {
    struct spread_module it;
    struct source source;
    struct run_module run;
    struct compiled_code *compiled;
    uint64_t *variables; // where they were when it was loaded
    bool is_bad;
};

struct chunk {
    uint64_t next, end;
};

struct job {
    uint32_t number;
    struct spread_launch launch;
    bool is_there, is_done, is_cancelled, is_last; // is_last: no more chunks come
    bool has_asked;
    uint64_t given; // clusters of the last chunk
    VEC(struct chunk) chunks;
    uint64_t left; // clusters of them
    struct sim_result result;
    bool is_good;
    struct strbuf counted;
    double begun, seconds;
};

struct worker {
    const struct ranks_mpi *mpi;
    unsigned rank;
    int threads;
    struct sim *sim;
    VEC(struct ranks_range) registered; // what the simulator knows of the device's memory
    VEC(struct module *) modules;
    struct ranks_replica *replica;
    pthread_mutex_t lock; // of the job
    pthread_cond_t changed;
    pthread_t thread;
    struct job job;
    double heard, beat;
    double kept; // seconds of the launches before through which memory was kept
};

static struct ranks_replica *the_replica; // for the handler
static uint32_t moves;                    // atomic: something may be to do

static void wake(void) {
    __atomic_fetch_add(&moves, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &moves, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    struct ranks_replica *replica = __atomic_load_n(&the_replica, __ATOMIC_ACQUIRE);
    if (info->si_code > 0 && replica &&
        ranks_replica_fault(replica, (uint64_t)(uintptr_t)info->si_addr))
        return;
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

// ---- Messages -----------------------------------------------------------------------------------

static void post(struct worker *worker, enum ranks_kind kind, const void *bytes, size_t length) {
    const struct ranks_message head = {
        .kind = kind, .rank = worker->rank, .launch = worker->job.number, .length = length};
    char *message = malloc(sizeof head + length);
    if (!message)
        base_out_of_memory(sizeof head + length);
    memcpy(message, &head, sizeof head);
    if (length)
        memcpy(message + sizeof head, bytes, length);
    worker->mpi->send(0, message, sizeof head + length);
}

// ---- Modules and memory -------------------------------------------------------------------------

static void add_module(struct worker *worker, struct ranks_reader *in) {
    struct module *module = base_alloc(sizeof *module);
    struct diag_list diags = {0};
    module->is_bad = !spread_get_module(in, &module->it);
    vec_push(&worker->modules, module);
    if (module->is_bad)
        return;
    module->source =
        (struct source){module->it.source_name, module->it.text, strlen(module->it.text)};
    module->is_bad = !run_module_parse(&module->run, &module->source, &diags);
    if (!module->is_bad)
        module->run.ir = ir_build(module->run.ptx, &diags);
    module->is_bad |= diags.errors || !module->run.ir;
    if (!module->is_bad && module->it.text_file)
        ptx_own_lines(module->run.ptx, module->it.text_file);
    if (module->it.listing)
        module->compiled = compiled_code_parse(module->it.listing);
    diag_free(&diags);
}

static struct module *find_module(const struct worker *worker, uint64_t name) {
    for (size_t i = 0; i < worker->modules.length; i++)
        if (worker->modules.data[i]->it.name == name && !worker->modules.data[i]->is_bad)
            return worker->modules.data[i];
    return NULL;
}

static bool make_device(struct worker *worker, const struct spread_launch *launch) {
    if (!worker->sim) {
        struct sim_config config = launch->config;
        config.threads = worker->threads;
        worker->sim = sim_create(&config);
        sim_keep(worker->sim, launch->base, launch->bytes);
    }
    if (worker->replica)
        return ranks_replica_fits(worker->replica, launch->base, launch->bytes);
    worker->replica = ranks_replica_create(launch->base, launch->bytes, wake);
    __atomic_store_n(&the_replica, worker->replica, __ATOMIC_RELEASE);
    return worker->replica != NULL;
}

static bool is_same(const struct ranks_range *a, const struct ranks_range *b) {
    return a->address == b->address && a->bytes == b->bytes && a->may_write == b->may_write;
}

// Both lists ascend.
static bool register_memory(struct worker *worker, const struct spread_launch *launch) {
    bool is_good = true;
    size_t n = 0;
    for (size_t o = 0; o < worker->registered.length; o++) {
        const struct ranks_range *old = &worker->registered.data[o];
        while (n < launch->range_count && launch->ranges[n].address < old->address)
            n++;
        if (n == launch->range_count || !is_same(old, &launch->ranges[n]))
            sim_unregister_device(worker->sim, (void *)(uintptr_t)old->address);
    }
    size_t o = 0;
    for (size_t i = 0; i < launch->range_count; i++) {
        const struct ranks_range *range = &launch->ranges[i];
        while (o < worker->registered.length && worker->registered.data[o].address < range->address)
            o++;
        if (o < worker->registered.length && is_same(&worker->registered.data[o], range))
            continue;
        is_good &= range->bytes == 0 ||
                   sim_register_device(worker->sim, (void *)(uintptr_t)range->address,
                                       (size_t)range->bytes, 1, range->may_write ? 1 : 0);
    }
    worker->registered.length = 0;
    for (size_t i = 0; i < launch->range_count; i++)
        vec_push(&worker->registered, launch->ranges[i]);
    return is_good;
}

// ---- Running: the job's thread ------------------------------------------------------------------

// More is asked for while there is some left: the answer takes a while.
static bool has_little(const struct worker *worker) {
    const struct job *job = &worker->job;
    return !job->has_asked &&
           (job->left < (uint64_t)sim_threads(worker->sim) || job->left <= job->given / 2);
}

static bool take(void *context, uint64_t *cluster) {
    struct worker *worker = context;
    struct job *job = &worker->job;
    pthread_mutex_lock(&worker->lock);
    while (!job->chunks.length && !job->is_last && !job->is_cancelled)
        pthread_cond_wait(&worker->changed, &worker->lock);
    const bool is_there = job->chunks.length && !job->is_cancelled;
    if (is_there) {
        struct chunk *chunk = &job->chunks.data[0];
        *cluster = chunk->next++;
        job->left--;
        if (chunk->next == chunk->end)
            memmove(chunk, chunk + 1, --job->chunks.length * sizeof *chunk);
    }
    const bool has_few = has_little(worker);
    pthread_mutex_unlock(&worker->lock);
    if (has_few)
        wake();
    return is_there;
}

static bool goes_on(void *context, uint64_t done, uint64_t blocks, uint64_t instructions) {
    const struct worker *worker = context;
    (void)done, (void)blocks, (void)instructions;
    return !__atomic_load_n(&worker->job.is_cancelled, __ATOMIC_RELAXED);
}

// On each device, and after each reset, a module's variables lie elsewhere.
static void load(struct worker *worker, struct module *module) {
    const struct spread_launch *launch = &worker->job.launch;
    const size_t bytes = launch->variable_count * sizeof *launch->variables;
    if (module->run.sim && memcmp(module->variables, launch->variables, bytes) != 0) {
        sim_module_unload(module->run.sim, NULL);
        module->run.sim = NULL;
    }
    if (module->run.sim)
        return;
    free(module->variables);
    module->variables = base_alloc(bytes + 1);
    memcpy(module->variables, launch->variables, bytes);
    module->run.sim =
        sim_module_load_at(worker->sim, module->run.ir, launch->variables, launch->variable_count);
}

static struct sim_kernel *find_kernel(struct worker *worker, struct module **module) {
    const struct spread_launch *launch = &worker->job.launch;
    struct diag_list diags = {0};
    struct sim_kernel *kernel = NULL;
    *module = find_module(worker, launch->module);
    if (*module)
        load(worker, *module);
    if (*module && (*module)->run.sim)
        kernel = sim_module_kernel((*module)->run.sim, launch->kernel, &diags);
    diag_free(&diags);
    return kernel;
}

static struct profile_recorder *record(const struct worker *worker, struct sim_kernel *kernel,
                                       const struct compiled_stream *stream) {
    const struct spread_launch *launch = &worker->job.launch;
    struct profile_launch_info info = {.kernel = sim_kernel_function(kernel),
                                       .layout = sim_kernel_layout(kernel),
                                       .dynamic_shared_bytes = launch->sim.dynamic_shared_bytes,
                                       .workers = (unsigned)sim_threads(worker->sim),
                                       .arch = launch->arch};
    info.sites = compiled_stream_sites(stream, &info.site_count);
    memcpy(info.grid, launch->sim.grid, sizeof info.grid);
    memcpy(info.block, launch->sim.block, sizeof info.block);
    return profile_record(&info);
}

static void run_kernel(struct worker *worker, struct sim_kernel *kernel, struct module *module) {
    struct job *job = &worker->job;
    const struct event_observer *observer = NULL;
    struct compiled_stream *stream = NULL;
    struct profile_recorder *recorder = NULL;
    struct sim_launch sim = job->launch.sim;
    const double begun = ranks_now();
    if (job->launch.is_counted) {
        stream = compiled_stream_create(module->compiled, sim_kernel_function(kernel));
        recorder = record(worker, kernel, stream);
        observer = compiled_stream_before(stream, profile_observer(recorder));
    }
    sim.observers = &observer;
    sim.observer_count = observer != NULL;
    sim.take = take;
    sim.take_context = worker;
    sim.progress = goes_on;
    sim.progress_context = worker;
    sim_launch(kernel, &sim, &job->result);
    job->is_good = job->result.fault == SIM_OK && !job->result.child_count;
    if (recorder && job->is_good)
        profile_write_counted(recorder, &job->counted);
    if (recorder)
        profile_drop(recorder);
    compiled_stream_free(stream);
    job->seconds = ranks_now() - begun;
}

static void *run_job(void *context) {
    struct worker *worker = context;
    struct module *module = NULL;
    struct sim_kernel *kernel = find_kernel(worker, &module);
    if (kernel)
        run_kernel(worker, kernel, module);
    pthread_mutex_lock(&worker->lock);
    worker->job.is_done = true;
    pthread_mutex_unlock(&worker->lock);
    wake();
    return NULL;
}

// ---- Jobs: the thread that talks ----------------------------------------------------------------

static void begin(struct worker *worker, uint32_t number, struct ranks_reader *in) {
    struct job *job = &worker->job;
    job->number = number;
    job->is_there = true;
    job->begun = ranks_now();
    bool can = spread_get_launch(in, &job->launch) && make_device(worker, &job->launch) &&
               register_memory(worker, &job->launch);
    if (can) {
        sigset_t all, before;
        sigfillset(&all);
        sigdelset(&all, SIGSEGV);
        const uint64_t names[] = {job->launch.module,
                                  hash_bytes(job->launch.kernel, strlen(job->launch.kernel))};
        ranks_replica_begin(worker->replica, (uint32_t)hash_bytes(names, sizeof names), number,
                            job->launch.unwritten, job->launch.unwritten_count);
        worker->kept = job->launch.unwritten_count ? worker->kept : 0;
        pthread_sigmask(SIG_SETMASK, &all, &before);
        can = pthread_create(&worker->thread, NULL, run_job, worker) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (!can) {
        uint64_t nothing[7] = {0};
        post(worker, RANKS_ENDED, nothing, sizeof nothing);
        spread_free_launch(&job->launch);
        *job = (struct job){.number = number};
    }
}

static void cancel(struct worker *worker) {
    if (!worker->job.is_there)
        return;
    pthread_mutex_lock(&worker->lock);
    __atomic_store_n(&worker->job.is_cancelled, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    ranks_replica_give_up(worker->replica);
}

static void add_chunk(struct worker *worker, struct ranks_reader *in) {
    struct job *job = &worker->job;
    const uint64_t first = ranks_get_number(in), count = ranks_get_number(in);
    pthread_mutex_lock(&worker->lock);
    job->has_asked = false;
    job->is_last |= count == 0;
    if (count)
        vec_push(&job->chunks, (struct chunk){first, first + count});
    job->left += count;
    job->given = count;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

static void ask_for_more(struct worker *worker) {
    struct job *job = &worker->job;
    const uint64_t threads = (uint64_t)sim_threads(worker->sim);
    pthread_mutex_lock(&worker->lock);
    const bool wants = has_little(worker) && !job->is_last && !job->is_cancelled && !job->is_done;
    job->has_asked |= wants;
    pthread_mutex_unlock(&worker->lock);
    if (wants)
        post(worker, RANKS_TAKE, &threads, sizeof threads);
}

static void tell_written(struct worker *worker) {
    enum { MOST = 4 << 20 };
    struct strbuf plain = {0};
    bool goes_on = true;
    while (goes_on) {
        plain.length = 0;
        goes_on = ranks_replica_wrote(worker->replica, &plain, MOST);
        if (!plain.length)
            continue;
        size_t length;
        char *packed = spread_pack(plain.data, plain.length, &length);
        post(worker, RANKS_WROTE, packed, length);
        free(packed);
    }
    strbuf_free(&plain);
}

static void finish(struct worker *worker) {
    struct job *job = &worker->job;
    worker->kept += job->seconds;
    const uint64_t numbers[] = {job->is_good && !job->is_cancelled,
                                job->result.blocks_run,
                                job->result.instructions,
                                job->result.thread_instructions,
                                job->result.barriers,
                                (uint64_t)(job->seconds * 1e6),
                                (uint64_t)(ranks_replica_waited(worker->replica) * 1e6)};
    struct strbuf out = {0};
    pthread_join(worker->thread, NULL);
    if (numbers[0])
        tell_written(worker);
    ranks_put(&out, numbers, sizeof numbers);
    if (job->counted.length)
        ranks_put(&out, job->counted.data, job->counted.length);
    post(worker, RANKS_ENDED, out.data, out.length);
    ranks_replica_end(worker->replica);
    strbuf_free(&out);
    strbuf_free(&job->counted);
    vec_free(&job->chunks);
    sim_result_free(&job->result);
    spread_free_launch(&job->launch);
    *job = (struct job){.number = job->number};
}

// ---- The loop -----------------------------------------------------------------------------------

static void wait_for_job(struct worker *worker) {
    const struct timespec moment = {.tv_nsec = 200 * 1000};
    while (worker->job.is_there && !__atomic_load_n(&worker->job.is_done, __ATOMIC_ACQUIRE))
        nanosleep(&moment, NULL);
    if (worker->job.is_there)
        finish(worker);
}

// False: all is over.
static bool handle(struct worker *worker, const char *bytes, size_t length) {
    struct ranks_message head;
    if (length < sizeof head)
        return true;
    memcpy(&head, bytes, sizeof head);
    struct ranks_reader in = ranks_read(bytes + sizeof head, length - sizeof head);
    const bool is_now = worker->job.is_there && head.launch == worker->job.number;
    if (head.kind == RANKS_MODULE) {
        add_module(worker, &in);
    } else if (head.kind == RANKS_LAUNCH) {
        cancel(worker); // of one that nobody wants any more
        wait_for_job(worker);
        begin(worker, head.launch, &in);
    } else if (is_now && head.kind == RANKS_CHUNK) {
        add_chunk(worker, &in);
    } else if (is_now && head.kind == RANKS_CANCEL) {
        cancel(worker);
    } else if (is_now && head.kind == RANKS_PAGES && !worker->job.is_cancelled) {
        if (!ranks_replica_put(worker->replica, &in))
            cancel(worker);
    }
    return head.kind != RANKS_BYE;
}

static bool look_at_job(struct worker *worker) {
    struct strbuf need = {0};
    if (!worker->job.is_there)
        return false;
    const bool needs =
        !worker->job.is_cancelled && ranks_replica_needs(worker->replica, worker->job.launch.ranges,
                                                         worker->job.launch.range_count, &need);
    if (needs)
        post(worker, RANKS_NEED, need.data, need.length);
    strbuf_free(&need);
    ask_for_more(worker);
    if (!__atomic_load_n(&worker->job.is_done, __ATOMIC_ACQUIRE))
        return needs;
    finish(worker);
    return true;
}

static bool is_alone(struct worker *worker) {
    const double now = ranks_now();
    if (now - worker->beat > 1) {
        worker->beat = now;
        post(worker, RANKS_BEAT, NULL, 0);
    }
    return now - worker->heard > ranks_patience();
}

// Something is to come from the first rank, or to go there.
static bool expects(const struct worker *worker) {
    return worker->job.has_asked || ranks_replica_expects(worker->replica) ||
           worker->mpi->pending() > 0;
}

// As the relay of the first rank (ranks/relay.c), which looks ever less often. While blocks run
// and nothing is to come it looks hardly ever: it may share a core with who runs them.
static void rest(const struct worker *worker, uint32_t seen, unsigned *idle) {
    enum { YIELDS = 20, LEAST = 20, MOST = 1000, MOST_BUSY = 150, RUNNING = 2000 };
    const bool is_busy = worker->job.is_there, is_quiet = is_busy && !expects(worker);
    const unsigned long most = is_busy ? MOST_BUSY : MOST;
    const unsigned long micros = is_quiet ? RUNNING : *idle > most / 2 ? most : LEAST + *idle;
    const struct timespec time = {.tv_nsec = (long)micros * 1000};
    if (!is_quiet && ++*idle < YIELDS)
        sched_yield();
    else
        syscall(SYS_futex, &moves, FUTEX_WAIT_PRIVATE, seen, &time, NULL, 0);
}

// Large pages take some time to make: they are for who goes through memory again and again, in one
// launch or in several.
static bool is_long(const struct worker *worker) {
    const double least = 0.3;
    return worker->job.is_there && worker->kept + ranks_now() - worker->job.begun > least;
}

static enum spread_worker_end loop(struct worker *worker) {
    unsigned idle = 0;
    for (;;) {
        const uint32_t seen = __atomic_load_n(&moves, __ATOMIC_SEQ_CST);
        unsigned rank;
        size_t length;
        bool has_failed;
        char *bytes = worker->mpi->receive(&rank, &length, &has_failed);
        bool moved = bytes != NULL;
        if (bytes)
            worker->heard = ranks_now();
        const bool goes_on = !bytes || handle(worker, bytes, length);
        free(bytes);
        if (!goes_on)
            return SPREAD_OVER;
        moved |= look_at_job(worker);
        if (has_failed || is_alone(worker))
            return SPREAD_LOST;
        if (moved)
            idle = 0;
        else if (!is_long(worker) || !ranks_replica_settle(worker->replica))
            rest(worker, seen, &idle);
    }
}

enum spread_worker_end spread_work(const struct ranks_mpi *mpi, unsigned rank, int threads) {
    struct worker worker = {.mpi = mpi, .rank = rank, .threads = threads};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    pthread_mutex_init(&worker.lock, NULL);
    pthread_cond_init(&worker.changed, NULL);
    worker.heard = worker.beat = ranks_now();
    sigaction(SIGSEGV, &action, NULL);
    const enum spread_worker_end end = loop(&worker);
    cancel(&worker);
    wait_for_job(&worker);
    return end; // the process ends, and its memory with it
}
