// Atomics of shared memory by whole warps. Nobody else can touch a block's memory while a warp of
// it runs, so that lanes take their turns one after the other, as the interpreter has it
// (lanes/mem/atomic.c). What the request is counted as is found where it is made: mostly lanes lie
// somewhere else each time. See build.h.
#include <stddef.h>
#include <stdio.h>

#include "compile/build.h"

static const char here[] = "";

enum { WORD = 4 };

struct turns {
    const struct op *op;
    unsigned operands;
    bool is_wanted; // what memory held
};

static LLVMValueRef pick(struct build *build, LLVMIntPredicate order, LLVMValueRef a,
                         LLVMValueRef b, LLVMValueRef then, LLVMValueRef otherwise) {
    return LLVMBuildSelect(build->builder, LLVMBuildICmp(build->builder, order, a, b, here), then,
                           otherwise, here);
}

// What memory holds then.
static LLVMValueRef changed(struct build *build, const struct op *op, LLVMValueRef old,
                            LLVMValueRef by, LLVMValueRef to) {
    LLVMBuilderRef b = build->builder;
    const bool is_signed = op->access->is_signed;
    LLVMValueRef none = build_constant(build, WORD, 0), one = build_constant(build, WORD, 1);
    switch (op->atomic) {
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

// ---- The function that takes them ---------------------------------------------------------------

// What it is given; and of each operand its value or an array of all lanes' values, and an array
// for what memory held. It returns whether it has taken them: 0 or 1.
enum { WARP, LINKS, SHARED, PLACES, SITE, OPERANDS, MOST_PARAMETERS = OPERANDS + 3 };

static LLVMValueRef parameter(const struct build *build, unsigned number) {
    return LLVMGetParam(build->function, number);
}

// Bytes of 4, as words: what is no multiple is far behind the end.
static LLVMValueRef is_inside(struct build *build, LLVMValueRef offsets) {
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef of = LLVMTypeOf(offsets);
    LLVMValueRef two = rows_spread(b, build_constant(build, WORD, 2), LANES);
    LLVMValueRef arguments[] = {offsets, offsets, two};
    LLVMValueRef words = build_intrinsic(build, "llvm.fshr", &of, 1, arguments, 3);
    LLVMValueRef most = build_intrinsic(build, "llvm.vector.reduce.umax", &of, 1, &words, 1);
    LLVMValueRef block =
        build_field(build, parameter(build, WARP), offsetof(struct sim_warp, block), build->bytes);
    LLVMValueRef bytes =
        build_field(build, block, offsetof(struct sim_block, shared_bytes), build->i32);
    return LLVMBuildICmp(b, LLVMIntULT, most,
                         LLVMBuildLShr(b, bytes, build_constant(build, WORD, 2), here), here);
}

// Whether observers need not be told, as it was counted.
static LLVMValueRef is_counted(struct build *build) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef arguments[] = {parameter(build, WARP), parameter(build, SITE),
                                parameter(build, PLACES)};
    LLVMTypeRef parameters[] = {LLVMTypeOf(arguments[0]), LLVMTypeOf(arguments[1]),
                                LLVMTypeOf(arguments[2])};
    LLVMTypeRef type = LLVMFunctionType(build->i32, parameters, 3, false);
    LLVMValueRef callee =
        build_field(build, parameter(build, LINKS), offsetof(struct compiled_links, count_lanes),
                    LLVMPointerType(type, 0));
    LLVMValueRef counted = LLVMBuildCall2(b, type, callee, arguments, 3, here);
    return LLVMBuildICmp(b, LLVMIntNE, counted, build_constant(build, WORD, 0), here);
}

static void need(struct build *build, LLVMValueRef condition) {
    LLVMBasicBlockRef rare = build_unless(build, condition);
    LLVMBasicBlockRef usual = LLVMGetInsertBlock(build->builder);
    LLVMPositionBuilderAtEnd(build->builder, rare);
    LLVMBuildRet(build->builder, build_constant(build, WORD, 0));
    LLVMPositionBuilderAtEnd(build->builder, usual);
}

static LLVMTypeRef words_type(const struct build *build) {
    return LLVMVectorType(build->i32, LANES);
}

static LLVMValueRef lane_of(struct build *build, LLVMValueRef array, unsigned lane) {
    LLVMValueRef bytes = LLVMBuildBitCast(build->builder, array, build->bytes, here);
    return build_field(build, bytes, (size_t)lane * WORD, build->i32);
}

static LLVMValueRef operand(struct build *build, unsigned n, unsigned lane) {
    LLVMValueRef value = parameter(build, OPERANDS + n);
    return LLVMTypeOf(value) == build->i32 ? value : lane_of(build, value, lane);
}

static void take_turns(struct build *build, const struct turns *turns) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef held = LLVMGetUndef(words_type(build));
    for (unsigned l = 0; l < LANES; l++) {
        LLVMValueRef offset = lane_of(build, parameter(build, PLACES), l);
        LLVMValueRef at = build_pointer_by(build, parameter(build, SHARED),
                                           LLVMBuildZExt(b, offset, build->i64, here), build->i32);
        LLVMValueRef old = LLVMBuildLoad2(b, build->i32, at, here);
        LLVMBuildStore(b,
                       changed(build, turns->op, old, operand(build, 0, l),
                               turns->operands > 1 ? operand(build, 1, l) : NULL),
                       at);
        held = LLVMBuildInsertElement(b, held, old, build_constant(build, WORD, l), here);
    }
    if (turns->is_wanted)
        LLVMBuildStore(b, held, parameter(build, OPERANDS + turns->operands));
}

static void make_turns(struct build *build, const void *context) {
    LLVMValueRef offsets =
        LLVMBuildLoad2(build->builder, words_type(build), parameter(build, PLACES), here);
    need(build, is_inside(build, offsets));
    need(build, is_counted(build));
    take_turns(build, context);
    LLVMBuildRet(build->builder, build_constant(build, WORD, 1));
}

// ---- Its call -----------------------------------------------------------------------------------

struct call {
    LLVMValueRef arguments[MOST_PARAMETERS];
    LLVMTypeRef parameters[MOST_PARAMETERS];
    unsigned count;
};

static void add(struct call *call, LLVMValueRef argument) {
    call->arguments[call->count] = argument;
    call->parameters[call->count++] = LLVMTypeOf(argument);
}

// The n-th array of the function's memory.
static LLVMValueRef array(struct build *build, unsigned n) {
    return build_pointer(build, build->lane_values, (uint64_t)n * WORD * LANES, words_type(build));
}

// What the access adds is part of them.
static LLVMValueRef lane_offsets(struct build *build, const struct op *op) {
    LLVMValueRef offset = op->base.bytes == 8
                              ? build_number(build, op->access->offset)
                              : LLVMConstInt(build->i32, (uint32_t)op->access->offset, false);
    return LLVMBuildAdd(
        build->builder, build_source_lanes(build, &op->base),
        build_spread(build, (struct form){.kind = FORM_RAMP}, offset, op->base.bytes), here);
}

// Whether they were taken.
static LLVMValueRef call_turns(struct build *build, const struct turns *turns) {
    LLVMBuilderRef b = build->builder;
    const struct op *op = turns->op;
    LLVMValueRef offsets = lane_offsets(build, op), places = array(build, turns->operands + 1);
    LLVMValueRef first[] = {build->warp, build->links, build->shared, places,
                            LLVMConstInt(build->i32, op->access->site, false)};
    struct call call = {.count = 0};
    char name[64], forms[3] = "";
    LLVMBuildStore(b, offsets, places);
    for (unsigned p = 0; p < OPERANDS; p++)
        add(&call, first[p]);
    for (unsigned n = 0; n < turns->operands; n++) {
        const struct op_source *source = &op->elements[n];
        const bool is_one = build_is_same_in_all(build, source);
        forms[n] = is_one ? '1' : 'n';
        add(&call, is_one ? build_source_first(build, source) : array(build, n));
        if (!is_one)
            LLVMBuildStore(b, build_source_lanes(build, source), array(build, n));
    }
    if (turns->is_wanted)
        add(&call, array(build, turns->operands));
    snprintf(name, sizeof name, "turns.%d.%d.%s.%d", (int)op->atomic, op->access->is_signed, forms,
             turns->is_wanted);
    LLVMTypeRef type = LLVMFunctionType(build->i32, call.parameters, call.count, false);
    LLVMValueRef taken = LLVMBuildCall2(b, type, build_helper(build, name, type, make_turns, turns),
                                        call.arguments, call.count, here);
    return LLVMBuildICmp(b, LLVMIntNE, taken, build_constant(build, WORD, 0), here);
}

void build_atomic(struct build *build, uint32_t number) {
    const struct op *op = &build->plan->ops[number];
    LLVMBuilderRef b = build->builder;
    if (build->mask) {
        build_interpreted(build, number);
        return;
    }
    const struct turns turns = {
        .op = op,
        .operands = op->atomic == PTX_MOD_cas ? 2 : 1,
        .is_wanted = op->to != IR_NONE && plan_is_live_behind(build->plan, number, op->to),
    };
    LLVMBasicBlockRef slow = build_unless(build, call_turns(build, &turns)),
                      behind = build_block(build, "turned");
    LLVMValueRef held[2] = {NULL};
    if (turns.is_wanted)
        held[0] = LLVMBuildLoad2(b, words_type(build), array(build, turns.operands), here);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, slow);
    build_interpreted(build, number);
    from[1] = LLVMGetInsertBlock(b);
    if (turns.is_wanted)
        held[1] = build_register_lanes(build, op->to);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    if (op->to != IR_NONE && !turns.is_wanted)
        build->held[op->to].value = NULL;
    if (!turns.is_wanted)
        return;
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(held[0]), here);
    LLVMAddIncoming(phi, held, from, 2);
    build_set(build, op->to, build->forms[op->to], phi);
}
