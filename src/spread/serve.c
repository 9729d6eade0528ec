#define _GNU_SOURCE // pthread_setname_np
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "ranks/relay.h"
#include "spread/inside.h"

// ---- Messages -----------------------------------------------------------------------------------

void spread_post(struct spread *spread, enum ranks_kind kind, unsigned rank, const void *bytes,
                 size_t length) {
    const struct ranks_message head = {
        .kind = kind, .rank = rank, .launch = spread->number, .length = length};
    pthread_mutex_lock(&spread->sending);
    if (ranks_channel_send(spread->channel, RANKS_TO_BANKRUN, &head, sizeof head) && length)
        ranks_channel_send(spread->channel, RANKS_TO_BANKRUN, bytes, length);
    spread->rank[rank].sent += sizeof head + length;
    pthread_mutex_unlock(&spread->sending);
}

void spread_post_all(struct spread *spread, enum ranks_kind kind, const struct strbuf *body) {
    for (unsigned rank = 1; rank < spread->ranks; rank++)
        spread_post(spread, kind, rank, body ? body->data : NULL, body ? body->length : 0);
}

void spread_fail(struct spread *spread, const char *why) {
    if (!spread->has_failed)
        spread->failure = why;
    spread->has_failed = true;
}

// ---- Blocks -------------------------------------------------------------------------------------

uint64_t spread_chunk(struct spread *spread, unsigned rank, uint64_t *first) {
    *first = 0;
    return spread->has_failed ? 0 : deal_take(&spread->deal, rank, first);
}

static bool all_have_asked(const struct spread *spread) {
    for (unsigned r = 1; r < spread->ranks; r++)
        if (!spread->rank[r].has_asked && !spread->rank[r].has_ended)
            return false;
    return true;
}

bool spread_take_own(void *context, uint64_t *cluster) {
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
        const uint64_t count = spread_chunk(spread, 0, &first);
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
    part[1] = spread_chunk(spread, rank, &part[0]);
    spread->rank[rank].has_asked = true;
    pthread_cond_broadcast(&spread->changed);
    pthread_mutex_unlock(&spread->lock);
    spread_post(spread, RANKS_CHUNK, rank, part, sizeof part);
}

// ---- What the others say ------------------------------------------------------------------------

// Lock held. Whether it is about the launch under way.
static bool is_now(const struct spread *spread, const struct ranks_message *head) {
    return spread->is_running && head->launch == spread->number && head->rank > 0 &&
           head->rank < spread->ranks;
}

// Not where the launch has ended meanwhile, and pages are not what they were when it began.
static void give_pages(struct spread *spread, const struct ranks_message *head,
                       struct ranks_reader *in) {
    struct strbuf *out = &spread->pages;
    pthread_mutex_lock(&spread->giving);
    pthread_mutex_lock(&spread->lock);
    const bool is_wanted = is_now(spread, head);
    pthread_mutex_unlock(&spread->lock);
    if (is_wanted) {
        out->length = 0;
        ranks_home_pages(spread->home, in, out);
        spread_post(spread, RANKS_PAGES, head->rank, out->data, out->length);
    }
    pthread_mutex_unlock(&spread->giving);
}

void spread_stop_giving(struct spread *spread) {
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
        spread_fail(spread,
                    "a block on another rank faulted, or touched memory that the host sees");
    rank->counted.length = 0;
    strbuf_append(&rank->counted, in->at, (size_t)(in->end - in->at));
}

// Lock held. Of the launch under way. True: the bytes are taken over.
static bool note(struct spread *spread, const struct ranks_message *head, char *bytes,
                 struct ranks_reader *in) {
    struct rank *rank = &spread->rank[head->rank];
    if (head->kind == RANKS_ENDED)
        note_end(spread, rank, in);
    else if (head->kind == RANKS_WROTE)
        vec_push(&rank->wrote, (struct body){bytes, (size_t)head->length});
    pthread_cond_broadcast(&spread->changed);
    return head->kind == RANKS_WROTE;
}

static void handle(struct spread *spread, const struct ranks_message *head, char *bytes) {
    struct ranks_reader in = ranks_read(bytes, (size_t)head->length);
    bool is_taken = false;
    pthread_mutex_lock(&spread->lock);
    if (head->kind == RANKS_LOST) {
        spread->is_lost = true;
        spread_fail(spread, "a rank was lost");
        pthread_cond_broadcast(&spread->changed);
    }
    const bool is_known = is_now(spread, head);
    if (is_known)
        spread->rank[head->rank].received += sizeof *head + head->length;
    if (is_known && head->kind != RANKS_TAKE && head->kind != RANKS_NEED)
        is_taken = note(spread, head, bytes, &in);
    pthread_mutex_unlock(&spread->lock);
    if (is_known && head->kind == RANKS_TAKE)
        give_chunk(spread, head->rank, &in);
    if (is_known && head->kind == RANKS_NEED) {
        vec_push(&spread->needs, (struct request){*head, {bytes, (size_t)head->length}});
        is_taken = true;
    }
    if (!is_taken)
        free(bytes);
}

// False: there are no more.
static bool give_next(struct spread *spread) {
    if (spread->first_need == spread->needs.length) {
        spread->first_need = spread->needs.length = 0;
        return false;
    }
    const struct request *request = &spread->needs.data[spread->first_need++];
    struct ranks_reader in = ranks_read(request->body.bytes, request->body.length);
    give_pages(spread, &request->head, &in);
    free(request->body.bytes);
    return true;
}

// False: nobody says anything any more.
static bool receive(struct spread *spread) {
    struct ranks_message head;
    if (!ranks_channel_receive(spread->channel, RANKS_TO_PROGRAM, &head, sizeof head))
        return false;
    char *bytes = malloc((size_t)head.length + 1); // large, and written at once
    if (!bytes)
        base_out_of_memory((size_t)head.length);
    const bool is_whole =
        ranks_channel_receive(spread->channel, RANKS_TO_PROGRAM, bytes, (size_t)head.length);
    if (is_whole)
        handle(spread, &head, bytes);
    else
        free(bytes);
    return is_whole;
}

// Pages take a while, and who wants blocks stands still until it has some: they come last.
static void *serve(void *context) {
    struct spread *spread = context;
    const struct ranks_message lost = {.kind = RANKS_LOST};
    bool goes_on = true;
    while (goes_on) {
        const bool is_said = ranks_channel_waiting(spread->channel, RANKS_TO_PROGRAM) > 0;
        if (is_said || !give_next(spread))
            goes_on = receive(spread);
    }
    while (give_next(spread))
        continue;
    handle(spread, &lost, NULL);
    return NULL;
}

bool spread_start_serving(struct spread *spread) {
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
