// Whether the shared memory of a kernel is free of races: between two barriers no two threads of a
// block access the same bytes, one of them writing. docs/proofs.md has the argument.
#ifndef BANKRUN_PROVE_RACES_H
#define BANKRUN_PROVE_RACES_H

#include "prove/prove.h"

enum prove_freedom {
    PROVE_FREE,     // of races: in every block, for every input
    PROVE_RACE,     // these two threads race in every block, whatever the input is
    PROVE_NOT_FREE, // not proved: `why`
};

// One of two accesses that may meet.
struct prove_race_side {
    const struct ir_function *function; // NULL: there are no two accesses
    uint32_t instruction;
    uint32_t
        thread; // of the block; RACE: it is this one, else one for which nothing speaks against it
    bool is_write;
};

struct prove_races {
    enum prove_freedom freedom;
    bool has_shared; // the kernel accesses shared memory at all
    struct prove_race_side sides[2];
    const char *why; // NOT_FREE; static
    // What `why` is about: an instruction, that is not one of the two.
    const struct ir_function *function; // NULL: no instruction
    uint32_t instruction;
    uint64_t steps; // instructions that were looked at
};

// Never fails.
struct prove_races prove_races(const struct ir_function *kernel, const struct prove_launch *launch);

#endif
