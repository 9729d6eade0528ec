// Proofs: what holds of a kernel's accesses to shared memory for every block, every round of a loop
// and every input. docs/proofs.md has the argument.
#ifndef BANKRUN_PROVE_PROVE_H
#define BANKRUN_PROVE_PROVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

enum { PROVE_RESIDUES = 32, PROVE_MAX_DEGREE = 64, PROVE_ROUNDS = 16 };

// For which launches the proof shall hold.
struct prove_launch {
    unsigned arch;     // compute capability, 90 for 9.0
    uint32_t block[3]; // threads
    // Optional: a grid, and the bytes of the parameters. Without them it holds for all.
    bool has_grid;
    uint32_t grid[3];
    const uint8_t *parameters;
    uint64_t parameter_bytes;
    bool has_dynamic; // the bytes of dynamic shared memory are known
    uint64_t dynamic_bytes;
    bool is_width_open; // the kernel reads any blockDim.x, whatever the threads are that there are
    bool wants_bounds;  // where accesses lie, too: `bounds` and `alignment` of sites
    bool wants_conditions; // look for conditions on parameters; takes many proofs
    uint64_t most_steps;   // instructions that are looked at, of all warps together; 0: many
    // The kernel's: so that its module is not written to, and several threads may ask for proofs of
    // it at once. NULL: it is made, in the module's arena.
    const struct ir_shared_layout *layout;
    // Asks whether all blocks from `first` to `last` of the grid do the same; see prove_blocks.
    bool asks_blocks;
    uint32_t first[3], last[3];
};

enum prove_verdict {
    PROVE_NOT_REACHED, // no warp comes there
    PROVE_EXACT,   // every request takes what is in `degrees`, each of which some warp or round has
    PROVE_FULL,    // of every request in which all lanes take part that may; no other takes more
    PROVE_DEPENDS, // on one number that is the same for all lanes: `residues`
    PROVE_BOUNDED, // no request takes more
    PROVE_OBSERVED, // nothing is known but that it can be as bad as such an access can be: `why`
};

// A parameter of the kernel, as a signed number of 4 or 8 bytes, is at most this.
struct prove_assumption {
    uint64_t offset; // in the kernel's parameters
    unsigned bytes;
    bool may_be_negative; // else it is from 0 on
    uint64_t most;
};
enum { PROVE_PARAMETERS = 3 };

// Whether accesses stay inside of the array that they are made to, or begin at a multiple of their
// width.
enum prove_fit {
    PROVE_FIT_NONE,    // no warp comes there
    PROVE_FITS,        // every access does
    PROVE_FITS_IF,     // every access does of launches for which `condition` holds
    PROVE_FIT_UNKNOWN, // nothing is known, and `what` says why
    PROVE_MISFITS,     // an access of `thread` does not
};

struct prove_bounds {
    enum prove_fit fit;
    const struct ir_variable *array; // of the kernel's layout; NULL: all of the block's memory
    bool has_bytes;
    uint64_t bytes; // of the array, if they are known
    // Bytes from the array's first that accesses may touch, if as much is known.
    bool has_reach;
    int64_t low, high;
    // MISFITS
    bool is_sure;       // the thread makes that access in every launch that lasts so long
    uint32_t thread[3]; // the first one
    int64_t byte; // from the array's first, where its access begins, or the nearest that may be
    bool leaves_block;                 // it is beyond the block's shared memory
    const struct ir_variable *into;    // in which it ends up; NULL: in none
    struct prove_assumption condition; // FITS_IF
    const struct ir_function *kernel;  // whose parameter it is
    // UNKNOWN
    unsigned parameter_count; // that have to do with it
    struct prove_assumption parameters[PROVE_PARAMETERS];
    bool lacks_size; // it stays in the array if that has `high` + 1 bytes, or what was known
    bool is_final;
    const char *what;
    uint32_t instruction;
    const struct ir_function *function;
};

struct prove_alignment {
    enum prove_fit fit;
    bool is_sure;
    uint32_t thread[3];
    uint64_t byte; // of shared memory
    bool is_final;
    const char *what;
    uint32_t instruction;
    const struct ir_function *function;
};

struct prove_site {
    enum prove_verdict verdict;
    uint64_t degrees;  // EXACT, FULL: bit n - 1: some request has degree n
    bool is_most;      // DEPENDS: `residues` are the most that requests take, some may take less
    bool is_irregular; // DEPENDS in some warps or rounds, in others not, or otherwise
    uint32_t degree;   // the most that any request can have
    bool has_excess;   // some request may take more than it need
    uint32_t residues[PROVE_RESIDUES]; // DEPENDS: the degree for each number modulo 32
    // EXACT: of requests in each round of the innermost loop, if all are made in one whose first
    // rounds, as many, are known: as `degrees`.
    uint64_t rounds[PROVE_ROUNDS];
    unsigned round_count;
    bool has_other_rounds; // some are not
    // DEPENDS: that number is this parameter of the kernel, and lanes lie multiples of it apart.
    uint64_t parameter_offset;
    unsigned parameter_bytes;           // 0: it is something else
    bool is_width;                      // it is blockDim.x, where that is open
    bool is_final;                      // a look at single warps would tell no more
    const char *what;                   // DEPENDS, BOUNDED, OBSERVED: what is not known; static
    uint32_t instruction;               // where it comes from; IR_NONE: not from an instruction
    const struct ir_function *function; // of that instruction
    struct prove_bounds bounds;
    struct prove_alignment alignment;
};

// By what blocks differ, or may.
enum prove_varies {
    PROVE_BY_BLOCK = 1,  // their index
    PROVE_BY_MEMORY = 2, // what it holds
    PROVE_BY_OTHERS = 4, // a clock, or something that is not followed
};

// Of the blocks that were asked for, whatever memory holds.
struct prove_blocks {
    // enum prove_varies; 0: each site makes the same requests to shared memory in each of the
    // blocks, or others of the same cost in the same array.
    unsigned varies;
    bool has_other_work;     // they may execute other instructions beside those
    bool *has_other_sectors; // of each site: its requests to global memory may take others
    const char *why;         // `varies`: in words; static
    uint32_t instruction;    // where that is; IR_NONE: nowhere
    const struct ir_function *function; // of that instruction
};

struct prove_result {
    struct prove_site *sites; // of the kernel, as ir_kernel_sites() numbers them
    uint32_t site_count;
    const char *trouble; // why there is no proof at all; NULL: there is
    uint64_t steps;      // instructions that were looked at
    struct prove_blocks blocks;
};

// Never fails: what cannot be proved is OBSERVED. Free with prove_free.
struct prove_result *prove_kernel(const struct ir_function *kernel,
                                  const struct prove_launch *launch);
// Of the source, where an instruction that `what` is about stands; 0: none is known.
uint32_t prove_line(const struct ir_function *function, uint32_t instruction);
void prove_free(struct prove_result *result); // NULL is allowed

#endif
