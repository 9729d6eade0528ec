// One question to the bank model, and the answers: for each warp, architecture and value of a
// sweep.
#ifndef BANKRUN_EXPLAIN_ASK_H
#define BANKRUN_EXPLAIN_ASK_H

#include "base/arena.h"
#include "base/vec.h"
#include "explain/explain.h"

enum explain_direction { EXPLAIN_LOADS, EXPLAIN_STORES, EXPLAIN_ATOMICS };

struct explain_question { // strings are borrowed; they and the question must outlive diagnostics
    const char *expression;
    const char *shared, *condition; // NULL: none
    const char *const *lets;
    size_t let_count;
    const char *warp; // NULL: all
    enum explain_direction access;
    unsigned arch, bank_mode; // as explain_architectures takes them
    bool is_single;           // a sweep of several values is refused
    struct explain_launch launch;
};

struct explain_group { // warps of a block whose requests are alike
    uint32_t warps;    // bit n = warp n; the lowest one's request is shown
    struct explain_request request;
    enum bankrun_access access;
    enum bankrun_status status; // of the count; `cost` is set when BANKRUN_OK
    struct bankrun_cost cost;
};

struct explain_row { // one architecture and one combination of the swept variables
    unsigned arch;
    int64_t *values; // of the sweeps
    struct explain_group *groups;
    size_t group_count;
};

struct explain_answer {
    const struct explain_question *question;
    struct arena *arena; // of all that follows
    const char **sweeps; // names
    size_t sweep_count, combinations;
    uint64_t shared_bytes; // of the first combination
    VEC(struct explain_row) rows;
};

// Asks for every combination and architecture. False: diags say why.
bool explain_ask(struct explain_answer *answer, struct diag_list *diags);

const char *explain_access_text(enum explain_direction access); // "load"

// In the bank mode that was asked for, 4 or 8 (0: 4); and without it.
unsigned explain_arch(unsigned arch, unsigned bank_mode);
unsigned explain_plain_arch(unsigned arch);

// What is asked about: one, or with 0 one for each generation, of which any device stands for all
// since all of it follows the same rules. How many they are.
size_t explain_architectures(unsigned arch, unsigned bank_mode, unsigned archs[32]);
enum bankrun_access explain_access(enum explain_direction access,
                                   const struct explain_request *request);

// "32x8", "32,8,1", "256": up to three numbers; those that are not given are left as they are.
// `least`: 1 for shapes, 0 for indices. False: it has no such form.
bool explain_read_shape(const char *text, uint32_t least, uint32_t shape[3]);
// NULL: a block may have this shape; otherwise what is wrong with it.
const char *explain_check_block(const uint32_t block[3]);

struct bankrun_request explain_bank_request(const struct explain_group *group);

// What ptxas makes of a native atomic by its address and use (docs/bank-rules.md), where that takes
// another number of wavefronts than one access a lane. NULL: it does not; else for which atomics.
const char *explain_compiled(unsigned arch, const struct explain_group *group,
                             uint32_t *wavefronts);

#endif
