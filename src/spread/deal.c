#include "spread/deal.h"

// A piece is no shorter than this part of what a thread gets: asking for it takes some time.
enum { PIECES = 128 };

static uint64_t threads_of(const struct deal *deal, unsigned rank) {
    const unsigned own = deal->shares[rank].threads, first = deal->shares[0].threads;
    return own ? own : first ? first : 1;
}

void deal_begin(struct deal *deal, uint64_t clusters) {
    uint64_t all = 0, before = 0, begin = 0;
    for (unsigned r = 0; r < deal->ranks; r++)
        all += threads_of(deal, r);
    for (unsigned r = 0; r < deal->ranks; r++) {
        before += threads_of(deal, r);
        const uint64_t end = clusters / all * before + clusters % all * before / all;
        deal->shares[r].next = begin;
        deal->shares[r].end = begin = end;
    }
    deal->least = clusters / (all * PIECES);
    if (!deal->least)
        deal->least = 1;
}

static uint64_t left_of(const struct deal_share *share) {
    return share->end - share->next;
}

static struct deal_share *richest(const struct deal *deal) {
    struct deal_share *most = &deal->shares[0];
    for (unsigned r = 1; r < deal->ranks; r++)
        if (left_of(&deal->shares[r]) > left_of(most))
            most = &deal->shares[r];
    return most;
}

// A part of what there is, so that little is left to wait for at the end: what a rank has taken
// nobody else can run, however slow it is.
static uint64_t piece(const struct deal *deal, const struct deal_share *share) {
    enum { PART = 4 };
    const uint64_t left = left_of(share), part = left / PART;
    return part >= deal->least ? part : left < deal->least ? left : deal->least;
}

uint64_t deal_take(struct deal *deal, unsigned rank, uint64_t *first) {
    struct deal_share *own = &deal->shares[rank], *other;
    uint64_t count;
    if (left_of(own)) {
        count = piece(deal, own);
        *first = own->next;
        own->next += count;
        return count;
    }
    other = richest(deal);
    count = piece(deal, other);
    other->end -= count;
    *first = other->end;
    return count;
}
