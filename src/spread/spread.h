// Launches that are shared out over the ranks of a run: the program's process hands out blocks and
// runs its share of them, the others (spread/worker.h) run the rest. Either all of a launch that
// came from elsewhere is put in, or nothing of it: where anything is out of the ordinary - a fault,
// memory that the host sees, two ranks that disagree - all is undone, and the launch is run here
// alone, as it would have been without ranks.
#ifndef BANKRUN_SPREAD_SPREAD_H
#define BANKRUN_SPREAD_SPREAD_H

#include "ranks/channel.h"
#include "run/launch.h"

struct spread;

// Where device memory lies that several processes are to have at one address.
#define SPREAD_PLACE 0x100000000000ull

// Takes over the channel. `shares_all`: also launches that are not worth it.
struct spread *spread_create(struct ranks_channel *channel, bool shares_all);
const struct run_spread *spread_face(const struct spread *spread);
// In a handler of SIGSEGV: the access may be tried again. Async-signal-safe. Of the only one that
// there is in the process.
bool spread_fault(uint64_t address);
// Whether a launch may be shared out now, so that the handler must be there.
bool spread_is_ready(const struct spread *spread);
// The listing of machine code that the launch's module is counted by, which is borrowed; NULL:
// none.
void spread_listing(struct spread *spread, const char *listing);

#endif
