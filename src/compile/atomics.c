// Atomics of shared memory by whole warps. Nobody else can touch a block's memory while a warp of
// it runs, so that lanes take their turns one after the other, as the interpreter has it
// (lanes/mem/atomic.c). What the request is counted as is found where it is made: mostly lanes lie
// somewhere else each time. See build.h.
#include <stddef.h>

#include "compile/build.h"

static const char here[] = "";

enum { WORD = 4 };

struct turns {
    struct build *build;
    const struct op *op;
    LLVMValueRef places; // lanes' offsets, in memory
};

// Bytes of 4, as words: what is no multiple is far behind the end.
static LLVMValueRef is_inside(struct build *build, LLVMValueRef offsets) {
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef of = LLVMTypeOf(offsets);
    LLVMValueRef two = rows_spread(b, build_constant(build, WORD, 2), LANES);
    LLVMValueRef arguments[] = {offsets, offsets, two};
    LLVMValueRef words = build_intrinsic(build, "llvm.fshr", &of, 1, arguments, 3);
    LLVMValueRef most = build_intrinsic(build, "llvm.vector.reduce.umax", &of, 1, &words, 1);
    LLVMValueRef block =
        build_field(build, build->warp, offsetof(struct sim_warp, block), build->bytes);
    LLVMValueRef bytes =
        build_field(build, block, offsetof(struct sim_block, shared_bytes), build->i32);
    return LLVMBuildICmp(b, LLVMIntULT, most,
                         LLVMBuildLShr(b, bytes, build_constant(build, WORD, 2), here), here);
}

// Whether observers need not be told, as it was counted.
static LLVMValueRef is_counted(const struct turns *turns) {
    struct build *build = turns->build;
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef parameters[] = {build->bytes, build->i32, LLVMTypeOf(turns->places)};
    LLVMTypeRef type = LLVMFunctionType(build->i32, parameters, 3, false);
    LLVMValueRef callee =
        build_field(build, build->links, offsetof(struct compiled_links, count_lanes),
                    LLVMPointerType(type, 0));
    LLVMValueRef arguments[] = {
        build->warp, LLVMConstInt(build->i32, turns->op->access->site, false), turns->places};
    LLVMValueRef counted = LLVMBuildCall2(b, type, callee, arguments, 3, here);
    return LLVMBuildICmp(b, LLVMIntNE, counted, build_constant(build, WORD, 0), here);
}

static LLVMValueRef pick(struct build *build, LLVMIntPredicate order, LLVMValueRef a,
                         LLVMValueRef b, LLVMValueRef then, LLVMValueRef otherwise) {
    return LLVMBuildSelect(build->builder, LLVMBuildICmp(build->builder, order, a, b, here), then,
                           otherwise, here);
}

// What memory holds then.
static LLVMValueRef changed(const struct turns *turns, LLVMValueRef old, LLVMValueRef by,
                            LLVMValueRef to) {
    struct build *build = turns->build;
    LLVMBuilderRef b = build->builder;
    const bool is_signed = turns->op->access->is_signed;
    LLVMValueRef none = build_constant(build, WORD, 0), one = build_constant(build, WORD, 1);
    switch (turns->op->atomic) {
    case PTX_MOD_exch:
        return by;
    case PTX_MOD_cas:
        return pick(build, LLVMIntEQ, old, by, to, old);
    case PTX_MOD_and:
        return LLVMBuildAnd(b, old, by, here);
    case PTX_MOD_or:
        return LLVMBuildOr(b, old, by, here);
    case PTX_MOD_xor:
        return LLVMBuildXor(b, old, by, here);
    case PTX_MOD_add:
        return LLVMBuildAdd(b, old, by, here);
    case PTX_MOD_min:
        return pick(build, is_signed ? LLVMIntSLT : LLVMIntULT, old, by, old, by);
    case PTX_MOD_max:
        return pick(build, is_signed ? LLVMIntSGT : LLVMIntUGT, old, by, old, by);
    case PTX_MOD_inc:
        return pick(build, LLVMIntUGE, old, by, none, LLVMBuildAdd(b, old, one, here));
    default: { // dec
        LLVMValueRef below = LLVMBuildSub(b, old, one, here);
        return pick(build, LLVMIntUGE, below, by, by, below);
    }
    }
}

static LLVMValueRef operand(const struct turns *turns, unsigned n, LLVMValueRef all,
                            unsigned lane) {
    struct build *build = turns->build;
    const struct op_source *source = &turns->op->elements[n];
    return build_is_same_in_all(build, source)
               ? build_source_first(build, source)
               : LLVMBuildExtractElement(build->builder, all, build_constant(build, WORD, lane),
                                         here);
}

// Returns what memory held.
static LLVMValueRef take_turns(const struct turns *turns) {
    struct build *build = turns->build;
    LLVMBuilderRef b = build->builder;
    const unsigned operands = turns->op->atomic == PTX_MOD_cas ? 2 : 1;
    LLVMValueRef all[2] = {NULL}, held = LLVMGetUndef(LLVMVectorType(build->i32, LANES));
    for (unsigned n = 0; n < operands; n++)
        all[n] = build_source_lanes(build, &turns->op->elements[n]);
    for (unsigned l = 0; l < LANES; l++) {
        LLVMValueRef index[] = {build_constant(build, WORD, 0), build_constant(build, WORD, l)};
        LLVMTypeRef places = LLVMArrayType(build->i32, LANES);
        LLVMValueRef offset = LLVMBuildLoad2(
            b, build->i32, LLVMBuildGEP2(b, places, build->places, index, 2, here), here);
        LLVMValueRef at = build_pointer_by(build, build->shared,
                                           LLVMBuildZExt(b, offset, build->i64, here), build->i32);
        LLVMValueRef old = LLVMBuildLoad2(b, build->i32, at, here);
        LLVMBuildStore(b,
                       changed(turns, old, operand(turns, 0, all[0], l),
                               operands > 1 ? operand(turns, 1, all[1], l) : NULL),
                       at);
        held = LLVMBuildInsertElement(b, held, old, build_constant(build, WORD, l), here);
    }
    return held;
}

static void branch(struct build *build, LLVMValueRef condition, LLVMBasicBlockRef other) {
    LLVMBasicBlockRef next = build_block(build, "good");
    build_branch(build, condition, next, other);
    LLVMPositionBuilderAtEnd(build->builder, next);
}

void build_atomic(struct build *build, uint32_t number) {
    const struct op *op = &build->plan->ops[number];
    LLVMBuilderRef b = build->builder;
    if (build->mask) {
        build_interpreted(build, number);
        return;
    }
    LLVMValueRef more = LLVMConstInt(build->i32, (uint32_t)op->access->offset, false);
    LLVMValueRef offsets =
        LLVMBuildAdd(b, build_source_lanes(build, &op->base), rows_spread(b, more, LANES), here);
    const struct turns turns = {
        .build = build,
        .op = op,
        .places = LLVMBuildBitCast(b, build->places, LLVMPointerType(LLVMTypeOf(offsets), 0), here),
    };
    LLVMBasicBlockRef slow = build_block(build, "slow"), behind = build_block(build, "turned");
    LLVMSetAlignment(LLVMBuildStore(b, offsets, turns.places), 64);
    branch(build, is_inside(build, offsets), slow);
    branch(build, is_counted(&turns), slow);
    LLVMValueRef held[2] = {take_turns(&turns)};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, slow);
    build_interpreted(build, number);
    from[1] = LLVMGetInsertBlock(b);
    const bool is_wanted = op->to != IR_NONE && build->held[op->to].value;
    if (is_wanted)
        held[1] = build_register_lanes(build, op->to);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    if (!is_wanted)
        return;
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(held[0]), here);
    LLVMAddIncoming(phi, held, from, 2);
    build_set(build, op->to, build->forms[op->to], phi);
}
