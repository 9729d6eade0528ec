// What lanes have in common: the forms of registers, if all lanes take the same way.
#ifndef BANKRUN_COMPILE_FORMS_H
#define BANKRUN_COMPILE_FORMS_H

#include "ir/liveness.h"
#include "ir/value.h"
#include "sim/sim_internal.h"

enum form_kind {
    FORM_NONE,  // not known yet: no way leads here
    FORM_RAMP,  // lane n's value is that of lane `flip` + (n ^ flip) * stride, in the register's
                // width
    FORM_LANES, // anything
};

// flip: lanes have been exchanged, as by an exclusive or of an index with a constant; 0: they have
// not. zeros: so many low bits of the value of lane `flip` are 0. bits: all lanes' values are below
// 2^bits, as numbers without a sign; FORM_ANY_BITS: it is not known.
enum { FORM_ANY_BITS = 64 };
struct form {
    enum form_kind kind;
    uint8_t zeros, bits, flip;
    int64_t stride;
};

// How an operand is read. Of memory that is the same for a launch, a warp or a block: `ref`; of
// constant memory, which nobody writes while a kernel runs: `value` is the address.
struct op_source {
    enum { SOURCE_REGISTER, SOURCE_CONSTANT, SOURCE_MEMORY, SOURCE_FIXED, SOURCE_NONE } kind;
    uint32_t reg;
    sim_ref ref;
    uint64_t value;
    unsigned bytes; // 4, 8; 0: a predicate
    bool is_negated;
    struct form form; // of constants and memory
};

enum op_kind {
    OP_VALUE, // a row of value.def
    OP_LOAD,  // of shared or global memory
    OP_STORE,
    OP_ATOMIC, // of shared memory
    OP_JUMP,   // to `target`, where `guard` holds
    OP_CALL,   // the interpreter's handler
    OP_LEAVE,  // to the interpreter
    OP_NOTHING,
};

struct op {
    enum op_kind kind;
    uint32_t ir;        // instruction
    uint32_t first, at; // decoded instructions: the first of it, and its own
    uint32_t guard;     // register or IR_NONE; of jumps the condition
    bool guard_negated;
    struct ir_meaning meaning;
    struct op_source sources[4];
    unsigned source_count;
    bool negates_product, negates_addend; // of sums that were contracted
    uint32_t to, pair;                    // registers, IR_NONE: nobody wants the result
    const struct sim_access *access;
    struct op_source base; // of the access
    struct op_source elements[4];
    uint32_t targets[4];      // registers of a load
    enum ptx_modifier atomic; // what it does, with `elements`; its result is `to`
    uint32_t target;          // block
    bool checks_range;        // the ramp must not wrap, else the interpreter goes on
    bool is_zero;             // the result, whatever the operands are
};

struct plan {
    const struct sim_code *code;
    const struct ir_function *function;
    bool has_whole_rows;
    const char *lanes;   // struct compile_request
    struct op *ops;      // one for each instruction, in order; of parameters one for each copy
    uint32_t *block_ops; // block -> its first op; one more behind the last
    uint32_t op_count;
    struct ir_liveness live;
    uint64_t *live_before; // op * live.words: registers that are live there
    struct form *forms;    // block * register_count: where it begins
    bool *is_entry;        // ops at which the code may be entered
    bool *is_reached;      // blocks
    // Of blocks that end with a jump: lanes that part there meet again soon, all in straight code
    // or at such jumps; and the registers that are written until then, a bit each (plan_written).
    bool *may_part;
    uint64_t *written;
    // Of those: the way there is made once, for some lanes or all, as that is as quick for all.
    bool *is_made_once;
    // Of blocks: registers that may not have their forms there, a bit each.
    uint64_t *doubts;
    // Of blocks: registers that may have been written since they were loaded from the interpreter's
    // frame, a bit each (plan_is_unsaved).
    uint64_t *unsaved;
    bool *is_loaded; // registers: what they hold may be, or come of, what memory held
};

struct compile_request;
struct plan *plan_create(const struct compile_request *request);
void plan_free(struct plan *plan);

static inline const struct form *plan_forms(const struct plan *plan, uint32_t block) {
    return plan->forms + (size_t)block * plan->function->register_count;
}

// Sets of registers, a bit each.
static inline bool plan_has(const uint64_t *set, uint32_t reg) {
    return set[reg / 64] >> (reg % 64) & 1;
}
bool plan_add(const struct plan *plan, uint64_t *to, const uint64_t *set); // true: `to` grows

static inline bool plan_is_live(const struct plan *plan, uint32_t op, uint32_t reg) {
    return plan_has(plan->live_before + op * plan->live.words, reg);
}

bool plan_is_live_behind(const struct plan *plan, uint32_t op, uint32_t reg);

static inline uint64_t *plan_written(const struct plan *plan, uint32_t block) {
    return plan->written + block * plan->live.words;
}

static inline bool plan_is_written(const struct plan *plan, uint32_t block, uint32_t reg) {
    return plan_has(plan_written(plan, block), reg);
}

// Whether the interpreter's frame may hold something else where the block begins.
static inline bool plan_is_unsaved(const struct plan *plan, uint32_t block, uint32_t reg) {
    return plan_has(plan->unsaved + block * plan->live.words, reg);
}

// ops.c: fills ops and block_ops.
void ops_read(struct plan *plan, const struct compile_request *request);
// parts.c: fills may_part and written.
void parts_find(struct plan *plan);
// Whether lanes may part behind the block, registers being of these forms there; and whether what
// they do then is made once.
bool parts_at(const struct plan *plan, uint32_t block, const struct form *forms);
bool parts_are_made_once(const struct plan *plan, uint32_t block, const struct form *forms);
// plan.c: from the forms where the block begins to those where it ends; also sets ops' checks.
void plan_step_block(const struct plan *plan, uint32_t block, struct form *forms);
// doubts.c: fills doubts.
void doubts_find(struct plan *plan);
// Registers that may not have their forms before an op. The caller frees them.
uint64_t *doubts_before(const struct plan *plan, uint32_t op);
// saved.c: fills unsaved.
void saved_find(struct plan *plan);
// loaded.c: fills is_loaded.
void loaded_find(struct plan *plan);

// Blocks that ways lead to.
struct reached {
    bool *is_reached; // by block
    uint32_t *list;   // of blocks, each once
    uint32_t count;
};
void plan_reach(struct reached *reached, uint32_t block); // IR_NONE: none

// What an op makes of the forms of registers; also sets its checks.
void forms_step(const struct plan *plan, struct op *op, struct form *forms);
// Of operands and results: 32 or 64; 0: narrow ones, floating-point ones and predicates.
unsigned forms_kind_bits(enum ir_kind kind);
bool forms_kind_is_signed(enum ir_kind kind);
struct form form_of_source(const struct op_source *source, const struct form *forms);

#endif
