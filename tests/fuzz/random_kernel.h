// Random kernels, for comparing what is proved of one with what it does: the same seed makes the
// same kernel. What they index shared memory by is affine, bitwise, modular, looped, divergent,
// data-dependent; most of their addresses stay inside of their arrays.
#ifndef BANKRUN_FUZZ_RANDOM_KERNEL_H
#define BANKRUN_FUZZ_RANDOM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"

// What went into a value, or what lies around an access.
enum trait {
    TRAIT_THREAD = 1 << 0, // tid, laneid, lane masks
    TRAIT_BLOCK = 1 << 1,  // ctaid and other special registers that are the same for a warp
    TRAIT_PARAMETER = 1 << 2,
    TRAIT_LOADED = 1 << 3,
    TRAIT_LOOP = 1 << 4,     // a loop's counter
    TRAIT_VARIABLE = 1 << 5, // a register that is written in several places
    TRAIT_PRODUCT = 1 << 6,
    TRAIT_QUOTIENT = 1 << 7,
    TRAIT_BITS = 1 << 8,
    TRAIT_SHIFT = 1 << 9,
    TRAIT_ROUTE = 1 << 10, // bfe, bfi, prmt, shf, lop3 and other moves of bits
    TRAIT_CHOICE = 1 << 11,
    TRAIT_CONVERTED = 1 << 12,
    TRAIT_WIDE = 1 << 13,
    TRAIT_NARROW = 1 << 14,
    TRAIT_CARRY = 1 << 15,
    TRAIT_EXCHANGED = 1 << 16, // shuffles, votes
    TRAIT_CALL = 1 << 17,
    TRAIT_GENERIC = 1 << 18,
    TRAIT_GUARDED = 1 << 19,
    TRAIT_IN_BRANCH = 1 << 20,
    TRAIT_IN_LOOP = 1 << 21,
    TRAIT_IN_OPEN = 1 << 22, // a branch or loop whose condition hangs on what is not known
    TRAIT_LOCAL = 1 << 23,   // went through local memory
    TRAIT_COUNT = 24,
};

enum value_kind { VALUE_16, VALUE_32, VALUE_64, VALUE_PREDICATE, VALUE_KINDS };

struct random_value {
    unsigned number; // of the register
    uint64_t bound;  // it is likely no more than this
    uint32_t traits;
};

struct random_kernel {
    struct strbuf text;
    VEC(uint32_t) sites;    // traits of each instruction of the kernel that is an access site
    bool has_open_branches; // some condition hangs on what is not known
};

void random_kernel_make(struct random_kernel *kernel, uint64_t seed);
// Another kind, with barriers: what it indexes by is simple.
void random_race_make(struct random_kernel *kernel, uint64_t seed);
void random_kernel_free(struct random_kernel *kernel);

enum { RANDOM_PARAMETER_BYTES = 32, RANDOM_BUFFER_BYTES = 4096, RANDOM_ARRAY_BYTES = 4096 };
// Of the kernel's parameters: the address of RANDOM_BUFFER_BYTES, and numbers.
void random_parameters(uint64_t *state, uint64_t buffer, uint8_t bytes[RANDOM_PARAMETER_BYTES]);

// ---- Between the generator's files ----------------------------------------------------------

struct loop_labels {
    unsigned again, out;
};

struct random_function { // that kernels and later functions may call
    unsigned number;
};

struct generator {
    uint64_t state;
    struct strbuf body;
    VEC(struct random_value) values[VALUE_KINDS];
    unsigned variables[VALUE_KINDS]; // the first ones are written in several places
    unsigned registers[VALUE_KINDS];
    unsigned label, scope;
    unsigned line;                       // each instruction has its own, by which faults name it
    unsigned depth;                      // of branches and loops
    unsigned loops;                      // around
    struct loop_labels labels;           // of the innermost loop
    int budget;                          // statements that may still be made
    uint32_t around;                     // traits of what lies around
    uint32_t allowed;                    // traits of values that are made at all
    bool is_kernel, has_exits, is_small; // small: few and simple statements
    bool has_local;                      // much goes through local memory
    struct random_kernel *kernel;
    unsigned functions;
    unsigned array_bytes;
    char texts[16][48];
    unsigned text;
};

uint64_t random_next(uint64_t *state);
unsigned random_below(struct generator *g, unsigned limit);
bool random_chance(struct generator *g, unsigned percent);
void random_say(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Notes an access site of the kernel.
void random_site(struct generator *g, uint32_t traits);

// random_value.c
unsigned random_register(struct generator *g, enum value_kind kind);
void random_push(struct generator *g, enum value_kind kind, unsigned number, uint64_t bound,
                 uint32_t traits);
struct random_value random_pick(struct generator *g, enum value_kind kind);
// A register or a number, as PTX writes it.
const char *random_operand(struct generator *g, enum value_kind kind, struct random_value *value);
const char *random_name(struct generator *g, enum value_kind kind, unsigned number);
void random_begin_values(struct generator *g);
void random_make_value(struct generator *g);
struct random_value random_make_predicate(struct generator *g);
void random_assign(struct generator *g); // to a variable
const char *random_guard(struct generator *g, unsigned percent, uint32_t *traits);
struct random_value random_32(struct generator *g); // a value, often one just made

// random_access.c
void random_make_access(struct generator *g);
// An access whose index was compared with what it must not exceed, or nearly that.
void random_make_checked(struct generator *g);
void random_make_load(struct generator *g);  // of other memories
void random_make_local(struct generator *g); // to and from the thread's own
void random_make_parameter(struct generator *g);
void random_arrays(struct generator *g, struct strbuf *out);

// random_exchange.c
void random_make_exchange(struct generator *g);

#endif
