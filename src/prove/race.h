// Inside the proof that shared memory has no races: what all warps of a block do between barriers.
//
// Each warp is walked as for other proofs (walk.h), with one table of forms for all of them. A
// state carries the barrier that its lanes passed last, or several where it may be one or the
// other: a phase. Accesses are noted with their phase. Two accesses of different threads may only
// be a race where their phases begin at the same barrier.
#ifndef BANKRUN_PROVE_RACE_H
#define BANKRUN_PROVE_RACE_H

#include "prove/races.h"
#include "prove/walk.h"

// How far a phase has come in a loop of any round since its barrier.
enum race_relation {
    RACE_SAME,  // in the round in which the barrier was, or was left last
    RACE_NEXT,  // in the one behind it
    RACE_FRESH, // in the first one: it was entered behind the barrier
};

struct race_words { // of the one array that all have
    uint32_t first, count;
};

struct race_intern { // arrays of words that are equal are one number
    VEC(uint32_t) words;
    VEC(struct race_words) entries;
    uint32_t *slots, slot_room; // number of the entry, plus 1
};

struct race_edge { // whoever is in the phase may come to that barrier next
    uint32_t phase, node, warp, instruction;
    const struct code *code;
    bool is_common; // all warps decide alike whether they do, if the conditions hold it
};

struct race_branch { // barriers hang on its condition
    uint32_t context, instruction;
    const struct code *code;
    const struct form *condition; // of the first warp that came there
    bool is_split;                // another warp had another one
};

struct race_step { // a number that changes from round to round of a loop with barriers
    uint32_t symbol, context, reg;
    unsigned zeros; // it is multiplied by 2^zeros in the register, or by strides
    bool has_strides;
    const struct form *grows; // from a round to the next, in units of 2^-zeros; strides: 1
    bool is_noted, is_split;  // split: it need not grow alike in all warps
};

// A load of a number that all threads read alike, once between two barriers; see scalars.c.
struct race_scalar {
    uint32_t context, instruction;
    unsigned at;     // which byte of the access it begins at
    uint32_t symbol; // IR_NONE: not made yet
    uint32_t place;  // in shared memory, of the access
    const struct code *code;
};

enum race_class { RACE_READ = 0, RACE_WRITE = 1, RACE_STRONG = 2 };

// An asynchronous copy that its thread has not waited for; of a list that never changes.
struct race_copy {
    const struct race_copy *next;
    const struct code *code;
    const struct form *address;
    uint32_t instruction, lanes;
    uint8_t width;
    bool is_older; // it may be of an earlier round of a loop
    int groups;    // that were committed since its own, or fewer; -1: it may be in none yet
    unsigned count;
};

struct race_access {
    uint32_t warp, lanes, phases, warp_phases; // phases: sets
    uint32_t context, instruction;
    const struct code *code;
    const struct form *address, *value; // NULL: not known
    uint8_t class, width;
    bool is_called;  // in a function that is called
    bool is_certain; // these lanes do it in every block, whatever the input is
    bool is_once;    // once between two barriers
};

struct races {
    struct race_intern interned;
    uint32_t context;
    VEC(struct race_edge) edges;
    VEC(struct race_branch) branches;
    size_t branch; // where the next one is looked for
    VEC(struct race_step) steps;
    VEC(struct race_access) accesses;
    VEC(struct race_scalar) scalars; // that a walk before has found
    VEC(uint32_t) unstepped;         // contexts of loops of which a round may have no barrier
    unsigned free_rounds;            // loops of any round without a barrier that are being walked
    // Something may order threads, those of one warp, that is not followed.
    bool has_other_order, has_warp_order;
    bool *is_common; // by symbol, once all warps are walked: the same for all threads
    uint32_t symbol_count;
    // Why nothing is proved, and where.
    const char *trouble;
    const struct code *trouble_code;
    uint32_t trouble_instruction;
};

// phases.c. Sets of phases; contexts: the rounds of loops that the walk is in.
// Of a warp: it is not IR_NONE, and the barrier is one of its lanes.
uint32_t race_begin_phase(struct races *races, uint32_t warp);
uint32_t race_unite(struct races *races, uint32_t a, uint32_t b);
uint32_t race_enter_loop(struct races *races, uint32_t set, uint32_t context);
// `skips`: set where a round had no barrier.
uint32_t race_next_round(struct races *races, uint32_t set, uint32_t context, bool *skips);
uint32_t race_pass_barrier(struct races *races, uint32_t warp, uint32_t code, uint32_t instruction,
                           uint32_t *node);
uint32_t race_context(struct races *races, uint32_t code, uint32_t header, uint32_t round);
#define RACE_ANY_ROUND UINT32_MAX
const uint32_t *race_members(const struct races *races, uint32_t set, uint32_t *count);
uint32_t race_node_of(const struct races *races, uint32_t phase);
enum race_relation race_relation_of(const struct races *races, uint32_t phase, uint32_t context);
void race_phases_free(struct races *races);

// collect.c. Notes; those since a mark can be taken back.
struct race_mark {
    uint32_t context; // before it
    size_t edges, branches, accesses;
};
struct race_mark race_begin_round(struct walker *walker, const struct code *code,
                                  const struct loop *loop, uint32_t round);
void race_end_round(struct walker *walker, const struct race_mark *mark);
void race_take_back(struct walker *walker, const struct race_mark *mark);
// The state at the header becomes that of any round; later, that of a further one comes back.
void race_enter_any(struct walker *walker, const struct loop *loop, struct state *any);
bool race_compare(struct walker *walker, const struct loop *loop, struct state *any,
                  const struct state *back); // true: `any` has changed
void race_leave_any(struct walker *walker, const struct loop *loop);
void race_find_barriers(struct code *code);
bool race_is_barrier(const struct ir_instruction *instruction); // of the whole block
// Whether arriving at the one may count at the other.
bool race_may_be_same_barrier(const struct ir_instruction *a, const struct ir_instruction *b);
// Atomics, volatile and ordered accesses.
bool race_is_strong(const struct ir_instruction *instruction);
void race_begin(struct walker *walker, struct state *state);
void race_merge(struct walker *walker, struct state *into, const struct state *from);
// Before an instruction: barriers, and what waits. `truth`: of its guard.
void race_step(struct walker *walker, const struct code *code, uint32_t instruction,
               struct state *state, const struct truth *truth);
// Address: in shared memory, or NULL: not known. Width: bytes of a lane.
void race_access(struct walker *walker, const struct code *code, uint32_t instruction,
                 const struct state *state, const struct form *address, unsigned width,
                 uint32_t lanes);
// Whether sides of a branch are still common.
bool race_branch(struct walker *walker, const struct code *code, uint32_t block,
                 const struct state *state, const struct truth *truth, const struct form *guard);
void race_give_up(struct races *races, const struct code *code, uint32_t instruction,
                  const char *why);

// together.c. A loop's number, the same one for all warps.
uint32_t race_loop_symbol(struct walker *walker, uint32_t reg, unsigned zeros, bool has_strides);
// It grows so from this round to the next: in units of 2^-zeros, with strides of 1. NULL: unknown.
void race_note_growth(struct walker *walker, uint32_t reg, unsigned zeros, bool has_strides,
                      const struct form *grows);
// A special register that is the same for all threads of a block, always.
static inline bool race_is_of_block(enum ptx_sreg sreg) {
    return (sreg >= PTX_SREG_ctaid_x && sreg <= PTX_SREG_ctaid_z) ||
           (sreg >= PTX_SREG_nctaid_x && sreg <= PTX_SREG_nctaid_z) ||
           (sreg >= PTX_SREG_ntid_x && sreg <= PTX_SREG_ntid_z);
}
// Fills is_common.
void race_find_common(struct walker *walker);
bool race_is_common(const struct walker *walker, const struct form *a);
// Whether it is one of these, or made of any. Those may be older than the walk of their loop.
bool race_counts_rounds(const struct walker *walker, uint32_t symbol);
const struct race_step *race_step_of(const struct races *races, uint32_t symbol);
// Whether warps come to barriers alike. False: why is in `trouble`.
bool race_is_in_step(struct walker *walker);

// scalars.c: behind a walk, whose numbers are looked at for what they have in common: loads that
// give all threads the same. True: there are any, and a walk that knows may find more.
bool race_find_scalars(struct walker *walker);
// Behind that walk: they are still what they were.
bool race_scalars_hold(struct walker *walker);
// Of such a load, what is loaded `at` bytes behind its address. IR_NONE: it is none.
uint32_t race_scalar_symbol(struct walker *walker, const struct code *code, uint32_t instruction,
                            unsigned at, uint64_t high);
const struct race_scalar *race_scalar_of(const struct races *races, uint32_t symbol); // or NULL

// copies.c
bool race_is_copy(const struct ir_instruction *instruction);
// What is under way where states of both come together.
const struct race_copy *race_copies_unite(struct walker *walker, const struct race_copy *a,
                                          const struct race_copy *b);
// In any round, where `any` was so far, and one ends with `back`.
const struct race_copy *race_copies_next_round(struct walker *walker, const struct loop *loop,
                                               const struct race_copy *any,
                                               const struct race_copy *back);
// Its lanes have left a loop in different rounds.
void race_copies_part(struct walker *walker, const struct state *state);
// Groups, and who waits for them; `truth` of the guard. Behind its access: a copy.
void race_copy_step(struct walker *walker, const struct code *code, uint32_t number,
                    struct state *state, const struct truth *truth);
void race_begin_copy(struct walker *walker, const struct code *code, uint32_t number,
                     struct state *state, uint32_t lanes);
// All of them, behind a barrier; collect.c notes one.
void race_copies_note(struct walker *walker, const struct state *state);
void race_note_copy(struct walker *walker, const struct state *state, const struct race_copy *copy);
// An access of the same threads.
void race_copies_meet(struct walker *walker, const struct state *state,
                      const struct race_access *access);

// pairs.c: all pairs of accesses that may be a race. Fills what was found.
void race_find_pairs(struct walker *walker, struct prove_races *result);

// overlap.c
struct race_entry { // an access, since one of the barriers that may have been the last
    const struct race_access *access;
    uint32_t phase, node;
    // It is compared with those of other warps; or with those of its own, since the same barrier
    // of their lanes.
    bool is_of_warp;
    uint32_t within;
    bool is_plain; // its address is one sum for all threads, plus a number for each
};
struct race_meeting {
    bool may_meet;
    unsigned lanes[2];
    uint32_t symbol; // that is not known; IR_NONE: none
    bool is_partial; // only low bits of an address are known
    unsigned trials; // of numbers that decide
};
// Whether lanes of the two may touch the same byte. `is_same`: they are the same access.
struct race_meeting race_overlap(struct walker *walker, const struct race_entry *a,
                                 const struct race_entry *b, bool is_same);

// Whether any lane of the one may touch a byte that any lane of the other does, be they one
// thread's.
bool race_may_reach(struct walker *walker, const struct race_entry *a, const struct race_entry *b);

#endif
