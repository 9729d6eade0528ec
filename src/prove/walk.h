// Inside the prover: one warp's way through a kernel, with forms in its registers.
//
// The warp goes as the simulator's does. Lanes that part at a branch are followed side after side
// and put together again where the branch's paths meet. Where a condition is not known, both sides
// are followed with all lanes that may be there. A loop is run round by round as long as it is
// known who leaves it; else once, from a state that stands for every round (loop.c).
#ifndef BANKRUN_PROVE_WALK_H
#define BANKRUN_PROVE_WALK_H

#include "ir/address.h"
#include "ir/fragment.h"
#include "ir/liveness.h"
#include "prove/facts.h"
#include "prove/prove.h"
#include "prove/transfer.h"

// Bytes that each thread has of its own, and what the lanes hold there: 8 * bytes, or fewer, bits.
struct cell {
    enum ptx_space space; // LOCAL: of the kernel's frame; PARAM: of what calls pass
    uint8_t bytes;
    uint64_t offset;
    const struct form *value;
};
struct memory { // cells that are known; no two of them overlap
    struct cell *data;
    size_t length, capacity;
};

struct state {
    uint32_t may;  // lanes that may be here
    bool is_exact; // whenever any of them are, all are, and together
    bool is_sure;  // no condition that is not known lies between here and where the round began
    // Where races are looked for (race.h):
    bool is_certain;      // no condition that is not known lies between here and the kernel's begin
    bool is_common;       // nor one, before the next barrier, that is not the same in all warps
    uint32_t phases;      // the barriers that were passed last
    uint32_t warp_phases; // those among the lanes of the warp
    const struct race_copy *copies; // that are under way
    const struct form **registers;  // of the function; NULL: not set yet
    struct memory memory;           // as registers are
    const struct fact *facts;       // that its lanes have come by
    // Where it is asked whether all blocks do the same; enum prove_varies.
    unsigned way;     // whether, or how often, this place is reached
    uint32_t way_at;  // the instruction that decides it
    uint8_t *varying; // the registers; NULL: nobody asks
};

struct loop {
    uint32_t header;
    bool *has;                          // by block
    bool polls;                         // it may wait for other threads
    bool has_barrier, has_warp_barrier; // of the block; of it or of a warp
};

// What the prover knows of a function.
struct code {
    const struct ir_function *function;
    uint32_t first_site; // as events number them
    struct ir_meaning *meanings;
    struct ir_liveness live;
    struct loop *loops;
    uint32_t loop_count;
    uint32_t *loop_of; // block that begins one -> its number, or IR_NONE
    bool is_irreducible;
    bool has_joins;  // where ways join before they all meet
    bool *is_joined; // by block: from such a place on to where they meet
    // By block: it has a barrier; there is one ahead of it, or in it; there is one ahead of its
    // end before its ways meet.
    bool *has_barrier, *leads_to_barrier, *parts_at_barrier;
};

struct parameter {
    uint64_t offset;
    unsigned bytes;
    bool is_signed;
    const struct form *form;
};

struct address { // of a variable in global memory, or of the parameters
    const void *of;
    const struct form *form;
};

struct returns { // of a function that is called: states at its ends, put together
    bool is_any;
    bool is_lost;       // some are of a round of a loop that is not known
    struct state state; // of which the memory is known
};

struct walker {
    struct form_table table;
    const struct prove_launch *launch;
    const struct prove_assumption *assumption; // NULL: none
    const bool *wanted; // sites of which bounds alone are asked for; NULL: all of all
    const struct ir_shared_layout *layout;
    // Of each site, as events number them: see ir_shared_origins. NULL: bounds are not asked for.
    const struct ir_variable **arrays;
    struct code *codes;
    uint32_t code_count;
    bool is_any_warp;     // all warps of a block whose rows are whole warps, at once
    uint32_t warp, lanes; // the number of the warp, and its lanes that are in the block
    const struct form *special[PTX_SREG_COUNT];
    VEC(struct parameter) parameters;
    VEC(struct address) addresses;
    uint64_t steps, most_steps; // instructions that were looked at
    uint64_t trials;            // choices that were tried, of all accesses
    unsigned depth, calls;
    uint32_t round;          // of the innermost loop around, from 0; IR_NONE: not known, or none
    unsigned free_rounds;    // loops of any round around, in the function that is walked
    struct returns *returns; // of that function; NULL: it is the kernel
    bool records;
    bool is_joined;      // the block that is walked through is; see struct code
    bool has_lost;       // lanes may have ended where it is not known which way they went
    bool has_parted;     // lanes may have gone apart for good: nothing is the same for all any more
    const char *trouble; // why nothing is known of this warp; NULL: all went well
    struct prove_site *sites;    // of the kernel, as events number them; NULL: not asked for
    struct prove_blocks *blocks; // NULL: nobody asks
    struct races *races;         // NULL: not asked for
};

// States that come to one place, put together.
struct gather {
    uint32_t block;
    bool is_any, is_mixed; // mixed: of different lanes, or of ways that exclude each other
    struct state state;
};
typedef VEC(struct gather) gathers;

// Where ways of one branch join before they all meet: who comes there waits for the others.
struct joins {
    bool *at; // by block; not those from where they have gone on
    gathers waiting;
    struct joins *outer;
};

// Lanes that went away and do not come to where the others meet.
struct losses {
    bool is_any;
    bool is_unsure; // it is not known which
    bool is_open;   // it may be that none did
    unsigned way;   // enum prove_varies: in which blocks
    uint32_t way_at;
    bool is_doubtful, is_apart; // their states were not certain; not common
};

// What ends a run of blocks.
struct region {
    uint32_t meets; // block, or IR_NONE
    struct gather *at_meets;
    struct joins *joins;           // NULL: none
    const struct loop *loop;       // the innermost; NULL: none
    struct gather *back;           // of it, at its header
    gathers *exits;                // of it
    struct losses deaths, leavers; // lanes that ended on the way, and that left the loop
};

// Where a state goes on.
struct side {
    uint32_t block;
    struct state state;
};

// join.c: follows all sides as far as the region goes. Takes their states.
void walk_sides(struct walker *walker, const struct code *code, const struct side *sides,
                size_t count, struct region *region);
// The state comes to a block where it waits for others. False: it does not.
bool walk_waits(struct walker *walker, const struct code *code, uint32_t block, struct state *state,
                const struct region *region);

// walk.c
void walk_run(struct walker *walker, const struct code *code, uint32_t block, struct state state,
              struct region *region, bool is_entered);
const struct code *walk_code(struct walker *walker, const struct ir_function *function);

// prove.c
static inline uint64_t walk_most_steps(const struct prove_launch *launch) {
    return launch->most_steps ? launch->most_steps : 1000000;
}
static inline const struct ir_shared_layout *walk_layout(const struct ir_function *kernel,
                                                         const struct prove_launch *launch) {
    return launch->layout ? launch->layout : ir_shared_layout(kernel);
}
// Behind the first of so many warps, before which so many steps were made: gives up if far too many
// will have been made behind the last, as warps of a block take about as many.
void walk_foresee(struct walker *walker, uint64_t before, uint32_t warps);
struct code *walk_list_codes(const struct ir_function *kernel, uint32_t *count);
void walk_free_codes(struct code *codes, uint32_t count);
// All of one warp's way. The table of forms is there.
void walk_warp(struct walker *walker, const struct ir_function *kernel, uint32_t warp,
               uint32_t threads);

// state.c
struct state state_copy(const struct code *code, const struct state *state);
void state_free(struct state *state);
void gather_add(struct walker *walker, const struct code *code, struct gather *gather,
                struct state *state);
void gather_exit(struct walker *walker, const struct code *code, gathers *exits, uint32_t block,
                 struct state *state);
// All that came to where the ways of `before` meet; the region has who was lost between.
struct state gather_meet(const struct gather *gather, const struct state *before,
                         const struct region *region);
// What lanes of both have in memory of their own; of the first state the memory alone changes.
void state_merge_memory(struct walker *walker, struct state *into, const struct state *from);
// All lanes of the state are lost.
void losses_note(struct losses *losses, const struct state *state);
void losses_add(struct losses *into, const struct losses *from);
// A symbol that nothing is known of, as a register holds it.
const struct form *state_unknown(struct walker *walker, const struct ir_register *reg,
                                 bool is_uniform, enum symbol_origin origin, uint32_t instruction);
unsigned state_bits(const struct ir_register *reg);

// loop.c: runs a loop that the state enters. Returns the block where all go on, or IR_NONE: nobody
// does, or has been followed already.
uint32_t walk_loop(struct walker *walker, const struct code *code, const struct loop *loop,
                   struct state *state, struct region *region);

// rounds.c: of a loop whose registers are what they were before it and multiples of the number of
// rounds, if that is a symbol: bounds it, and returns what holds at the beginning of every round.
struct walk_rounds {
    uint32_t symbol; // how many rounds were before
    uint32_t first;  // of all symbols that were made since the loop began
    const struct state *entry;
    const struct state *back; // as a round goes on to the next one, whatever round it is
};
const struct fact *walk_rounds_facts(struct walker *walker, const struct walk_rounds *rounds);

// step.c: one instruction that is no branch.
void walk_step(struct walker *walker, const struct code *code, uint32_t instruction,
               struct state *state);

// values.c
struct reader { // who reads operands
    struct walker *walker;
    const struct code *code;
    uint32_t instruction;
    const struct state *state;
};
// As the register that it is, or would be, holds it; lanes that are off hold what another one does.
const struct form *read_operand(const struct reader *reader, const struct ir_operand *operand);
const struct form *read_register(const struct reader *reader, uint32_t reg);
// The address that a memory operand means, as an offset in `space`, or generic. NULL: nobody knows.
const struct form *read_address(const struct reader *reader, const struct ir_operand *operand,
                                enum ptx_space *space);
// The guard as 0 or 1. NULL: there is none.
const struct form *read_guard(const struct reader *reader);
const struct form *read_parameter(struct walker *walker, uint64_t offset, unsigned bytes,
                                  bool is_signed, unsigned bits);

// Of a thread of the warp, in one axis.
uint32_t walk_thread_index(const struct walker *walker, unsigned lane, unsigned axis);

// Lanes for which a 0-or-1 form is 1, 0, or either. `is_one`: those are all 0 or all 1.
struct truth {
    uint32_t yes, no, open;
    bool is_one;
};
struct truth truth_of(const struct walker *walker, const struct form *a, uint32_t lanes);

// memory.c: memory that threads have of their own.
struct memory memory_copy(const struct memory *memory);
// The cell of exactly these bytes; NULL: there is none.
struct cell *memory_find(const struct memory *memory, enum ptx_space space, uint64_t offset,
                         unsigned bytes);
void memory_forget(struct memory *memory, enum ptx_space space); // all that is known
// Where an access of such memory lies. Not own: it is known to be of none.
struct memory_place {
    bool is_own;
    enum ptx_space space;
    const struct form *offset; // NULL: not known
};
struct memory_place memory_place_of(const struct reader *reader, const struct ir_operand *address);
// What lanes load from there, `at` bytes behind. NULL: not known.
const struct form *memory_load(const struct reader *reader, const struct memory_place *place,
                               unsigned at, unsigned bytes, uint32_t lanes);
// `value` NULL: not known.
void memory_store(const struct reader *reader, struct state *state,
                  const struct memory_place *place, unsigned at, unsigned bytes,
                  const struct form *value, const struct truth *truth);
// What any round of a loop begins with, of what one ends with. True: that is less than before.
bool memory_weaken(struct walker *walker, struct memory *any, const struct state *back);
// Lanes have left in different rounds: what is made of symbols from `first` on is not known.
void memory_part_rounds(struct walker *walker, struct memory *memory, size_t first);
// What a function begins with that lanes call; and what the caller goes on with. `callee` or
// `returns` NULL: it is not known what it does.
struct memory memory_enter(struct walker *walker, const struct state *caller,
                           const struct ir_call *call, const struct ir_function *callee,
                           const struct truth *truth);
void memory_leave(struct walker *walker, struct state *caller, const struct ir_call *call,
                  const struct ir_function *callee, const struct returns *returns,
                  const struct truth *truth);
// At an end of the function.
void memory_return(struct walker *walker, const struct state *state);

// lanes.c: an instruction through which lanes see each other, executed by all of these lanes, and
// at once where `is_exact`. False: it is none. A result that is NULL is not known.
struct exchanged {
    const struct form *first, *second;
};
bool walk_across_lanes(const struct reader *reader, uint32_t lanes, bool is_exact,
                       struct exchanged *results);

// step.c: a load of a kernel's parameter.
bool walk_is_parameter(const struct code *code, const struct ir_instruction *instruction);

// bounds.c: accesses of so many bytes that the lanes make at these offsets of shared memory (NULL:
// nobody knows them, and why), on ways on which the facts hold.
struct reach {
    uint32_t site; // as events number them
    const struct code *code;
    const struct form *address;
    unsigned bits; // of the register or number that it is
    const char *why;
    uint32_t may;
    unsigned width;
    const struct fact *facts;
};
void walk_bounds(struct walker *walker, const struct reach *reach);

// fragment.c: a wmma.load or wmma.store of a matrix that begins at `base` (NULL: nobody knows
// where). Fills its accesses; how many. 0: they are not known.
enum { FRAGMENT_ACCESSES = 16 };
struct fragment_access {
    const struct form *address;
    unsigned width; // bytes of a lane
};
unsigned walk_fragment(const struct reader *reader, const struct form *base,
                       struct fragment_access accesses[FRAGMENT_ACCESSES]);

// access.c: whether a generic address must be one of global memory.
bool walk_is_given(const struct form_table *table, const struct form *address);
// A request that the state makes at a site.
enum access_cost {
    ACCESS_ELSEWHERE, // none to shared memory
    ACCESS_OPEN,
    ACCESS_ONE, // the same number of wavefronts, least number and degree, whatever is not known
};
enum access_cost walk_access(struct walker *walker, const struct code *code, uint32_t instruction,
                             const struct state *state, uint32_t may, bool is_exact);
// As an offset in shared memory. NULL: it is not known to be one; `is_other`: it is none.
const struct form *walk_shared_offset(struct walker *walker, const struct form *address,
                                      enum ptx_space space, bool *is_other);
// The operand that names shared memory: of copies from one memory into the other the first.
const struct ir_operand *walk_address_of(const struct ir_instruction *instruction);

// blocks.c: what differs from block to block, enum prove_varies. Nothing of it happens unless
// somebody asks.
uint8_t *varying_copy(const struct code *code, const uint8_t *varying);
// A side of a branch that is taken, or not, by what is in that register; IR_NONE: something else.
void varying_part(struct walker *walker, uint32_t condition, uint32_t instruction,
                  struct state *side);
// The second state has been merged into the first, where the register held `a`, and `b` in the
// second.
void varying_merge(struct state *into, const struct state *from, const struct ir_register *reg,
                   uint32_t r, const struct form *a, const struct form *b);
void varying_lose(struct losses *losses, unsigned way, uint32_t way_at);
// All that went apart since `before` has met, but for those that were lost.
void varying_meet(struct state *state, const struct state *before, const struct losses *deaths,
                  const struct losses *leavers);
// What any round of a loop begins with, of what one ends with. True: that is more than before.
bool varying_weaken(struct state *any, const struct state *entry, const struct state *back,
                    uint32_t register_count);
// The symbols that count the steps of registers, and 1 (0: there is none), are the same in every
// block as long as each step is. True: some is not, and was taken to be so far.
bool varying_steps(struct walker *walker, const struct state *any, const struct state *back,
                   const uint32_t *counters, uint32_t register_count);
// What the result of an instruction depends on, before it is executed, and for the registers that
// it has written; its symbols are those from `first` on.
unsigned varying_read(const struct reader *reader);
void varying_write(const struct reader *reader, struct state *state, unsigned varies, size_t first);
// At an access site. `guard_open`: it is not known which lanes take part.
void varying_access(const struct reader *reader, uint32_t may, bool guard_open,
                    enum access_cost cost);

#endif
