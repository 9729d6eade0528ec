// What the program's host side allocated on devices, and what became of it.
#ifndef BANKRUN_CHECK_MEMORY_LEDGER_H
#define BANKRUN_CHECK_MEMORY_LEDGER_H

#include <stddef.h>
#include <stdint.h>

struct check_allocation {
    uint64_t address, bytes;
    uint64_t number;      // the program's number-th, from 1 on
    const char *call;     // that made it: "cudaMalloc"; not owned
    const char *freed_by; // NULL: it lives
    unsigned device;
};

struct check_ledger;

struct check_ledger *check_ledger_create(void);
void check_ledger_free(struct check_ledger *ledger); // NULL is fine

void check_ledger_add(struct check_ledger *ledger, const struct check_allocation *allocation);
// The living one that starts at the address was freed. Those freed last are remembered.
void check_ledger_remove(struct check_ledger *ledger, uint64_t address, const char *freed_by);

// Pointers are valid until the ledger changes. NULL: there is none.
// The living one that starts there.
const struct check_allocation *check_ledger_at(const struct check_ledger *ledger, uint64_t address);
// The living one that holds the address.
const struct check_allocation *check_ledger_around(const struct check_ledger *ledger,
                                                   uint64_t address);
// The one that held the address last and was freed.
const struct check_allocation *check_ledger_freed(const struct check_ledger *ledger,
                                                  uint64_t address);
// The living ones of a device, as they were allocated. The caller frees the array.
struct check_allocation *check_ledger_living(const struct check_ledger *ledger, unsigned device,
                                             size_t *count);

#endif
