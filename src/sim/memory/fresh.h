// Inside the simulator: what allocated memory holds before anybody writes it.
//
// Small allocations are filled, and so are the first large ones. Of those beyond all whole pages
// are mapped, again and again, onto one short file that holds what is to be read, and become memory
// of their own when they are written: what a program allocates and never touches costs nothing. A
// page that is copied when it is written takes several times as long as a new one, so where the
// host is about to write large parts as a whole they stop being mapped (sim_fresh_overwrite).
#ifndef BANKRUN_SIM_MEMORY_FRESH_H
#define BANKRUN_SIM_MEMORY_FRESH_H

#include <stdbool.h>

#include "base/pool.h"
#include "base/unnamed.h"
#include "base/vec.h"
#include "sim/fill.h"

struct sim_range {
    uint64_t address, bytes;
};

struct sim_fresh {
    struct sim_fill fill;
    struct unnamed_file file;     // all of its bytes are written
    uint64_t written;             // bytes of large allocations that were filled
    VEC(struct sim_range) mapped; // what is to be stopped, in no order
};

// Fills memory that reads as zeros, part of a private mapping without a file. What random bytes it
// gets depends on `salt` where it is filled, on the address where it is mapped. One thread at a
// time, for each sim_fresh.
// `pool`: nobody else uses it meanwhile; NULL: there is none.
void sim_fresh_fill(struct sim_fresh *fresh, struct pool *pool, uint64_t salt, uint64_t address,
                    uint64_t bytes);
// The bytes were filled and lie where nobody else maps anything. `sim_fresh_forget`: they were
// freed.
void sim_fresh_track(struct sim_fresh *fresh, uint64_t address, uint64_t bytes);
void sim_fresh_forget(struct sim_fresh *fresh, uint64_t address, uint64_t bytes);
// All of the bytes will be written before anybody reads them. What is tracked of them becomes new
// memory, as far as it is whole pages and worth it. Returns one piece of them that reads as zeros
// now, 0 bytes: none does. One thread at a time.
struct sim_range sim_fresh_overwrite(struct sim_fresh *fresh, uint64_t address, uint64_t bytes);
// Makes whole pages read as zeros again, and gives them back to the system. False: it cannot be.
bool sim_fresh_drop(uint64_t address, uint64_t bytes);
void sim_fresh_free(struct sim_fresh *fresh);

#endif
