// Quotients and remainders of numbers that grow from lane to lane: mostly those of a warp have one
// quotient, as where an index becomes a row and a column. See build.h.
#include <stddef.h>

#include "compile/build.h"
#include "sim/flow/warp.h"

static const char here[] = "";

struct division {
    struct build *build;
    const struct op *op;
    const struct ir_value_row *row;
    unsigned bytes;
    int64_t stride;                              // of the dividend
    LLVMValueRef first, last, of_first, of_last; // lanes 0 and 31: dividends, results
};

// What 31 lanes add to the dividend is far from what wraps.
enum { MOST_STRIDE = 1 << 24 };

static bool is_division(const struct build *build, const struct op *op) {
    const struct ir_value_row *row = ir_value_row(op->meaning.value);
    if ((row->law != IR_LAW_QUOTIENT && row->law != IR_LAW_REMAINDER) || op->source_count != 2 ||
        op->meaning.swaps || op->to == IR_NONE)
        return false;
    const struct form dividend = build_source_form(build, &op->sources[0]),
                      divisor = build_source_form(build, &op->sources[1]);
    const unsigned bytes = forms_kind_bits(row->operands[0]) / 8;
    return bytes && op->sources[0].bytes == bytes && op->sources[1].bytes == bytes &&
           dividend.kind == FORM_RAMP && dividend.stride && !dividend.flip &&
           dividend.stride < MOST_STRIDE && -dividend.stride < MOST_STRIDE &&
           divisor.kind == FORM_RAMP && !divisor.stride;
}

static LLVMValueRef result_of(const struct division *division, LLVMValueRef dividend) {
    struct build *build = division->build;
    const struct rows_operand operands[] = {
        {.one = dividend},
        {.one = build_source_first(build, &division->op->sources[1])},
        {.one = LLVMConstInt(build->i32, division->op->meaning.immediate, false)}};
    return rows_apply(build->rows, build->module, build->builder, division->op->meaning.value, 1,
                      operands, 3);
}

// Quotients by one number grow or fall with the dividend, unless that wraps: where the first and
// the last one are the same all are, and then remainders are as far from each other as dividends.
// Remainders tell of that, too: quotients that differ by n move the last one by n divisors.
static LLVMValueRef has_one_quotient(const struct division *division) {
    struct build *build = division->build;
    LLVMBuilderRef b = build->builder;
    const bool grows = division->stride > 0;
    const LLVMIntPredicate order = forms_kind_is_signed(division->row->operands[0])
                                       ? (grows ? LLVMIntSGT : LLVMIntSLT)
                                       : (grows ? LLVMIntUGT : LLVMIntULT);
    const int64_t distance =
        division->row->law == IR_LAW_REMAINDER ? division->stride * (LANES - 1) : 0;
    LLVMValueRef moved = LLVMBuildAdd(
        b, division->of_first, build_constant(build, division->bytes, (uint64_t)distance), here);
    return LLVMBuildAnd(b, LLVMBuildICmp(b, order, division->last, division->first, here),
                        LLVMBuildICmp(b, LLVMIntEQ, division->of_last, moved, here), here);
}

static struct division begin(struct build *build, const struct op *op) {
    struct division division = {.build = build,
                                .op = op,
                                .row = ir_value_row(op->meaning.value),
                                .bytes = op->sources[0].bytes,
                                .stride = build_source_form(build, &op->sources[0]).stride};
    division.first = build_source_first(build, &op->sources[0]);
    division.last = LLVMBuildAdd(
        build->builder, division.first,
        build_constant(build, division.bytes, (uint64_t)division.stride * (LANES - 1)), here);
    return division;
}

// ---- The quotient of the block before ----------------------------------------------------------

// Warps mostly divide by the same number and get what they got last: that is looked at by a
// product, as a division takes as long as a fifth of a stencil's warp.
struct guess {
    LLVMValueRef quotient, remainder; // i32; of the first lane, i64
    LLVMValueRef is_right;            // of all lanes
};

static bool may_guess(const struct division *division) {
    return division->bytes == 4 && division->stride > 0;
}

// first - quotient * divisor is from 0 to below the divisor, and so is the last lane's; 64 bits
// hold the product. Numbers with a sign must not be negative, and none may wrap.
static struct guess check(const struct division *division, LLVMValueRef quotient) {
    struct build *build = division->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef by = build_source_first(build, &division->op->sources[1]);
    LLVMValueRef wide = LLVMBuildZExt(b, by, build->i64, here);
    LLVMValueRef product =
        LLVMBuildMul(b, LLVMBuildZExt(b, quotient, build->i64, here), wide, here);
    LLVMValueRef remainder =
        LLVMBuildSub(b, LLVMBuildZExt(b, division->first, build->i64, here), product, here);
    LLVMValueRef room[] = {wide, build_number(build, (uint64_t)division->stride * (LANES - 1))};
    LLVMValueRef fits =
        LLVMBuildICmp(b, LLVMIntULT, remainder,
                      build_intrinsic(build, "llvm.usub.sat", &build->i64, 1, room, 2), here);
    LLVMValueRef all =
        LLVMBuildOr(b, LLVMBuildOr(b, division->first, by, here), division->last, here);
    LLVMValueRef is_plain =
        forms_kind_is_signed(division->row->operands[0])
            ? LLVMBuildICmp(b, LLVMIntSGE, all, LLVMConstNull(build->i32), here)
            : LLVMBuildICmp(b, LLVMIntUGT, division->last, division->first, here);
    return (struct guess){quotient, remainder, LLVMBuildAnd(b, fits, is_plain, here)};
}

static LLVMValueRef divide(const struct division *division) {
    struct build *build = division->build;
    LLVMValueRef by = build_source_first(build, &division->op->sources[1]),
                 one = LLVMConstInt(build->i32, 1, false);
    LLVMValueRef is_zero =
        LLVMBuildICmp(build->builder, LLVMIntEQ, by, LLVMConstNull(build->i32), here);
    by = LLVMBuildSelect(build->builder, is_zero, one, by, here);
    return LLVMBuildUDiv(build->builder, division->first, by, here);
}

// Of lane 0: the quotient, or what the division is about otherwise.
static LLVMValueRef result_of_guess(const struct division *division, const struct guess *guess) {
    return division->row->law == IR_LAW_QUOTIENT
               ? guess->quotient
               : LLVMBuildTrunc(division->build->builder, guess->remainder, division->build->i32,
                                here);
}

// To `one`, where lane 0's result is in `of_first` then, or to `several`.
static void try_guess(struct division *division, LLVMBasicBlockRef one, LLVMBasicBlockRef several) {
    struct build *build = division->build;
    LLVMBuilderRef b = build->builder;
    const size_t field =
        offsetof(struct sim_warp_flow, quotients) + build->quotients++ * sizeof(uint32_t);
    LLVMBasicBlockRef anew = build_block(build, "anew");
    LLVMValueRef last = build_field(build, build->flow, field, build->i32);
    const struct guess guess = check(division, last);
    LLVMValueRef results[] = {result_of_guess(division, &guess), NULL};
    LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(b), anew};
    build_branch(build, guess.is_right, one, anew);
    LLVMPositionBuilderAtEnd(b, anew);
    LLVMValueRef now = divide(division);
    LLVMBuildStore(b, now, build_pointer(build, build->flow, field, build->i32));
    const struct guess other = check(division, now);
    results[1] = result_of_guess(division, &other);
    build_branch(build, other.is_right, one, several);
    LLVMPositionBuilderAtEnd(b, one);
    division->of_first = LLVMBuildPhi(b, build->i32, here);
    LLVMAddIncoming(division->of_first, results, from, 2);
}

static void divide_first_and_last(struct division *division, LLVMBasicBlockRef one,
                                  LLVMBasicBlockRef several) {
    division->of_first = result_of(division, division->first);
    division->of_last = result_of(division, division->last);
    build_branch(division->build, has_one_quotient(division), one, several);
}

LLVMValueRef build_quotient(struct build *build, const struct op *op) {
    if (!is_division(build, op))
        return NULL;
    LLVMBuilderRef b = build->builder;
    struct division division = begin(build, op);
    LLVMBasicBlockRef one = build_block(build, "one"), several = build_block(build, "several"),
                      behind = build_block(build, "divided");
    if (may_guess(&division) && build->quotients < SIM_QUOTIENTS)
        try_guess(&division, one, several);
    else
        divide_first_and_last(&division, one, several);
    LLVMPositionBuilderAtEnd(b, one);
    const bool is_ramp = division.row->law == IR_LAW_REMAINDER;
    LLVMValueRef results[2];
    results[0] = build_spread(
        build, (struct form){.kind = FORM_RAMP, .stride = is_ramp ? division.stride : 0},
        division.of_first, division.bytes);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, several);
    results[1] = build_row(build, op, LANES);
    LLVMBasicBlockRef from[] = {one, LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(results[0]), here);
    LLVMAddIncoming(result, results, from, 2);
    return result;
}
