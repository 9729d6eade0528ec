// Branches at which lanes may part in native code. See forms.h.
#include <stdlib.h>

#include "base/alloc.h"
#include "compile/forms.h"
#include "ptx/facts.h"
#include "sim/flow/control.h"

// What is made for lanes that part is made a second time.
enum { MOST_OPS = 96, MOST_OPS_ONCE = 24, MOST_DEPTH = 6 };

struct walk {
    struct plan *plan;
    uint32_t branch; // the block that it is about
    unsigned left;   // ops
};

// The handler does what its operands say, for some lanes as for all.
static bool may_be_partial(const struct plan *plan, const struct op *op) {
    const struct ir_instruction *ir = &plan->function->instructions[op->ir];
    switch (op->kind) {
    case OP_VALUE:
    case OP_LOAD:
    case OP_STORE:
    case OP_NOTHING:
        return true;
    case OP_ATOMIC:
    case OP_CALL:
        break;
    default:
        return false;
    }
    switch (ptx_access_of(ir->ptx)) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
        return true;
    default:
        return false;
    }
}

static void note_written(void *context, uint32_t reg, bool is_written) {
    const struct walk *walk = context;
    if (is_written)
        plan_written(walk->plan, walk->branch)[reg / 64] |= 1ull << (reg % 64);
}

static bool walk_ops(struct walk *walk, uint32_t begin, uint32_t end) {
    for (uint32_t o = begin; o < end; o++) {
        const struct op *op = &walk->plan->ops[o];
        if (!may_be_partial(walk->plan, op) || !walk->left)
            return false;
        walk->left--;
        ir_visit_registers(&walk->plan->function->instructions[op->ir], note_written, walk);
    }
    return true;
}

// A jump that was written, and not one that stands for a guard.
static bool is_written_jump(const struct plan *plan, const struct op *op) {
    return op->kind == OP_JUMP && plan->function->instructions[op->ir].ptx->operand_count > 0;
}

static bool walk_branch(struct walk *walk, uint32_t block, unsigned depth);

// From the beginning of a block to `join`, always forward.
static bool walk_side(struct walk *walk, uint32_t from, uint32_t join, unsigned depth) {
    const struct plan *plan = walk->plan;
    uint32_t b = from;
    while (b != join) {
        const struct ir_block *block = &plan->function->blocks[b];
        const uint32_t begin = plan->block_ops[b], end = plan->block_ops[b + 1];
        uint32_t next = b + 1;
        if (block->is_join || b > join)
            return false;
        const bool has_jump = end > begin && plan->ops[end - 1].kind == OP_JUMP;
        if (!walk_ops(walk, begin, has_jump ? end - 1 : end))
            return false;
        if (!has_jump && (block->successor_count != 1 || block->successors[0] != b + 1))
            return false;
        if (has_jump) {
            const struct op *op = &plan->ops[end - 1];
            if (!is_written_jump(plan, op))
                return false;
            next = op->guard == IR_NONE ? op->target : block->post_dominator;
            if (op->guard != IR_NONE && (!depth || !walk_branch(walk, b, depth - 1)))
                return false;
        }
        if (next == IR_NONE || next <= b)
            return false;
        b = next;
    }
    return true;
}

static const struct op *jump_of(const struct plan *plan, uint32_t block) {
    return &plan->ops[plan->block_ops[block + 1] - 1];
}

static bool walk_branch(struct walk *walk, uint32_t b, unsigned depth) {
    const struct plan *plan = walk->plan;
    const struct op *jump = jump_of(plan, b);
    const uint32_t join = plan->function->blocks[b].post_dominator;
    if (join == IR_NONE || join <= b || jump->target <= b + 1 || jump->target > join ||
        plan->function->blocks[join].is_join)
        return false;
    return walk_side(walk, b + 1, join, depth) && walk_side(walk, jump->target, join, depth);
}

void parts_find(struct plan *plan) {
    const uint32_t blocks = plan->function->block_count;
    const size_t words = plan->live.words;
    plan->may_part = base_alloc(blocks + 1);
    plan->written = base_alloc(((size_t)blocks * words + 1) * sizeof *plan->written);
    for (uint32_t b = 0; b < blocks; b++) {
        const uint32_t end = plan->block_ops[b + 1];
        struct walk walk = {plan, b, MOST_OPS};
        plan->may_part[b] =
            end > plan->block_ops[b] && is_written_jump(plan, &plan->ops[end - 1]) &&
            plan->ops[end - 1].guard != IR_NONE && walk_branch(&walk, b, MOST_DEPTH);
    }
}

bool parts_at(const struct plan *plan, uint32_t block, const struct form *forms) {
    return plan->may_part[block] && forms[jump_of(plan, block)->guard].kind == FORM_LANES;
}

// With some lanes off, places that are computed there may lie anywhere, and what global memory gets
// takes long without mask registers. Words of shared memory are nearly as quick.
static bool is_as_quick(const struct plan *plan, uint32_t block, const struct op *op,
                        const struct form *forms) {
    switch (op->kind) {
    case OP_VALUE:
    case OP_NOTHING:
    case OP_JUMP:
        return true;
    case OP_LOAD:
    case OP_STORE:
        return op->access->space == PTX_SPACE_SHARED && op->access->count == 1 &&
               (op->base.kind != SOURCE_REGISTER || !plan_is_written(plan, block, op->base.reg)) &&
               form_of_source(&op->base, forms).kind == FORM_RAMP;
    default:
        return false;
    }
}

// Where lanes part again behind a jump, what they do there is made three times: for all lanes, for
// those of all that part then, and for those of some.
bool parts_are_made_once(const struct plan *plan, uint32_t block, const struct form *forms) {
    const uint32_t join = plan->function->blocks[block].post_dominator;
    if (!parts_at(plan, block, forms) || jump_of(plan, block)->target != join)
        return false;
    const uint32_t begin = plan->block_ops[block + 1], end = plan->block_ops[join];
    bool all = end - begin <= MOST_OPS_ONCE, parts_again = false;
    for (uint32_t o = begin; o < end && all; o++) {
        const struct op *op = &plan->ops[o];
        all = is_as_quick(plan, block, op, forms);
        parts_again |= op->kind == OP_JUMP && op->guard != IR_NONE;
    }
    return all && parts_again;
}
