// Access sites: the instructions of which observers hear (event/event.h), and what is known of
// them.
#ifndef BANKRUN_IR_SITE_H
#define BANKRUN_IR_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

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
    bool is_volatile;  // as written: other threads may write it
    bool is_sum;       // of an atomic: it adds
    bool is_retried;   // of an atomic: a loop that begins anew when another warp changes the word
    bool is_fragment;  // of a matrix: the instruction says which lanes have which elements
    bool is_uncached;  // of an asynchronous copy: it passes the first-level cache by
};

#endif
