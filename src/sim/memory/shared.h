// Inside the simulator: allocations that lie in a file, for other processes.
//
// There is one file, in which each byte lies as far from the begin as in the reserved range: so
// allocations that share a page do so in other processes, too. It has no more than the pages of
// such allocations. Host memory shares no page with device memory (memory.h): it stays private.
#ifndef BANKRUN_SIM_MEMORY_SHARED_H
#define BANKRUN_SIM_MEMORY_SHARED_H

#include "base/unnamed.h"
#include "sim/sim.h"

struct sim_space;

struct sim_shared { // zeroed: nothing is
    struct unnamed_file file;
    uint8_t *pages; // a bit for each page of the reserved range: it lies in the file
};

// The allocation was freed: pages that it alone has are private again, and hold zeros. The space's
// lock is held.
void sim_shared_end(struct sim_space *space, const struct sim_allocation *old);
// All pages in which the bytes lie are private from now on, and hold zeros: nothing is there. The
// lock is held.
void sim_shared_clear(struct sim_space *space, uint64_t address, uint64_t bytes);
void sim_shared_free(struct sim_space *space);

#endif
