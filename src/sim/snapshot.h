// What a device was at one moment: what the memory held that its kernels may change, which is that
// of its allocations and host memory that was made known to it.
#ifndef BANKRUN_SIM_SNAPSHOT_H
#define BANKRUN_SIM_SNAPSHOT_H

#include "sim/sim.h"

struct sim_snapshot;

// Pages that nothing was written to since they were allocated cost nothing. NULL: there is no
// memory for it, or some of the host's cannot be read any more. Free with sim_snapshot_free.
struct sim_snapshot *sim_snapshot_take(struct sim *sim);
void sim_snapshot_free(struct sim_snapshot *shot); // NULL is allowed

// Whether the same allocations are there as when it was taken.
bool sim_snapshot_fits(const struct sim_snapshot *shot);
// The first byte that differs from what memory holds, of the first allocation that begins behind
// `behind` and has such a byte; 0: none has. It fits.
uint64_t sim_snapshot_next_difference(const struct sim_snapshot *shot, uint64_t behind);
// Memory holds the same again; the next allocation is made where it would have been, and the
// device's timer and the number of the next launch are what they were. It fits.
void sim_snapshot_put_back(const struct sim_snapshot *shot);
// What it has of the bytes from `address` on, up to the end of a page of 4 KB or of the allocation.
// Returns how many.
size_t sim_snapshot_read(const struct sim_snapshot *shot, uint64_t address, size_t bytes,
                         void *out);

#endif
