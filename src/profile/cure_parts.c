// Tells the arrays in one block of shared memory apart. See cure_find.h.
#include <stdlib.h>

#include "profile/cure_find.h"

// Unrolled and inlined code has several instructions for one access of the source.
static bool is_same_place(const struct recorded_site *a, const struct recorded_site *b) {
    if (a->function != b->function)
        return false;
    const struct ir_function *function = a->function;
    const struct ptx_location *x = ir_location(function, a->site->location);
    const struct ptx_location *y = ir_location(function, b->site->location);
    for (uint32_t depth = 0; x && y && depth < function->location_count; depth++) {
        if (x->file != y->file || x->line != y->line || x->column != y->column)
            return false;
        x = ir_location(function, x->inlined_at);
        y = ir_location(function, y->inlined_at);
    }
    return a == b || (!x && !y && ir_location(function, a->site->location));
}

// Of each site, all that accesses from its place in the source touch.
static array_parts ranges_of(const asked_sites *sites) {
    array_parts ranges = {0};
    for (size_t i = 0; i < sites->length; i++) {
        struct array_part range = {sites->data[i].low, sites->data[i].high};
        for (size_t j = 0; j < sites->length; j++) {
            const struct asked_site *other = &sites->data[j];
            if (!is_same_place(sites->data[i].site, other->site))
                continue;
            range.first = other->low < range.first ? other->low : range.first;
            range.end = other->high > range.end ? other->high : range.end;
        }
        vec_push(&ranges, range);
    }
    return ranges;
}

static int by_first(const void *a, const void *b) {
    const struct array_part *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static uint64_t roundest(uint64_t from, uint64_t to) {
    uint64_t step = 1;
    while (to / (2 * step) * (2 * step) >= from && step <= to)
        step *= 2;
    return to / step * step;
}

// Joins what overlaps, in place.
static void join(array_parts *parts) {
    size_t kept = 0;
    qsort(parts->data, parts->length, sizeof *parts->data, by_first);
    for (size_t i = 0; i < parts->length; i++) {
        struct array_part *last = kept ? &parts->data[kept - 1] : NULL;
        if (last && parts->data[i].first < last->end)
            last->end = parts->data[i].end > last->end ? parts->data[i].end : last->end;
        else
            parts->data[kept++] = parts->data[i];
    }
    parts->length = kept;
}

void cure_split(asked_sites *sites, uint64_t bytes, array_parts *parts) {
    bool is_whole = true;
    for (size_t i = 0; i < sites->length; i++)
        is_whole &= sites->data[i].is_whole;
    *parts = is_whole ? ranges_of(sites) : (array_parts){0};
    if (is_whole)
        join(parts);
    else
        vec_push(parts, (struct array_part){0, bytes});
    for (size_t i = 0; i < parts->length; i++) {
        struct array_part *part = &parts->data[i];
        part->first = i ? roundest(parts->data[i - 1].end, part->first) : 0;
        if (i)
            parts->data[i - 1].end = part->first;
    }
    parts->data[parts->length - 1].end = bytes;
    for (size_t i = 0; i < sites->length; i++)
        while (sites->data[i].low >= parts->data[sites->data[i].part].end)
            sites->data[i].part++;
}
