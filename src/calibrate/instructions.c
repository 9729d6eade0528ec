// The instructions that are measured, each as one copy in PTX. Registers: a address in shared
// memory, v and w a value that differs between lanes, r0 to r3 (32 bits), d0 and d1 (64 bits), f0,
// e0, and the sum `sink`.
#include <string.h>

#include "calibrate/calibrate.h"

// Results that nobody used would not be waited for, or not even loaded.
#define KEEP_1 "add.u32 sink, sink, r0;"
#define KEEP_2 KEEP_1 " add.u32 sink, sink, r1;"
#define KEEP_4 KEEP_2 " add.u32 sink, sink, r2; add.u32 sink, sink, r3;"

#define LOAD(name, width, text)                                                                    \
    { "ld.shared." name, BANKRUN_LOAD, width, 0, 50, CALIBRATE_EXACT, text }
#define STORE(name, width, text)                                                                   \
    { "st.shared." name, BANKRUN_STORE, width, 0, 50, CALIBRATE_EXACT, text }
#define MATRIX(name, count, text)                                                                  \
    { "ldmatrix." name, BANKRUN_MATRIX_LOAD, 16, count, 75, CALIBRATE_EXACT, text }
#define MATRIX_STORE(name, count, text)                                                            \
    { "stmatrix." name, BANKRUN_MATRIX_STORE, 16, count, 90, CALIBRATE_EXACT, text }
#define ATOMIC(name)                                                                               \
    {                                                                                              \
        "atom.shared." name, BANKRUN_ATOMIC, 4, 0, 50, CALIBRATE_EXACT,                            \
            "atom.shared." name " r0, [a], v;"                                                     \
    }
#define LOOP(name, width, text)                                                                    \
    { "atom.shared." name, BANKRUN_ATOMIC_LOOP, width, 0, 60, CALIBRATE_LOOP, text }

static const struct calibrate_instruction table[] = {
    LOAD("u8", 1, "ld.volatile.shared.u8 r0, [a]; " KEEP_1),
    LOAD("u16", 2, "ld.volatile.shared.u16 r0, [a]; " KEEP_1),
    LOAD("u32", 4, "ld.volatile.shared.u32 r0, [a]; " KEEP_1),
    LOAD("u64", 8, "ld.volatile.shared.u64 d0, [a]; mov.b64 {r0, r1}, d0; " KEEP_2),
    LOAD("v2.u32", 8, "ld.volatile.shared.v2.u32 {r0, r1}, [a]; " KEEP_2),
    LOAD("v4.u32", 16, "ld.volatile.shared.v4.u32 {r0, r1, r2, r3}, [a]; " KEEP_4),
    LOAD("v2.u64", 16,
         "ld.volatile.shared.v2.u64 {d0, d1}, [a]; mov.b64 {r0, r1}, d0; mov.b64 {r2, r3}, "
         "d1; " KEEP_4),
    STORE("u8", 1, "st.volatile.shared.u8 [a], v;"),
    STORE("u16", 2, "st.volatile.shared.u16 [a], v;"),
    STORE("u32", 4, "st.volatile.shared.u32 [a], v;"),
    STORE("u64", 8, "st.volatile.shared.u64 [a], w;"),
    STORE("v2.u32", 8, "st.volatile.shared.v2.u32 [a], {v, v};"),
    STORE("v4.u32", 16, "st.volatile.shared.v4.u32 [a], {v, v, v, v};"),
    MATRIX("x1", 1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [a]; " KEEP_1),
    MATRIX("x2", 2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r0, r1}, [a]; " KEEP_2),
    MATRIX("x4", 4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [a]; " KEEP_4),
    MATRIX("x4.trans", 4,
           "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r0, r1, r2, r3}, [a]; " KEEP_4),
    MATRIX_STORE("x1", 1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [a], {v};"),
    MATRIX_STORE("x2", 2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [a], {v, v};"),
    MATRIX_STORE("x4", 4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [a], {v, v, v, v};"),
    MATRIX_STORE("x4.trans", 4,
                 "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [a], {v, v, v, v};"),
    ATOMIC("add.u32"),
    ATOMIC("min.s32"),
    ATOMIC("max.u32"),
    ATOMIC("exch.b32"),
    ATOMIC("and.b32"),
    ATOMIC("or.b32"),
    ATOMIC("xor.b32"),
    ATOMIC("inc.u32"),
    ATOMIC("dec.u32"),
    {"red.shared.add.u32", BANKRUN_ATOMIC, 4, 0, 50, CALIBRATE_EXACT, "red.shared.add.u32 [a], v;"},
    {"atom.shared.add.u32(1)", BANKRUN_ATOMIC_CONSTANT, 4, 0, 50, CALIBRATE_EXACT,
     "atom.shared.add.u32 r0, [a], 1;"},
    {"atom.shared.cas.b32", BANKRUN_ATOMIC_CAS, 4, 0, 50, CALIBRATE_SWAP,
     "atom.shared.cas.b32 r0, [a], v, v;"},
    {"atom.shared.cas.b64", BANKRUN_ATOMIC_CAS, 8, 0, 50, CALIBRATE_SWAP,
     "atom.shared.cas.b64 d0, [a], w, w;"},
    LOOP("add.f32", 4, "atom.shared.add.f32 f0, [a], 0f3f800000;"),
    LOOP("add.u64", 8, "atom.shared.add.u64 d0, [a], w;"),
    LOOP("add.f64", 8, "atom.shared.add.f64 e0, [a], 0d3ff0000000000000;"),
};
enum { INSTRUCTIONS = sizeof table / sizeof *table };

const struct calibrate_instruction *calibrate_instructions(size_t *count) {
    *count = INSTRUCTIONS;
    return table;
}

const struct calibrate_instruction *calibrate_find(const char *name) {
    for (size_t i = 0; i < INSTRUCTIONS; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}
