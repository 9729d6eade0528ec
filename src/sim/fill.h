// What memory holds that nobody has written: shared memory as a block begins, local memory as a
// call does, and what was allocated.
#ifndef BANKRUN_SIM_FILL_H
#define BANKRUN_SIM_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of one value that no type takes for a sensible number: as an int 2139062143, as a float
// 3.4e38, as a half a NaN, as a pointer no address of the host, as a bool true.
enum { SIM_FILL_BYTE = 0x7f };

enum sim_fill_kind { SIM_FILL_PATTERN, SIM_FILL_ZERO, SIM_FILL_RANDOM };

struct sim_fill {
    enum sim_fill_kind kind;
    uint64_t seed; // RANDOM
};

// "zero", "pattern", "random" or "random:SEED". False: none of these.
bool sim_fill_parse(const char *text, struct sim_fill *fill);

// Random bytes follow from the seed and the salt alone.
void sim_fill_bytes(const struct sim_fill *fill, uint64_t salt, void *at, size_t bytes);

#endif
