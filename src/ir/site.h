// Access sites and access events: what the simulator tells observers, what the profile counts.
#ifndef BANKRUN_IR_SITE_H
#define BANKRUN_IR_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum { WARP_LANES = 32 };

enum site_op {
    SITE_LOAD,
    SITE_STORE,
    SITE_ATOMIC,       // atom
    SITE_REDUCTION,    // red: an atomic without a result
    SITE_MATRIX_LOAD,  // ldmatrix
    SITE_MATRIX_STORE, // stmatrix
    SITE_ASYNC_COPY,   // cp.async: writes shared, reads global
    SITE_BULK_COPY,    // cp.async.bulk and its kin: each event is about one of the two memories
};

enum site_space { SITE_SHARED, SITE_GLOBAL, SITE_SPACES };

// How an atomic is served; see the table of include/bankrun/banks.h.
enum site_atomic {
    SITE_ATOMIC_NONE,
    SITE_ATOMIC_NATIVE,         // 32-bit integer add, min, max, exch, and, or, xor, inc, dec
    SITE_ATOMIC_NATIVE_SUMMED,  // the same: one access for all lanes of a word
    SITE_ATOMIC_NATIVE_SCANNED, // the same for full warps, else an access for each lane
    SITE_ATOMIC_CAS,
    SITE_ATOMIC_LOOP,       // compiled to a load + compare-and-swap loop
    SITE_ATOMIC_EARLY_LOOP, // one that lanes leave when they have nothing to change
};

// One instruction of a kernel that accesses shared or global memory (or may: generic addresses).
struct ir_site {
    uint32_t instruction; // index into ir_function.instructions
    uint32_t location;    // index into ir_function.locations; 0: unknown
    const char *text;     // mnemonic as written, "ld.shared.v4.f32"; owned by the function
    enum site_op op;
    enum site_atomic atomic;
    unsigned width;    // bytes that one lane accesses: 1, 2, 4, 8, 16 (32 for v8.f32 / v4.b64)
    unsigned matrices; // 1, 2 or 4 for matrix loads and stores, else 0
    bool is_generic;   // no state space written: each event says which one it was
    bool is_sum;       // of an atomic: it adds
    bool is_uncached;  // of an asynchronous copy: it passes the first-level cache by
};

// What the simulator saw of a full warp's addresses on its way; observers may use it to be quick.
enum site_pattern {
    SITE_ANY_PATTERN, // not looked at, or neither of the others
    SITE_LINEAR,      // lane n accesses the n-th piece of the site's width behind lane 0's
    SITE_UNIFORM,     // all 32 lanes access the same address
    SITE_PATTERNS
};

// One warp-level request. Pointers are valid during the call only.
struct access_event {
    uint32_t site; // counted over the kernel's sites, then those of the functions it calls
                   // in the order of ir_reachable()
    enum site_space space;
    uint32_t mask;             // lanes that access (bit n = lane n), never 0
    const uint32_t *offsets;   // 32 byte offsets into the block's shared memory; SITE_SHARED and
                               // SITE_ASYNC_COPY. Inactive lanes hold arbitrary values.
    const uint64_t *addresses; // 32 byte addresses; SITE_GLOBAL, and the source of SITE_ASYNC_COPY
    const uint32_t *block;     // blockIdx x, y, z
    uint32_t warp;             // in the block
    enum site_pattern pattern; // of the offsets, or of the addresses
    // Not 0: bytes that one lane copies in bulk, from offsets[0] or addresses[0] on. `continues`: a
    // further piece of the last such request.
    uint64_t bulk_bytes;
    bool bulk_continues;
    bool is_assumed; // no rule is known: counted as if the own block's memory were accessed.
                     // Offsets into other blocks of the cluster; lanes that access several
                     // blocks make a request for each.
};

// What an observer knows of a site in one space: requests that it has seen before are counted here
// and not told again. Those of full warps whose lanes are side by side, or all at one address, are
// known by where lane 0 is; of others the last one is known by all its lanes.
enum { TALLY_PLACES = 16 };
struct access_tally {
    uint64_t first, bytes; // the first active lane is in here: the request is about the same array
    uint32_t keep;         // the bits of that lane's offset or address that the cost depends on
    uint64_t since;        // warps before this one (32 * block number + warp) are told all the same
    struct access_place {
        uint32_t tag; // access_tag() of the requests; 0: none
        uint64_t repeats;
    } places[TALLY_PLACES];
    // Offsets of the last request from the first active lane's, without the bits of `keep`.
    uint32_t lanes[WARP_LANES];
    uint32_t mask; // 0: none
    uint64_t repeats;
};

// Not 0 for linear and uniform requests; the same for two that cost the same.
static inline uint32_t access_tag(enum site_pattern pattern, uint64_t first, uint32_t keep) {
    return pattern ? ((uint32_t)first & keep) << 2 | pattern : 0;
}

static inline struct access_place *access_place(struct access_tally *tally, uint32_t tag) {
    return &tally->places[(tag >> 4 ^ tag) % TALLY_PLACES];
}

// Observers are called from several threads at once; each thread passes what its own
// worker_begin returned, so that counters need no locks.
struct access_observer {
    void *context;
    // Called once on each worker before its first event of a launch.
    void *(*worker_begin)(void *context, unsigned worker);
    void (*access)(void *worker_state, const struct access_event *event);
    // May be NULL. A block has ended, or all blocks of a cluster: what was told since the last call
    // (or the beginning) is about it alone. Called where a launch is sampled.
    void (*piece_end)(void *worker_state);
    // May be NULL: every request is told. The worker's tallies by site * SITE_SPACES + space, NULL
    // where nothing is known yet; they may change with every call of access().
    struct access_tally **(*tallies)(void *worker_state);
};

#endif
