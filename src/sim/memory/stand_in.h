// Pages that stand in for host memory which is gone, or which the system no longer lets be
// accessed, until the instruction that met it has ended. What was there is put aside and comes
// back: nothing of the program's is lost.
#ifndef BANKRUN_SIM_MEMORY_STAND_IN_H
#define BANKRUN_SIM_MEMORY_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_STAND_INS = 1024 }; // at a time: one bulk copy touches fewer pages

struct sim_stand_in {
    uint64_t page;
    void *aside;    // where the program's page lies meanwhile; NULL: there was none
    unsigned users; // threads that rely on it
};

struct sim_stand_ins { // of one address space
    int lock;          // spun for, as the handler of a signal may; atomic
    size_t page_bytes; // set by who makes it
    size_t count;
    struct sim_stand_in items[SIM_STAND_INS];
};

enum sim_stand_in_result {
    SIM_STAND_IN_NONE,   // the system does not allow that, or there are too many
    SIM_STAND_IN_THERE,  // until it is dropped
    SIM_STAND_IN_MAPPED, // the program itself has mapped something meanwhile
};

// Puts a page there that can be read and written, with what could be read of the program's.
// `is_gap`: nothing was mapped there. Async-signal-safe.
enum sim_stand_in_result sim_stand_in_take(struct sim_stand_ins *all, uint64_t page, bool is_gap);
// Once for each that is there.
void sim_stand_in_drop(struct sim_stand_ins *all, uint64_t page);

#endif
