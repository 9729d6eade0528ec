// The addresses of one request, where they depend on numbers that are not known: all that matters
// of these is tried.
#ifndef BANKRUN_PROVE_REQUEST_H
#define BANKRUN_PROVE_REQUEST_H

#include "prove/form.h"

enum { REQUEST_VARIABLES = 6, REQUEST_TRIALS = 1 << 13 };

// A symbol that is the same for all lanes, of which so many values are tried: all that it can have,
// or all of its lowest bits.
struct request_variable {
    uint32_t symbol;
    bool is_full;
    unsigned bits;        // of which all are tried, unless it is full
    uint64_t first, step; // full: the values are first, first + step, ...
    uint64_t count;
    uint64_t value; // that is tried now
};

struct request {
    struct form_table *table;
    const struct form *address; // of shared memory, in bytes
    uint32_t mask;
    unsigned span;   // of all banks, in bytes: moving one lane by it keeps its bank
    unsigned period; // moving all lanes by it changes nothing
    unsigned width;  // bytes of a lane: offsets are multiples of it, or the access faults
    bool is_deep;    // numbers that are the same for all lanes are looked into, too
    struct request_variable variables[REQUEST_VARIABLES];
    unsigned variable_count;
    uint64_t trials; // of all variables together
    // Terms of symbols that cannot be tried: each lane's may be any multiple of 2^loose_bits.
    bool is_loose;
    unsigned loose_bits;
    uint32_t loose_symbol; // one of them
    uint32_t loose_lanes;
    // Uniform terms move all lanes together, by multiples of this; 0: by none, or by periods.
    uint64_t shift_step;
    // What is the same for all choices, found when the first offsets are asked for.
    bool has_plan, is_one_class;
    bool counts[FORM_TERMS];     // the terms that lanes are known to differ by
    uint8_t classes[FORM_LANES]; // the first lane whose words' places relative to this one's are
                                 // known
};

void request_begin(struct request *request, struct form_table *table, const struct form *address,
                   uint32_t mask, unsigned arch, unsigned width);
// Of numbers that need not be an address: what decides about their low `bits` becomes variables.
// False: too much does, or it is not known what.
bool request_add(struct request *request, uint32_t symbol, unsigned bits);
// What it is in a lane, by what the variables are now.
uint64_t request_value(const struct request *request, uint32_t symbol, unsigned lane);
// Sets the variables to the n-th choice of values.
void request_choose(struct request *request, uint64_t n);

// What to make of words of which it is not known whether they are the same.
enum request_way {
    REQUEST_APART,    // no two are: the most that banks may have to serve
    REQUEST_TOGETHER, // as many as can be are: the least
    REQUEST_MERGED,   // all of a bank are, those too of which it is known: the most that waits for
                      // one word
};

// Offsets of all lanes for that choice. All are moved by `shift`, and those in unknown banks by
// `away`, else as many of these as can be are in the lowest banks. True: all words' places are
// known relative to each other, and every way is the same.
bool request_offsets(struct request *request, uint64_t shift, uint64_t away, enum request_way way,
                     uint32_t offsets[FORM_LANES]);
// How far those in unknown banks may move: multiples of the step, below the span. 0: it makes no
// difference.
uint64_t request_away_step(const struct request *request);

#endif
