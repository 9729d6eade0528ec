// Inside the spread: a launch of which ranks did not agree on some bytes of memory, once more.
#ifndef BANKRUN_SPREAD_WRITERS_H
#define BANKRUN_SPREAD_WRITERS_H

#include "run/launch.h"

// Runs it alone, as usual but that it is seen who writes them. Returns `failure` with two lines
// that do, or one, and a block of each: "...: k.cu:7 in block 0 and k.cu:9 in block 1"; alone where
// the PTX tells no lines. Caller frees.
char *spread_run_watched(const struct run_launch *launch, uint64_t address, unsigned bytes,
                         const char *failure, struct sim_result *result);

#endif
