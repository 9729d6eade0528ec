// The checkers: what is wrong with a launch whatever its results are. Each is an observer of its
// events, and what they find becomes part of the profile.
#ifndef BANKRUN_CHECK_CHECK_H
#define BANKRUN_CHECK_CHECK_H

#include "event/event.h"
#include "ir/ir.h"
#include "profile/finding.h"

// What lies at an address of global memory, for words about it.
struct check_memory {
    uint64_t address, bytes;
    const char *name; // of a variable; NULL: an allocation
};

// Borrowed until check_end.
struct check_launch {
    const struct ir_function *kernel;
    const struct ir_shared_layout *layout;
    uint32_t grid[3], block[3], cluster[3]; // cluster: 1, 1, 1 where there is none
    uint32_t dynamic_shared_bytes;
    unsigned workers; // upper bound of worker numbers
    // Blocks may see how far others are. Where races are looked for all of them run on one worker
    // then, one after the other unless they wait for each other.
    bool is_ordered;
    bool tracks_undefined; // it is known what of global memory nothing has defined
    // False: nothing is known there. May be asked until check_end has returned.
    bool (*find_memory)(void *context, uint64_t address, struct check_memory *found);
    void *context;
};

// Where an instruction, counted as in events, stands in the source: all but role and thread. The
// caller frees the function's name and the instruction's; the file is the kernel's.
void check_find_instruction(const struct ir_function *kernel, uint32_t number,
                            struct profile_place *place);

struct check;

enum { CHECK_MOST_OBSERVERS = PROFILE_CHECKS };

// `checks`: profile_check_bit. NULL: no checker of these looks at launches.
struct check *check_begin(uint32_t checks, const struct check_launch *launch);
// Their number; they are valid until check_end.
unsigned check_observers(const struct check *check,
                         const struct event_observer *observers[CHECK_MOST_OBSERVERS]);
// All findings, by place in the source: the same for any number of workers. The caller's. NULL is
// allowed.
struct profile_findings check_end(struct check *check);

#endif
