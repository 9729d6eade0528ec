// Inside the race checker: what threads write to shared memory reaches asynchronous copies and
// wgmma, which go there by another proxy, only behind a fence of that proxy. Any thread that knows
// of the write may do it: who wrote, or who is behind a barrier after it.
#ifndef BANKRUN_CHECK_RACE_PROXY_H
#define BANKRUN_CHECK_RACE_PROXY_H

#include "check/race/shared_words.h"

struct race_domain;
struct race_block;

struct race_proxy {
    uint32_t start;   // stamps up to here are of domains before
    uint32_t *fenced; // of each thread: its accesses up to here are fenced; NULL: nobody's
    uint32_t *floor;  // of each block: all of its threads' up to here
};

void race_proxy_reset(struct race_domain *domain);
void race_proxy_free(struct race_proxy *proxy);
void race_proxy_fence(struct race_domain *domain, uint32_t warp_index, uint32_t mask);
// A read by the asynchronous proxy, before the words are changed.
void race_proxy_read(struct race_domain *domain, const struct race_block *block,
                     const struct shared_visit *visit, const struct event_access *event);

#endif
