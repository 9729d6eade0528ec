#include "check/stream/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

typedef const struct check_piece piece;

void check_footprint_add(struct check_footprint *footprint, enum check_touch touch, uint64_t begin,
                         uint64_t end) {
    size_t length = footprint->pieces[touch].length;
    struct check_piece *last = length ? &footprint->pieces[touch].data[length - 1] : NULL;
    if (begin >= end)
        return;
    if (last && !last->bits && last->end == begin)
        last->end = end;
    else
        vec_push(&footprint->pieces[touch], (struct check_piece){begin, end, NULL});
}

// The first bit of this value at or behind a place; CHECK_PAGE: none.
static unsigned find_bit(const uint64_t *bits, unsigned from, bool value) {
    while (from < CHECK_PAGE) {
        uint64_t word = (value ? bits[from / 64] : ~bits[from / 64]) >> from % 64;
        if (word)
            return from + (unsigned)__builtin_ctzll(word);
        from = (from / 64 + 1) * 64;
    }
    return CHECK_PAGE;
}

// A page with one run of bytes needs no bitmap.
void check_footprint_add_page(struct check_footprint *footprint, enum check_touch touch,
                              uint64_t page, const uint64_t bits[CHECK_PAGE_WORDS]) {
    const unsigned first = find_bit(bits, 0, true), end = find_bit(bits, first, false);
    if (find_bit(bits, end, true) == CHECK_PAGE) {
        check_footprint_add(footprint, touch, page + first, page + end);
        return;
    }
    uint64_t *copy = base_alloc(CHECK_PAGE / 8);
    memcpy(copy, bits, CHECK_PAGE / 8);
    vec_push(&footprint->pieces[touch], (struct check_piece){page, page + CHECK_PAGE, copy});
}

static int by_begin(const void *a, const void *b) {
    const struct check_piece *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void sort_pieces(struct check_piece *pieces, size_t *length) {
    size_t kept = 0;
    qsort(pieces, *length, sizeof *pieces, by_begin);
    for (size_t i = 1; i < *length; i++)
        if (pieces[i].begin > pieces[kept].end)
            pieces[++kept] = pieces[i];
        else if (pieces[i].end > pieces[kept].end)
            pieces[kept].end = pieces[i].end;
    *length = *length ? kept + 1 : 0;
}

void check_footprint_sort(struct check_footprint *footprint) {
    for (int touch = 0; touch < CHECK_TOUCHES; touch++)
        if (footprint->pieces[touch].length > 1)
            sort_pieces(footprint->pieces[touch].data, &footprint->pieces[touch].length);
}

bool check_footprint_is_empty(const struct check_footprint *footprint) {
    for (int touch = 0; touch < CHECK_TOUCHES; touch++)
        if (footprint->pieces[touch].length)
            return false;
    return true;
}

static bool is_same(piece *a, piece *b) {
    if (a->begin != b->begin || a->end != b->end || !a->bits != !b->bits)
        return false;
    return !a->bits || memcmp(a->bits, b->bits, CHECK_PAGE / 8) == 0;
}

bool check_footprint_equals(const struct check_footprint *a, const struct check_footprint *b) {
    for (int touch = 0; touch < CHECK_TOUCHES; touch++) {
        if (a->pieces[touch].length != b->pieces[touch].length)
            return false;
        for (size_t i = 0; i < a->pieces[touch].length; i++)
            if (!is_same(&a->pieces[touch].data[i], &b->pieces[touch].data[i]))
                return false;
    }
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t check_footprint_hash(const struct check_footprint *footprint) {
    uint64_t hash = 0;
    for (int touch = 0; touch < CHECK_TOUCHES; touch++)
        for (size_t i = 0; i < footprint->pieces[touch].length; i++) {
            piece *p = &footprint->pieces[touch].data[i];
            hash = mix(mix(mix(hash, (uint64_t)touch), p->begin), p->end);
            for (unsigned w = 0; p->bits && w < CHECK_PAGE_WORDS; w++)
                hash = mix(hash, p->bits[w]);
        }
    return hash;
}

void check_footprint_free(struct check_footprint *footprint) {
    for (int touch = 0; touch < CHECK_TOUCHES; touch++) {
        for (size_t i = 0; i < footprint->pieces[touch].length; i++)
            free((void *)(uintptr_t)footprint->pieces[touch].data[i].bits);
        vec_free(&footprint->pieces[touch]);
    }
}

// ---- What two have in common ------------------------------------------------------------------

// The bits of the 64 bytes at an address, which is a multiple of 64, that a piece holds.
static uint64_t word_of(piece *p, uint64_t address) {
    if (p->bits)
        return p->bits[(address - p->begin) / 64];
    uint64_t bits = UINT64_MAX;
    if (p->begin > address)
        bits &= UINT64_MAX << (p->begin - address);
    if (p->end < address + 64)
        bits &= UINT64_MAX >> (address + 64 - p->end);
    return bits;
}

static void note(struct check_overlap *overlap, uint64_t first, uint64_t last, uint64_t bytes) {
    if (!overlap->bytes || first < overlap->first)
        overlap->first = first;
    if (!overlap->bytes || last > overlap->last)
        overlap->last = last;
    overlap->bytes += bytes;
}

static void meet_pieces(piece *a, piece *b, struct check_overlap *overlap) {
    const uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
    const uint64_t end = a->end < b->end ? a->end : b->end;
    if (begin >= end)
        return;
    if (!a->bits && !b->bits) {
        note(overlap, begin, end - 1, end - begin);
        return;
    }
    for (uint64_t at = begin / 64 * 64; at < end; at += 64) {
        const uint64_t both = word_of(a, at) & word_of(b, at);
        if (both)
            note(overlap, at + (unsigned)__builtin_ctzll(both),
                 at + 63 - (unsigned)__builtin_clzll(both), (unsigned)__builtin_popcountll(both));
    }
}

// The first piece that ends behind the address.
static size_t first_behind(piece *pieces, size_t length, uint64_t address) {
    size_t low = 0;
    while (low < length) {
        const size_t middle = low + (length - low) / 2;
        if (pieces[middle].end <= address)
            low = middle + 1;
        else
            length = middle;
    }
    return low;
}

static struct check_overlap meet(const struct check_footprint *a, enum check_touch a_touch,
                                 const struct check_footprint *b, enum check_touch b_touch) {
    struct check_overlap overlap = {.a = a_touch, .b = b_touch};
    const size_t a_length = a->pieces[a_touch].length, b_length = b->pieces[b_touch].length;
    if (!a_length || !b_length)
        return overlap;
    piece *x = a->pieces[a_touch].data, *y = b->pieces[b_touch].data;
    size_t i = first_behind(x, a_length, y->begin), j = 0;
    if (i < a_length)
        j = first_behind(y, b_length, x[i].begin);
    while (i < a_length && j < b_length) {
        meet_pieces(&x[i], &y[j], &overlap);
        if (x[i].end <= y[j].end)
            i++;
        else
            j++;
    }
    return overlap;
}

static bool is_strong(enum check_touch touch) {
    return touch >= CHECK_STRONG_READ;
}

static bool writes(enum check_touch touch) {
    return touch == CHECK_WRITE || touch == CHECK_STRONG_WRITE;
}

// A byte may be touched in several ways: the most frequent pair of them counts.
static void add_pair(struct check_overlap *all, const struct check_overlap *pair) {
    if (!pair->bytes)
        return;
    if (!all->bytes || pair->first < all->first) {
        all->first = pair->first;
        all->a = pair->a;
        all->b = pair->b;
    }
    if (pair->last > all->last)
        all->last = pair->last;
    if (pair->bytes > all->bytes)
        all->bytes = pair->bytes;
}

struct check_overlap check_footprint_conflict(const struct check_footprint *a,
                                              const struct check_footprint *b) {
    struct check_overlap all = {0};
    for (int x = 0; x < CHECK_TOUCHES; x++)
        for (int y = 0; y < CHECK_TOUCHES; y++)
            if ((writes(x) || writes(y)) && !(is_strong(x) && is_strong(y))) {
                const struct check_overlap pair = meet(a, x, b, y);
                add_pair(&all, &pair);
            }
    return all;
}

bool check_footprint_meets(const struct check_footprint *a, const struct check_footprint *b) {
    return meet(a, CHECK_STRONG_WRITE, b, CHECK_STRONG_READ).bytes ||
           meet(a, CHECK_STRONG_WRITE, b, CHECK_STRONG_WRITE).bytes;
}
