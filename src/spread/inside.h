// Inside spread: what the thread that launches shares with the one that hears what others say.
#ifndef BANKRUN_SPREAD_INSIDE_H
#define BANKRUN_SPREAD_INSIDE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ranks/channel.h"
#include "ranks/pages.h"
#include "spread/deal.h"
#include "spread/spread.h"

struct body { // of a message
    char *bytes;
    size_t length;
};

struct request {
    struct ranks_message head;
    struct body body;
};

struct rank {
    bool has_ended, has_asked;
    uint64_t blocks, instructions, thread_instructions, barriers; // of this launch
    struct strbuf counted;
    VEC(struct body) wrote; // as they came
    size_t merged;          // how many of them are put in; of the thread that launches
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
    VEC(struct request) needs; // of that thread: pages that were asked for
    size_t first_need;
    struct pool *mergers; // of the thread that launches
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

void spread_post(struct spread *spread, enum ranks_kind kind, unsigned rank, const void *bytes,
                 size_t length);
void spread_post_all(struct spread *spread, enum ranks_kind kind, const struct strbuf *body);

// merge.c. Until all have ended and what they wrote is there, or something is wrong. The blocks of
// this process have ended: nobody else writes.
void spread_wait_and_merge(struct spread *spread, const struct run_launch *launch,
                           const struct ranks_merge *merge);
bool spread_have_ended(const struct spread *spread); // lock held

// serve.c. `lock` held, but for the last three.
void spread_fail(struct spread *spread, const char *why);
uint64_t spread_chunk(struct spread *spread, unsigned rank, uint64_t *first);
bool spread_take_own(void *context, uint64_t *cluster);
void spread_stop_giving(struct spread *spread);
bool spread_start_serving(struct spread *spread);

#endif
