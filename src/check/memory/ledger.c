#include "check/memory/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { REMEMBERED = 4096 }; // freed ones

struct check_ledger {
    VEC(struct check_allocation) living;       // by address
    struct check_allocation freed[REMEMBERED]; // a ring
    uint64_t freed_count, made;
};

struct check_ledger *check_ledger_create(void) {
    return base_alloc(sizeof(struct check_ledger));
}

void check_ledger_free(struct check_ledger *ledger) {
    if (ledger)
        vec_free(&ledger->living);
    free(ledger);
}

// Index of the first living one that starts above the address.
static size_t first_above(const struct check_ledger *ledger, uint64_t address) {
    size_t low = 0, high = ledger->living.length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ledger->living.data[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void check_ledger_add(struct check_ledger *ledger, const struct check_allocation *allocation) {
    const size_t at = first_above(ledger, allocation->address);
    vec_push(&ledger->living, *allocation);
    memmove(&ledger->living.data[at + 1], &ledger->living.data[at],
            (ledger->living.length - 1 - at) * sizeof *allocation);
    ledger->living.data[at] = *allocation;
    ledger->living.data[at].number = ++ledger->made;
}

static struct check_allocation *find(const struct check_ledger *ledger, uint64_t address) {
    const size_t above = first_above(ledger, address);
    return above ? &ledger->living.data[above - 1] : NULL;
}

void check_ledger_remove(struct check_ledger *ledger, uint64_t address, const char *freed_by) {
    struct check_allocation *found = find(ledger, address);
    if (!found || found->address != address)
        return;
    found->freed_by = freed_by;
    ledger->freed[ledger->freed_count++ % REMEMBERED] = *found;
    const size_t at = (size_t)(found - ledger->living.data);
    memmove(found, found + 1, (--ledger->living.length - at) * sizeof *found);
}

const struct check_allocation *check_ledger_at(const struct check_ledger *ledger,
                                               uint64_t address) {
    const struct check_allocation *found = find(ledger, address);
    return found && found->address == address ? found : NULL;
}

const struct check_allocation *check_ledger_around(const struct check_ledger *ledger,
                                                   uint64_t address) {
    const struct check_allocation *found = find(ledger, address);
    return found && address - found->address < found->bytes ? found : NULL;
}

const struct check_allocation *check_ledger_freed(const struct check_ledger *ledger,
                                                  uint64_t address) {
    const uint64_t kept = ledger->freed_count < REMEMBERED ? ledger->freed_count : REMEMBERED;
    for (uint64_t back = 1; back <= kept; back++) {
        const struct check_allocation *freed =
            &ledger->freed[(ledger->freed_count - back) % REMEMBERED];
        if (address - freed->address < freed->bytes)
            return freed;
    }
    return NULL;
}

static int by_number(const void *a, const void *b) {
    const struct check_allocation *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

struct check_allocation *check_ledger_living(const struct check_ledger *ledger, unsigned device,
                                             size_t *count) {
    struct check_allocation *list = base_alloc((ledger->living.length + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < ledger->living.length; i++)
        if (ledger->living.data[i].device == device)
            list[(*count)++] = ledger->living.data[i];
    qsort(list, *count, sizeof *list, by_number);
    return list;
}
