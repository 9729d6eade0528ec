// Inside the simulator: device memory laid out as a GPU lays it out, for launches that go on after
// accesses beyond an allocation that a GPU would let pass.
//
// Measured on an H200 (driver 580, CUDA 13.0): an allocation takes a multiple of 512 bytes. Those
// of at most 1 MiB follow each other in pages of 2 MiB, larger ones have pages of their own.
// Whatever lies in a page in which something is allocated can be read and written: what was never
// written is 0, what is freed keeps its bytes until the page goes. Here no two kinds of memory and
// no two devices share a page, and behind each run of pages lies one that nobody has.
//
// All pages are part of the reserved range, so that such an access never leaves it.
#ifndef BANKRUN_SIM_MEMORY_PAGES_H
#define BANKRUN_SIM_MEMORY_PAGES_H

#include "sim/memory/memory.h"

enum { SIM_PAGE_BYTES = 2 << 20, SIM_PAGE_SLOT = 512, SIM_PAGE_SMALL = 1 << 20 };

// Before anything is allocated. NULL: nothing could be reserved.
struct sim_pages *sim_pages_create(struct sim_space *space);
void sim_pages_free(struct sim_pages *pages); // NULL is allowed

// A place for an allocation, whose bytes are 0; 0: there is none. The space's lock is held for
// both.
uint64_t sim_pages_take(struct sim_pages *pages, const struct sim_allocation *wanted);
void sim_pages_give_back(struct sim_pages *pages, const struct sim_allocation *old);

// Whether a GPU lets the device access all of [address, address + bytes), which is in no
// allocation, or not as a whole.
bool sim_pages_let_pass(struct sim_memory *memory, uint64_t address, uint64_t bytes, bool write);

#endif
