#define _GNU_SOURCE // pthread_setname_np
#include "ranks/relay.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/vec.h"

struct parcel { // for the program's process
    char *bytes;
    size_t length, done;
};

struct ranks_relay {
    const struct ranks_mpi *mpi;
    unsigned ranks;
    struct ranks_channel *channel;
    void (*on_lost)(void *context, unsigned rank);
    void *context;
    pthread_t thread;
    atomic_bool ends;
    bool has_lost;
    const uint64_t *pids;
    double looked;
    double *heard; // when something was, of each rank
    double beat;
    VEC(struct parcel) parcels;
    size_t first_parcel;
    struct ranks_message head; // of what comes from the program's process
    size_t head_bytes;
    char *body;
    size_t body_bytes;
    struct strbuf report;
};

double ranks_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct ranks_self ranks_self(void) {
    char *boot = NULL, names[64] = "";
    size_t length = 0;
    if (!file_read("/proc/sys/kernel/random/boot_id", &boot, &length))
        length = 0;
    const ssize_t known = readlink("/proc/self/ns/pid", names, sizeof names);
    const uint64_t parts[] = {length ? hash_bytes(boot, length) : 0,
                              known > 0 ? hash_bytes(names, (size_t)known) : 0};
    free(boot);
    return (struct ranks_self){
        .identity = ranks_identity(),
        .place = length && known > 0 ? hash_bytes(parts, sizeof parts) : 0,
        .pid = (uint64_t)getpid(),
    };
}

unsigned ranks_patience(void) {
    const char *text = getenv("BANKRUN_RANKS_PATIENCE");
    const long seconds = text ? strtol(text, NULL, 10) : 0;
    return seconds > 0 && seconds < 100000 ? (unsigned)seconds : RANKS_PATIENCE_SECONDS;
}

static void push(struct ranks_relay *relay, char *bytes, size_t length) {
    vec_push(&relay->parcels, (struct parcel){bytes, length, 0});
}

static void lose(struct ranks_relay *relay, unsigned rank) {
    struct ranks_message message = {.kind = RANKS_LOST, .rank = rank};
    if (relay->has_lost)
        return;
    relay->has_lost = true;
    char *bytes = base_alloc(sizeof message);
    memcpy(bytes, &message, sizeof message);
    push(relay, bytes, sizeof message);
    relay->on_lost(relay->context, rank);
}

static void post(struct ranks_relay *relay, unsigned rank, void *bytes, size_t length) {
    if (rank == 0 || rank >= relay->ranks || relay->has_lost)
        free(bytes);
    else if (!relay->mpi->send(rank, bytes, length))
        lose(relay, rank);
}

static void say(struct ranks_relay *relay, enum ranks_kind kind) {
    for (unsigned rank = 1; rank < relay->ranks; rank++) {
        struct ranks_message *message = base_alloc(sizeof *message);
        message->kind = kind;
        post(relay, rank, message, sizeof *message);
    }
}

// ---- From the program ---------------------------------------------------------------------------

static void deliver(struct ranks_relay *relay) {
    char *bytes = relay->body;
    const size_t length = relay->body_bytes;
    relay->body = NULL;
    relay->head_bytes = relay->body_bytes = 0;
    if (relay->head.kind == RANKS_REPORT) {
        relay->report.length = 0;
        strbuf_append(&relay->report, bytes + sizeof relay->head, length - sizeof relay->head);
        free(bytes);
        return;
    }
    post(relay, relay->head.rank, bytes, length);
}

static bool take_from_program(struct ranks_relay *relay) {
    const size_t head = sizeof relay->head;
    if (relay->head_bytes < head) {
        const size_t count =
            ranks_channel_read(relay->channel, RANKS_TO_BANKRUN,
                               (char *)&relay->head + relay->head_bytes, head - relay->head_bytes);
        relay->head_bytes += count;
        if (relay->head_bytes < head)
            return count > 0;
        relay->body = base_alloc(head + relay->head.length);
        memcpy(relay->body, &relay->head, head);
        relay->body_bytes = head;
    }
    const size_t all = head + (size_t)relay->head.length;
    const size_t count = ranks_channel_read(
        relay->channel, RANKS_TO_BANKRUN, relay->body + relay->body_bytes, all - relay->body_bytes);
    relay->body_bytes += count;
    if (relay->body_bytes == all)
        deliver(relay);
    return true;
}

// ---- From the ranks -----------------------------------------------------------------------------

static bool take_from_ranks(struct ranks_relay *relay) {
    unsigned rank = 0;
    size_t length = 0;
    bool has_failed = false;
    char *bytes = relay->mpi->receive(&rank, &length, &has_failed);
    struct ranks_message head;
    if (!bytes)
        return false;
    if (rank < relay->ranks)
        relay->heard[rank] = ranks_now();
    if (length < sizeof head) {
        free(bytes);
        return true;
    }
    memcpy(&head, bytes, sizeof head);
    if (head.kind == RANKS_BEAT)
        free(bytes);
    else
        push(relay, bytes, length);
    return true;
}

static bool give_to_program(struct ranks_relay *relay) {
    if (relay->first_parcel == relay->parcels.length) {
        relay->first_parcel = relay->parcels.length = 0;
        return false;
    }
    struct parcel *parcel = &relay->parcels.data[relay->first_parcel];
    const size_t count =
        ranks_channel_write(relay->channel, RANKS_TO_PROGRAM, parcel->bytes + parcel->done,
                            parcel->length - parcel->done);
    parcel->done += count;
    if (parcel->done == parcel->length) {
        free(parcel->bytes);
        relay->first_parcel++;
    }
    return count > 0;
}

// mpirun ends all others two seconds after one has died: there is no time to wait for silence.
static void look(struct ranks_relay *relay, double now) {
    if (now - relay->looked < 0.1)
        return;
    relay->looked = now;
    for (unsigned rank = 1; rank < relay->ranks; rank++)
        if (relay->pids[rank] && kill((pid_t)relay->pids[rank], 0) != 0 && errno == ESRCH)
            lose(relay, rank);
}

static void beat(struct ranks_relay *relay) {
    const double now = ranks_now();
    look(relay, now);
    if (now - relay->beat < 1)
        return;
    relay->beat = now;
    say(relay, RANKS_BEAT);
    for (unsigned rank = 1; rank < relay->ranks; rank++)
        if (now - relay->heard[rank] > ranks_patience())
            lose(relay, rank);
}

// Whoever waits for an answer waits for this thread: it looks often while there is something to do,
// and ever less often when there is not.
static void rest(struct ranks_relay *relay, unsigned seen, unsigned *idle) {
    enum { YIELDS = 20, LEAST = 20, MOST_BUSY = 150, MOST = 1000, LONG = 20000 };
    ++*idle;
    if (*idle < YIELDS)
        sched_yield();
    else
        ranks_channel_wait(relay->channel, RANKS_TO_BANKRUN, seen,
                           *idle > LONG                ? MOST
                           : *idle > MOST_BUSY - LEAST ? MOST_BUSY
                                                       : LEAST + *idle);
}

static void *run(void *context) {
    struct ranks_relay *relay = context;
    unsigned idle = 0;
    while (!atomic_load(&relay->ends)) {
        const unsigned seen = ranks_channel_moves(relay->channel, RANKS_TO_BANKRUN);
        bool moved = take_from_program(relay);
        moved |= take_from_ranks(relay);
        moved |= give_to_program(relay);
        beat(relay);
        if (moved)
            idle = 0;
        else
            rest(relay, seen, &idle);
    }
    while (take_from_program(relay)) // the report comes last
        continue;
    return NULL;
}

struct ranks_relay *ranks_relay_start(const struct ranks_mpi *mpi, unsigned ranks,
                                      struct ranks_channel *channel, const uint64_t *pids,
                                      void (*on_lost)(void *context, unsigned rank),
                                      void *context) {
    struct ranks_relay *relay = base_alloc(sizeof *relay);
    *relay = (struct ranks_relay){.mpi = mpi,
                                  .ranks = ranks,
                                  .channel = channel,
                                  .pids = pids,
                                  .on_lost = on_lost,
                                  .context = context};
    relay->heard = base_alloc((ranks + 1) * sizeof *relay->heard);
    for (unsigned rank = 0; rank < ranks; rank++)
        relay->heard[rank] = ranks_now();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(&relay->thread, NULL, run, relay) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started) {
        pthread_setname_np(relay->thread, POOL_THREADS "ranks");
        return relay;
    }
    free(relay->heard);
    free(relay);
    return NULL;
}

const struct strbuf *ranks_relay_report(struct ranks_relay *relay) {
    return relay->report.length ? &relay->report : NULL;
}

void ranks_relay_stop(struct ranks_relay *relay) {
    const struct timespec moment = {.tv_nsec = 1000 * 1000};
    atomic_store(&relay->ends, true);
    pthread_join(relay->thread, NULL);
    say(relay, RANKS_BYE);
    for (int i = 0; i < 1000 && !relay->has_lost && relay->mpi->pending(); i++)
        nanosleep(&moment, NULL);
    ranks_channel_end(relay->channel);
}
