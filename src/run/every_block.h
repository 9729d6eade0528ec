// Inside run: which blocks of a launch do the same, so that one of them can stand for all.
#ifndef BANKRUN_RUN_EVERY_BLOCK_H
#define BANKRUN_RUN_EVERY_BLOCK_H

#include "base/vec.h"
#include "run/launch.h"

struct run_every_block {
    bool is_kept;               // for later launches, which are alike
    bool is_asked;              // --blocks auto
    VEC(struct sim_pick) picks; // in ascending order; none: all blocks are run
    VEC(uint64_t) pieces;       // for how many blocks each stands
    bool has_other_work;        // blocks may execute other instructions than those that stand for
                                // them
    bool has_any_other_sectors; // of any site
    bool *has_other_sectors;    // of each site of the kernel: and take other sectors. NULL: none
    bool is_open;               // what shared memory does may depend on what memory holds
    char *why;                  // all blocks are run; NULL: nothing to say
};

// Where all blocks of the grid make the same requests to shared memory, one; where those at its
// borders make others, one of each kind. Looks at nothing unless that is asked for. Free with
// run_every_block_free.
void run_every_block_find(struct run_every_block *every, const struct run_launch *launch);
// Inside of that: why nothing can be said of this launch, whatever it does; false: there is
// nothing. And the search itself.
bool run_every_block_refuse(struct run_every_block *every, const struct run_launch *launch);
void run_every_block_search(struct run_every_block *every, const struct run_launch *launch);
void run_every_block_free(struct run_every_block *every);

#endif
