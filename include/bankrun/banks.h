/* bankrun/banks.h: how shared memory serves one warp-level request, for every architecture.
 *
 * Pure functions: no allocation, no I/O, no globals, safe from any thread, usable from C and C++.
 * Vocabulary: a request is one warp-level instruction (32 lanes); it is served in wavefronts, each
 * of which reads or writes at most one 4-byte word in each bank; a phase is a group of lanes that
 * are served together; the degree is the number of wavefronts of one phase. The rules and the
 * measurements behind them are in docs/bank-rules.md and truth/. */
#ifndef BANKRUN_BANKS_H
#define BANKRUN_BANKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BANKRUN_LANES = 32 };

enum bankrun_access {
    BANKRUN_LOAD,
    BANKRUN_STORE,
    BANKRUN_ATOMIC,          /* 32-bit add, min, max, and, or, xor, inc, dec; exch of any width */
    BANKRUN_ATOMIC_CONSTANT, /* 32-bit add of 1, result unused: lanes are counted first */
    BANKRUN_ATOMIC_CAS,      /* 4, 8 or 16 bytes */
    BANKRUN_ATOMIC_LOOP,     /* an atomic that compiles to a load and a compare-and-swap loop */
    BANKRUN_MATRIX_LOAD,     /* ldmatrix; lanes 8k..8k+7 give the rows of matrix k */
    BANKRUN_MATRIX_STORE,    /* stmatrix */
    BANKRUN_ASYNC_COPY,      /* cp.async without its source: bounds. bankrun_count_copy is exact */
    BANKRUN_ATOMIC_EARLY_LOOP, /* a loop that lanes leave when they have nothing to change: min
                                  and max of 8 bytes */
    BANKRUN_GENERIC_LOAD,      /* a load whose address has no state space; generic stores and
                                  native atomics cost as those of shared memory do */
    BANKRUN_GENERIC_LOOP,      /* the two loops, on such an address; but add of 8-byte integers is
                                  BANKRUN_ATOMIC there */
    BANKRUN_GENERIC_EARLY_LOOP,
};
enum { BANKRUN_ACCESSES = BANKRUN_GENERIC_EARLY_LOOP + 1 };
/* There is no access for another block's shared memory (distributed shared memory), bulk copies,
 * and cp.async.cg: docs/bank-rules.md says what was measured. wgmma reads without conflicts. */

/* How sure a rule is. */
enum bankrun_certainty {
    BANKRUN_MEASURED,   /* held against hardware counters of this architecture */
    BANKRUN_DOCUMENTED, /* the vendor's programming guide says so */
    BANKRUN_ASSUMED,    /* carried over from a neighbouring architecture */
    BANKRUN_UNKNOWN,    /* no rule; the numbers are bounds */
};

struct bankrun_request {
    enum bankrun_access access;
    unsigned width;          /* bytes a lane: 1, 2, 4, 8, 16; matrices: 16 */
    unsigned matrices;       /* matrix loads and stores: 1, 2, 4; otherwise 0 */
    uint32_t mask;           /* active lanes, bit n = lane n; ignored for matrices */
    const uint32_t *offsets; /* 32 byte offsets into shared memory; inactive lanes' are ignored */
};

struct bankrun_cost {
    uint32_t wavefronts; /* exact, or the most likely value when min < max */
    uint32_t min, max;   /* bounds: equal to wavefronts when the rule is exact */
    uint32_t ideal;      /* wavefronts that the same lanes would need with the best addresses */
    uint32_t degree;     /* most wavefronts of one phase, per pass (a compare-and-swap on one
                            address by n lanes has degree n) */
    uint32_t phases;     /* phases with an active lane */
    enum bankrun_certainty certainty;
};

enum bankrun_status {
    BANKRUN_OK,
    BANKRUN_BAD_ARCH,   /* no model for this architecture */
    BANKRUN_BAD_WIDTH,  /* width (or matrices) does not fit the access */
    BANKRUN_MISALIGNED, /* an active lane's offset is no multiple of the width */
    BANKRUN_EMPTY_MASK, /* no lane is active: there is no request */
    BANKRUN_NO_ACCESS,  /* the architecture has no such instruction */
};

const char *bankrun_status_text(enum bankrun_status status);
const char *bankrun_certainty_text(enum bankrun_certainty certainty); /* "measured", ... */
const char *bankrun_access_text(enum bankrun_access access); /* "load", "atomic_cas", ... */

/* 3.x has a second mode, whose banks change every 8 bytes: 35 | BANKRUN_EIGHT_BYTE_BANKS is an
 * architecture in all that follows. Other architectures have no such mode. */
enum { BANKRUN_EIGHT_BYTE_BANKS = 1 << 16 };

/* arch: compute capability, 10 * major + minor (90 for 9.0). */
enum bankrun_status bankrun_count(unsigned arch, const struct bankrun_request *request,
                                  struct bankrun_cost *cost);

/* cp.async.ca: 4, 8 or 16 bytes a lane from global to shared memory. */
struct bankrun_copy {
    unsigned width;
    uint32_t mask;
    const uint32_t *offsets; /* 32 byte offsets into shared memory */
    const uint64_t *sources; /* 32 byte addresses in global memory; bits 7 to 25 matter */
};

/* Before 8.0 there is no such instruction. `min` is what it takes when the first-level cache holds
 * the source already, as far as the data path alone is concerned; `wavefronts` when it does not. */
enum bankrun_status bankrun_count_copy(unsigned arch, const struct bankrun_copy *copy,
                                       struct bankrun_cost *cost);

/* The last request, for callers that see the same one many times in a row. Zeroed: none yet. One
 * for each thread, or for each instruction that makes requests; nothing else is shared. */
struct bankrun_memory {
    unsigned arch, access, width, matrices;
    uint32_t mask, offsets[BANKRUN_LANES];
    struct bankrun_cost cost;
};

/* The same answers as bankrun_count. All 32 offsets are read, those of inactive lanes too. */
enum bankrun_status bankrun_count_again(unsigned arch, const struct bankrun_request *request,
                                        struct bankrun_memory *memory, struct bankrun_cost *cost);

/* Which lanes the n-th phase (0-based, of those with an active lane) serves. 0: no such phase. */
uint32_t bankrun_phase_lanes(unsigned arch, const struct bankrun_request *request, unsigned n);

/* The fewest cycles that the request holds a multiprocessor's data path, for one whose cost was
 * counted: its wavefronts, or the floor that wide accesses have. */
uint32_t bankrun_cycles(unsigned arch, const struct bankrun_request *request,
                        const struct bankrun_cost *cost);

enum { BANKRUN_NOT_SERVED = 255 };

/* For pictures: sets of[lane] to the wavefront, from 0 on, that serves the lane, in one order that
 * the rules allow; BANKRUN_NOT_SERVED for inactive lanes. Returns the number of wavefronts, 0: no
 * such request. Accesses of several passes (compare-and-swap, its loops, wide accesses on 1.x) show
 * their first pass. */
unsigned bankrun_schedule(unsigned arch, const struct bankrun_request *request,
                          uint8_t of[BANKRUN_LANES]);

/* The bank of a byte offset. */
unsigned bankrun_bank(unsigned arch, uint32_t offset);
unsigned bankrun_banks(unsigned arch);      /* number of banks, 0: unknown architecture */
unsigned bankrun_bank_bytes(unsigned arch); /* width of a bank's word */

/* Moving all offsets by a multiple of this many bytes never changes a cost. 0: unknown
 * architecture. */
unsigned bankrun_period(unsigned arch, unsigned width);

/* Global memory: distinct 32-byte sectors that the active lanes touch, and the fewest that the
 * bytes they ask for (each byte once) would fit in. */
void bankrun_sectors(uint32_t mask, unsigned width, const uint64_t *addresses, uint32_t *sectors,
                     uint32_t *ideal);

/* Limits of a multiprocessor. */
struct bankrun_limits {
    unsigned arch;
    unsigned warps, blocks;      /* resident on one multiprocessor */
    unsigned registers;          /* 32-bit, of one multiprocessor */
    unsigned shared_bytes;       /* of one multiprocessor */
    unsigned shared_block_bytes; /* most for one block, with opt-in */
    unsigned shared_unit;        /* allocation granularity in bytes */
    unsigned shared_reserved;    /* taken from each block by the system */
    unsigned threads_per_block;
};

/* NULL: unknown architecture. */
const struct bankrun_limits *bankrun_limits_of(unsigned arch);

/* Blocks that fit on one multiprocessor at a time. registers: of one thread, 0: do not count. */
unsigned bankrun_occupancy(const struct bankrun_limits *limits, unsigned threads,
                           unsigned registers, unsigned shared_bytes);

/* All architectures that have a model, ascending, 0-terminated. */
const unsigned *bankrun_architectures(void);

#ifdef __cplusplus
}
#endif

#endif
