// Lanes that part at a jump: what some of them do until all meet again. See build.h.
//
// Both ways are made one after the other, as the interpreter goes them: first the lanes that do not
// jump. What a way writes the lanes of the other one do not get.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/build.h"

static const char here[] = "";

struct parting {
    struct build *build;
    uint32_t block, join;
    LLVMValueRef is_parted; // some lanes go either way
    struct held *before;    // what registers hold where lanes part
    struct form *forms;
    uint64_t *keeps;
};

// ---- Counts -------------------------------------------------------------------------------------

static LLVMValueRef count_lanes(struct build *build, LLVMValueRef bits) {
    LLVMValueRef count = build_intrinsic(build, "llvm.ctpop", &build->i32, 1, &bits, 1);
    return LLVMBuildZExt(build->builder, count, build->i64, here);
}

// ---- A way --------------------------------------------------------------------------------------

static void build_branch_of_some(struct build *build, uint32_t number);

static void build_ops(struct build *build, uint32_t begin, uint32_t end) {
    for (uint32_t o = begin; o < end;) {
        const uint32_t behind = build_segment(build, o, end);
        if (behind == o)
            build_op(build, o++);
        else
            o = behind;
    }
}

static void build_way(struct build *build, uint32_t from, uint32_t join) {
    const struct plan *plan = build->plan;
    for (uint32_t b = from; b != join;) {
        uint32_t end = plan->block_ops[b + 1], next = b + 1;
        const struct op *last = end > plan->block_ops[b] ? &plan->ops[end - 1] : NULL;
        const bool has_jump = last && last->kind == OP_JUMP;
        build_ops(build, plan->block_ops[b], has_jump ? end - 1 : end);
        if (has_jump && last->guard != IR_NONE) {
            build_branch_of_some(build, end - 1);
            next = plan->function->blocks[b].post_dominator;
        } else if (has_jump) {
            build_count_jump(build, last);
            next = last->target;
        }
        b = next;
    }
}

static bool is_written(const struct parting *parting, uint32_t reg) {
    return plan_is_written(parting->build->plan, parting->block, reg);
}

static bool is_kept(const struct parting *parting, uint32_t reg) {
    return plan_has(parting->keeps, reg);
}

static void merge_register(struct parting *parting, uint32_t reg, LLVMBasicBlockRef skipped,
                           LLVMBasicBlockRef done) {
    struct build *build = parting->build;
    struct held *before = &parting->before[reg], made = build->held[reg];
    build->held[reg] = *before;
    build->forms[reg] = parting->forms[reg];
    if (!is_written(parting, reg))
        return;
    if (!is_kept(parting, reg) || made.value == before->value || !made.value)
        return;
    LLVMTypeRef type = build_register_type(build, reg, LANES);
    LLVMValueRef old = before->value ? before->value : LLVMGetUndef(type);
    LLVMValueRef phi = LLVMBuildPhi(build->builder, type, here);
    LLVMAddIncoming(phi, &made.value, &done, 1);
    LLVMAddIncoming(phi, &old, &skipped, 1);
    build_set(build, reg, made.form, phi);
    build->forms[reg] = parting->forms[reg] = made.form;
    parting->before[reg] = build->held[reg];
}

// Those that went first wait, and the others begin a turn of the warp's: what was executed until
// now does not count as done in it.
static void begin_turn_of_rest(const struct parting *parting, uint32_t rest, uint32_t taken) {
    if (rest != parting->join && taken != parting->join)
        build_begin_spin(parting->build, parting->is_parted);
}

// Of the lanes of a mask, from a block to where all meet.
static void build_side(struct parting *parting, const struct mask *mask, uint32_t from,
                       LLVMValueRef any, bool has_jumped) {
    struct build *build = parting->build;
    const struct mask *outer = build->mask;
    LLVMBuilderRef b = build->builder;
    if (from == parting->join) {
        if (has_jumped)
            build_begin_count(build, build_block_ordinal(build, from), any);
        return;
    }
    LLVMBasicBlockRef skipped = LLVMGetInsertBlock(b), side = build_block(build, "side"),
                      behind = build_block(build, "met");
    LLVMBuildCondBr(b, any, side, behind);
    LLVMPositionBuilderAtEnd(b, side);
    if (has_jumped)
        build_begin_count(build, build_block_ordinal(build, from), NULL);
    build->mask = mask;
    build_way(build, from, parting->join);
    build_account(build, build_block_ordinal(build, parting->join), parting->is_parted);
    build->mask = outer;
    LLVMBasicBlockRef done = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    for (uint32_t r = 0; r < build->plan->function->register_count; r++)
        merge_register(parting, r, skipped, done);
}

// ---- A jump -------------------------------------------------------------------------------------

static struct mask mask_of(struct build *build, LLVMValueRef lanes, const uint64_t *keeps) {
    LLVMValueRef bits = build_bits(build, lanes);
    if (!build->has_mask_registers)
        lanes = build_predicate(build, bits);
    LLVMValueRef is_some = LLVMBuildZExt(
        build->builder,
        LLVMBuildICmp(build->builder, LLVMIntNE, bits, LLVMConstAllOnes(build->i32), here),
        build->i64, here);
    return (struct mask){bits, lanes, count_lanes(build, bits), is_some, keeps};
}

static LLVMValueRef some(struct build *build, const struct mask *mask) {
    return LLVMBuildICmp(build->builder, LLVMIntNE, mask->bits, LLVMConstInt(build->i32, 0, false),
                         here);
}

// Each lane has its own of what either way writes.
static void begin_parting(struct parting *parting) {
    struct build *build = parting->build;
    const struct plan *plan = build->plan;
    const uint32_t count = plan->function->register_count;
    const size_t words = plan->live.words;
    parting->keeps = base_alloc((words + 1) * sizeof *parting->keeps);
    for (size_t w = 0; w < words; w++)
        parting->keeps[w] =
            plan->live.in[parting->join * words + w] | (build->mask ? build->mask->keeps[w] : 0);
    for (uint32_t r = 0; r < count; r++) {
        struct held *held = &build->held[r];
        // Registers of some lanes take the places of others, but not of those that all need.
        held->is_saved &= is_kept(parting, r) && !is_written(parting, r);
        if (!is_written(parting, r) || !is_kept(parting, r) || !held->value)
            continue;
        held->value = build_register_lanes(build, r);
        held->form = build->forms[r] = (struct form){.kind = FORM_LANES, .bits = FORM_ANY_BITS};
        held->raw = NULL;
    }
    parting->before = base_alloc((count + 1) * sizeof *parting->before);
    parting->forms = base_alloc((count + 1) * sizeof *parting->forms);
    memcpy(parting->before, build->held, count * sizeof *parting->before);
    memcpy(parting->forms, build->forms, count * sizeof *parting->forms);
}

static void build_branch_of_some(struct build *build, uint32_t number) {
    const struct plan *plan = build->plan;
    const struct op *op = &plan->ops[number];
    const uint32_t block = ir_block_of(plan->function, op->ir);
    const struct mask *outer = build->mask;
    LLVMBuilderRef b = build->builder;
    struct parting parting = {
        .build = build, .block = block, .join = plan->function->blocks[block].post_dominator};
    LLVMValueRef jumps = build_register_lanes(build, op->guard);
    if (op->guard_negated)
        jumps = LLVMBuildNot(b, jumps, here);
    LLVMValueRef stays = LLVMBuildNot(b, jumps, here);
    if (outer) {
        jumps = LLVMBuildAnd(b, jumps, outer->lanes, here);
        stays = LLVMBuildAnd(b, stays, outer->lanes, here);
    }
    begin_parting(&parting);
    const struct mask taken = mask_of(build, jumps, parting.keeps),
                      rest = mask_of(build, stays, parting.keeps);
    LLVMValueRef yes = LLVMConstInt(build->i1, 1, false);
    LLVMValueRef any_taken = outer || plan->is_made_once[block] ? some(build, &taken) : yes,
                 any_rest = outer ? some(build, &rest) : yes;
    parting.is_parted = LLVMBuildAnd(b, any_taken, any_rest, here);
    build_account(build, plan->code->instrs[op->at].ordinal + 1, any_taken);
    build_side(&parting, &rest, block + 1, any_rest, false);
    begin_turn_of_rest(&parting, block + 1, op->target);
    build_side(&parting, &taken, op->target, any_taken, true);
    free(parting.before);
    free(parting.forms);
    free(parting.keeps);
}

void build_parted(struct build *build, uint32_t number) {
    const struct plan *plan = build->plan;
    build_branch_of_some(build, number);
    build_edge(
        build,
        plan->function->blocks[ir_block_of(plan->function, plan->ops[number].ir)].post_dominator);
}
