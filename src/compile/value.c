// What instructions compute, in compiled code: rows of value.def. See build.h.
#include "compile/build.h"

#include <string.h>

static const char here[] = "";

static LLVMTypeRef parameter_type(const struct build *build, const struct op *op, unsigned n,
                                  unsigned lanes) {
    LLVMTypeRef type = rows_type(build->rows, op->meaning.value, n);
    return lanes == 1 ? type : LLVMVectorType(type, lanes);
}

// A predicate that is written as a number has the interpreter's form: a mask of lanes, all or none.
static LLVMValueRef fit(struct build *build, LLVMValueRef value, LLVMTypeRef type) {
    if (LLVMTypeOf(value) == type)
        return value;
    if (type == build->i1 || type == LLVMVectorType(build->i1, LANES))
        return LLVMBuildICmp(build->builder, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)),
                             here);
    return LLVMBuildBitCast(build->builder, value, type, here);
}

// Rows whose conditions are combined with a third predicate take the first two sources.
static unsigned row_sources(const struct op *op) {
    unsigned count = 0;
    const struct ir_value_row *row = ir_value_row(op->meaning.value);
    while (count < 4 && row->operands[count] != IR_KIND_none)
        count++;
    return count;
}

static LLVMValueRef raw_of(const struct build *build, const struct op_source *source) {
    return source->kind == SOURCE_REGISTER ? build->held[source->reg].raw : NULL;
}

static bool is_negated(const struct op *op, unsigned operand) {
    return (operand == 0 && op->negates_product) || (operand == 2 && op->negates_addend);
}

// But for a NaN, which the result is then, where the row cares.
static LLVMValueRef negate(struct build *build, const struct op *op, LLVMValueRef value) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef negated = LLVMBuildFNeg(b, value, here);
    if (rows_is_nan_blind(build->rows, op->meaning.value))
        return negated;
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, here);
    return LLVMBuildSelect(b, is_nan, value, negated, here);
}

static LLVMValueRef fit_operand(struct build *build, const struct op *op, unsigned operand,
                                LLVMValueRef value, unsigned lanes) {
    value = fit(build, value, parameter_type(build, op, operand, lanes));
    return is_negated(op, operand) ? negate(build, op, value) : value;
}

static struct rows_operand row_operand(struct build *build, const struct op *op, unsigned operand,
                                       unsigned lanes) {
    const unsigned from = op->meaning.swaps && operand < 2 ? 1 - operand : operand;
    const struct op_source *source = &op->sources[from];
    if (lanes == 1 || build_is_same_in_all(build, source))
        return (struct rows_operand){
            .one = fit_operand(build, op, operand, build_source_first(build, source), 1)};
    const LLVMValueRef raw = raw_of(build, source);
    LLVMValueRef all = raw && rows_is_nan_blind(build->rows, op->meaning.value)
                           ? raw
                           : build_source_lanes(build, source);
    return (struct rows_operand){.all = fit_operand(build, op, operand, all, lanes)};
}

LLVMValueRef build_row(struct build *build, const struct op *op, unsigned lanes) {
    struct rows_operand operands[5];
    const unsigned count = row_sources(op);
    for (unsigned i = 0; i < count; i++)
        operands[i] = row_operand(build, op, i, lanes);
    operands[count] =
        (struct rows_operand){.one = LLVMConstInt(build->i32, op->meaning.immediate, false)};
    return rows_apply(build->rows, build->module, build->builder, op->meaning.value, lanes,
                      operands, count + 1);
}

static LLVMValueRef combine(struct build *build, const struct op *op, LLVMValueRef holds,
                            LLVMValueRef with) {
    switch (op->meaning.immediate & IR_COMPARE_BOOL) {
    case IR_COMPARE_AND:
        return LLVMBuildAnd(build->builder, holds, with, here);
    case IR_COMPARE_OR:
        return LLVMBuildOr(build->builder, holds, with, here);
    case IR_COMPARE_XOR:
        return LLVMBuildXor(build->builder, holds, with, here);
    default:
        return holds;
    }
}

static bool is_comparison(const struct op *op) {
    return ir_value_row(op->meaning.value)->result == IR_KIND_pred && row_sources(op) == 2 &&
           ir_value_row(op->meaning.value)->operands[0] != IR_KIND_pred;
}

static LLVMValueRef with_of(struct build *build, const struct op *op, unsigned lanes) {
    if (op->source_count < 3)
        return NULL;
    return lanes == 1 ? build_source_first(build, &op->sources[2])
                      : build_source_lanes(build, &op->sources[2]);
}

LLVMTypeRef build_register_type(const struct build *build, uint32_t reg, unsigned lanes) {
    LLVMTypeRef type = build_lane_type(build, build_register_bytes(build, reg));
    return lanes == 1 ? type : LLVMVectorType(type, lanes);
}

static LLVMValueRef constant_lanes(const struct build *build, unsigned bytes, uint64_t value,
                                   unsigned lanes) {
    LLVMValueRef one = build_constant(build, bytes, value), all[LANES];
    for (unsigned l = 0; l < lanes; l++)
        all[l] = one;
    return lanes == 1 ? one : LLVMConstVector(all, lanes);
}

// Also what the destination held, of lanes for which the guard does not hold.
static void set_result(struct build *build, const struct op *op, uint32_t reg, unsigned lanes,
                       LLVMValueRef value) {
    if (reg == IR_NONE)
        return;
    const bool is_whole = op->guard == IR_NONE && !build_keeps(build, reg);
    LLVMValueRef raw = is_whole && lanes > 1 ? rows_before_nan(value) : NULL;
    value = fit(build, value, build_register_type(build, reg, lanes));
    if (op->guard != IR_NONE && build->held[reg].value) {
        LLVMValueRef on = build_register_lanes(build, op->guard);
        if (op->guard_negated)
            on = LLVMBuildNot(build->builder, on, here);
        value = LLVMBuildSelect(build->builder, on, value, build_register_lanes(build, reg), here);
    }
    build_assign(build, reg, value);
    build->held[reg].raw = raw;
}

static void build_comparison(struct build *build, const struct op *op, unsigned lanes) {
    LLVMValueRef holds = build_row(build, op, lanes);
    if (op->meaning.immediate & IR_COMPARE_NOT)
        holds = LLVMBuildNot(build->builder, holds, here);
    LLVMValueRef with = with_of(build, op, lanes);
    LLVMValueRef yes = combine(build, op, holds, with);
    LLVMValueRef no = combine(build, op, LLVMBuildNot(build->builder, holds, here), with);
    const struct ptx_instruction *ptx = build->plan->function->instructions[op->ir].ptx;
    if (op->to != IR_NONE && build_register_bytes(build, op->to)) { // set
        const unsigned bytes = build_register_bytes(build, op->to);
        yes = LLVMBuildSelect(build->builder, yes,
                              constant_lanes(build, bytes, ir_true_of(ptx), lanes),
                              constant_lanes(build, bytes, 0, lanes), here);
    }
    set_result(build, op, op->to, lanes, yes);
    set_result(build, op, op->pair, lanes, no);
}

static bool is_all_ramps(const struct build *build, const struct op *op) {
    for (unsigned i = 0; i < op->source_count; i++)
        if (build_source_form(build, &op->sources[i]).kind != FORM_RAMP)
            return false;
    return true;
}

LLVMValueRef build_range(struct build *build, const struct op *op) {
    const struct ir_value_row *row = ir_value_row(op->meaning.value);
    LLVMValueRef good = NULL;
    for (unsigned i = 0; op->checks_range && i < op->source_count; i++) {
        const struct op_source *source = &op->sources[i];
        const struct form form = build_source_form(build, source);
        if (source->bytes != 4 || !form.stride || form.bits < 32 ||
            (row->operands[i] != IR_KIND_u32 && row->operands[i] != IR_KIND_s32))
            continue;
        // Lane 31's operand must be lane 0's and 31 distances more, as a number.
        LLVMBuilderRef b = build->builder;
        LLVMValueRef first = build_source_first(build, source);
        const LLVMOpcode extend = row->operands[i] == IR_KIND_s32 ? LLVMSExt : LLVMZExt;
        LLVMValueRef span = LLVMConstInt(build->i64, (uint64_t)form.stride * (LANES - 1), false);
        LLVMValueRef last =
            LLVMBuildAdd(b, LLVMBuildCast(b, extend, first, build->i64, here), span, here);
        LLVMValueRef cut = LLVMBuildTrunc(b, last, build->i32, here);
        LLVMValueRef fits = LLVMBuildICmp(
            b, LLVMIntEQ, LLVMBuildCast(b, extend, cut, build->i64, here), last, here);
        good = good ? LLVMBuildAnd(b, good, fits, here) : fits;
    }
    return good;
}

bool build_is_native(const struct build *build, const struct op *op) {
    const unsigned sources = row_sources(op);
    if (!rows_has(build->rows, op->meaning.value) || op->source_count < sources)
        return false;
    if (op->source_count > sources && !is_comparison(op))
        return false;
    if (op->pair != IR_NONE && !is_comparison(op))
        return false;
    return !is_comparison(op) || !(op->meaning.immediate & IR_COMPARE_PACKED);
}

static bool has_opcode(LLVMValueRef value, LLVMOpcode opcode) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

static bool is_rotation(LLVMValueRef value) {
    if (!has_opcode(value, LLVMOr))
        return false;
    LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
    return (has_opcode(a, LLVMShl) && has_opcode(b, LLVMLShr)) ||
           (has_opcode(a, LLVMLShr) && has_opcode(b, LLVMShl));
}

// Where lanes are added up and turned in long chains, as by hashes, LLVM asks at each sum again
// which bits may be 1 of all before it, each operand of each: it stops at values that are frozen.
static LLVMValueRef stop_asking(struct build *build, LLVMValueRef value) {
    const bool is_asked = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind &&
                          (has_opcode(value, LLVMAdd) || has_opcode(value, LLVMSub) ||
                           has_opcode(value, LLVMMul) || is_rotation(value));
    return is_asked ? LLVMBuildFreeze(build->builder, value, here) : value;
}

static LLVMValueRef result_of(struct build *build, const struct op *op, unsigned lanes) {
    LLVMValueRef quotient = lanes > 1 ? build_quotient(build, op) : NULL;
    return quotient ? quotient : stop_asking(build, build_row(build, op, lanes));
}

void build_native_value(struct build *build, const struct op *op) {
    const uint32_t reg = op->to != IR_NONE ? op->to : op->pair;
    if (reg == IR_NONE)
        return;
    if (op->is_zero && !is_comparison(op)) {
        set_result(build, op, op->to, 1,
                   build_constant(build, build_register_bytes(build, reg), 0));
        return;
    }
    const bool is_first = build->forms[reg].kind == FORM_RAMP && is_all_ramps(build, op);
    const unsigned lanes = is_first ? 1 : LANES;
    if (is_comparison(op))
        build_comparison(build, op, lanes);
    else
        set_result(build, op, op->to, lanes, result_of(build, op, lanes));
}

// ---- Ramps that may wrap ------------------------------------------------------------------------

// The interpreter goes on where a ramp would wrap: from the first op on that asks, as ops behind it
// that compute values alone can be done again. So several ask once, and registers are written in
// one place.
static void ask(struct build *build, uint32_t number, LLVMValueRef good) {
    struct asked *asked = &build->asked;
    if (asked->good) {
        asked->good = LLVMBuildAnd(build->builder, asked->good, good, here);
        return;
    }
    asked->good = good;
    asked->op = number;
    memcpy(asked->held, build->held, build->plan->function->register_count * sizeof *asked->held);
}

void build_settle(struct build *build) {
    struct asked *asked = &build->asked;
    if (!asked->good)
        return;
    LLVMBasicBlockRef rare = build_unless(build, asked->good);
    LLVMBasicBlockRef usual = LLVMGetInsertBlock(build->builder);
    struct held *held = build->held;
    LLVMPositionBuilderAtEnd(build->builder, rare);
    build->held = asked->held;
    build_leave(build, asked->op);
    build->held = held;
    LLVMPositionBuilderAtEnd(build->builder, usual);
    asked->good = NULL;
}

void build_value(struct build *build, uint32_t number) {
    const struct op *op = &build->plan->ops[number];
    if (!build_is_native(build, op)) {
        build_settle(build);
        build_interpreted(build, number);
        return;
    }
    LLVMValueRef good = build_range(build, op);
    if (good)
        ask(build, number, good);
    build_native_value(build, op);
}
