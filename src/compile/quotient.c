// Quotients and remainders of numbers that grow from lane to lane: mostly those of a warp have one
// quotient, as where an index becomes a row and a column. See build.h.
#include "compile/build.h"

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
    division.of_first = result_of(&division, division.first);
    division.of_last = result_of(&division, division.last);
    return division;
}

LLVMValueRef build_quotient(struct build *build, const struct op *op) {
    if (!is_division(build, op))
        return NULL;
    LLVMBuilderRef b = build->builder;
    const struct division division = begin(build, op);
    LLVMBasicBlockRef one = build_block(build, "one"), several = build_block(build, "several"),
                      behind = build_block(build, "divided");
    build_branch(build, has_one_quotient(&division), one, several);
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
