// Inside the simulator: which bits of device memory nothing has defined, where launches track that.
//
// Beside the reserved range lies another one of the same length: for each byte of memory one whose
// bits are set where nothing has defined the memory's. For each piece of memory there is a state,
// so that what is defined, or undefined, as a whole takes nothing of it: allocations begin at
// multiples of a piece, and no two share one. What lies outside of the range counts as defined:
// memory of the host, and what the caller has mapped.
//
// Kernels on several threads may define bytes at once, as they may write them.
#ifndef BANKRUN_SIM_MEMORY_UNDEFINED_H
#define BANKRUN_SIM_MEMORY_UNDEFINED_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_PIECE_BYTES = 512 };

enum sim_piece {
    SIM_PIECE_UNDEFINED,
    SIM_PIECE_DEFINED,
    SIM_PIECE_MIXED,
    SIM_PIECE_BUSY,
    SIM_PIECE_SHARED, // with other processes: whatever is written there, it counts as defined
};

struct sim_undefined {
    uint64_t begin, bytes; // of the memory; 0 bytes: nothing is tracked
    uint8_t *bits, *pieces;
};

// Of a reserved range. Where the system grants no address space nothing is tracked.
void sim_undefined_create(struct sim_undefined *undefined, uint64_t begin, uint64_t bytes);
void sim_undefined_free(struct sim_undefined *undefined);

// An allocation begins: it holds nothing, or is defined.
void sim_undefined_begin(struct sim_undefined *undefined, uint64_t address, uint64_t bytes,
                         bool is_defined);
void sim_undefined_define(struct sim_undefined *undefined, uint64_t address, uint64_t bytes);
// Other processes may write the allocation from now on, until the next one begins there.
void sim_undefined_share(struct sim_undefined *undefined, uint64_t address, uint64_t bytes);
void sim_undefined_copy(struct sim_undefined *undefined, uint64_t to, uint64_t from,
                        uint64_t bytes);

// Whether any bit of these bytes is undefined.
bool sim_undefined_any(const struct sim_undefined *undefined, uint64_t address, uint64_t bytes);

// The bits of so many bytes, at most 8, which lie in one piece; the first byte is lowest.
uint64_t sim_undefined_get(const struct sim_undefined *undefined, uint64_t address, unsigned bytes);
void sim_undefined_set(struct sim_undefined *undefined, uint64_t address, unsigned bytes,
                       uint64_t bits);

static inline enum sim_piece sim_undefined_piece(const struct sim_undefined *undefined,
                                                 uint64_t address) {
    const uint64_t offset = address - undefined->begin;
    if (offset >= undefined->bytes)
        return SIM_PIECE_DEFINED;
    return (enum sim_piece)__atomic_load_n(&undefined->pieces[offset / SIM_PIECE_BYTES],
                                           __ATOMIC_ACQUIRE);
}

#endif
