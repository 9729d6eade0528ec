// Predicates of all lanes as the bits of one number, and back. Processors with mask registers have
// them so; others have lanes whose signs say it. See build.h.
#include "compile/build.h"

static const char here[] = "";

// Lanes whose comparison such a processor makes at once; how far what is compared is looked for.
enum { PART = 8, MOST_DEPTH = 8 };

// From each lane's bit to the sign.
static LLVMValueRef distances(const struct build *build) {
    LLVMValueRef result[LANES];
    for (unsigned l = 0; l < LANES; l++)
        result[l] = LLVMConstInt(build->i32, LANES - 1 - l, false);
    return LLVMConstVector(result, LANES);
}

static bool is_logic(LLVMOpcode how) {
    return how == LLVMAnd || how == LLVMOr || how == LLVMXor;
}

// Whether a predicate is made of comparisons of words, which are lanes of 32 bits.
static bool is_of_words(const struct build *build, LLVMValueRef predicate, unsigned depth) {
    if (!LLVMIsAInstruction(predicate))
        return LLVMIsConstant(predicate);
    const LLVMOpcode how = LLVMGetInstructionOpcode(predicate);
    if (is_logic(how))
        return depth && is_of_words(build, LLVMGetOperand(predicate, 0), depth - 1) &&
               is_of_words(build, LLVMGetOperand(predicate, 1), depth - 1);
    if (how != LLVMICmp && how != LLVMFCmp)
        return false;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(predicate, 0)));
    return type == build->i32 || type == LLVMFloatTypeInContext(build->context);
}

// What some lanes' predicate is, by the comparisons that it is made of: as 32 lanes LLVM puts each
// of them together as bytes.
static LLVMValueRef narrowed(struct build *build, LLVMValueRef predicate, unsigned first) {
    LLVMBuilderRef b = build->builder;
    if (!LLVMIsAInstruction(predicate))
        return build_part(build, predicate, first, PART);
    const LLVMOpcode how = LLVMGetInstructionOpcode(predicate);
    LLVMValueRef one = LLVMGetOperand(predicate, 0), other = LLVMGetOperand(predicate, 1);
    if (is_logic(how))
        return LLVMBuildBinOp(b, how, narrowed(build, one, first), narrowed(build, other, first),
                              here);
    one = build_part(build, one, first, PART);
    other = build_part(build, other, first, PART);
    return how == LLVMICmp ? LLVMBuildICmp(b, LLVMGetICmpPredicate(predicate), one, other, here)
                           : LLVMBuildFCmp(b, LLVMGetFCmpPredicate(predicate), one, other, here);
}

// The signs of a part's lanes.
static LLVMValueRef bits_of_part(struct build *build, LLVMValueRef part) {
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(build->context), PART);
    LLVMValueRef signs = LLVMBuildSExt(b, part, LLVMVectorType(build->i32, PART), here);
    signs = LLVMBuildBitCast(b, signs, floats, here);
    return build_intrinsic(build, "llvm.x86.avx.movmsk.ps.256", NULL, 0, &signs, 1);
}

static bool has_parts(const struct build *build, LLVMValueRef predicate) {
    return build->has_permutations && !build->has_mask_registers && LLVMIsAInstruction(predicate) &&
           is_of_words(build, predicate, MOST_DEPTH);
}

// ---- Bits that are there already ----------------------------------------------------------------

static bool is_instruction(LLVMValueRef value, LLVMOpcode how) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == how;
}

// What rows_spread() was given. NULL: it did not make the value.
static LLVMValueRef spread_one(LLVMValueRef all) {
    if (!is_instruction(all, LLVMShuffleVector))
        return NULL;
    for (unsigned l = 0; l < LANES; l++)
        if (LLVMGetMaskValue(all, l) != 0)
            return NULL;
    LLVMValueRef first = LLVMGetOperand(all, 0);
    if (!is_instruction(first, LLVMInsertElement) || !LLVMIsNull(LLVMGetOperand(first, 2)))
        return NULL;
    return LLVMGetOperand(first, 1);
}

// What build_predicate() was given. NULL: it did not make the predicate.
static LLVMValueRef given_bits(const struct build *build, LLVMValueRef predicate) {
    if (build->has_mask_registers)
        return is_instruction(predicate, LLVMBitCast) ? LLVMGetOperand(predicate, 0) : NULL;
    if (!is_instruction(predicate, LLVMICmp) || LLVMGetICmpPredicate(predicate) != LLVMIntSLT)
        return NULL;
    LLVMValueRef all = LLVMGetOperand(predicate, 0);
    if (!is_instruction(all, LLVMShl) || LLVMGetOperand(all, 1) != distances(build))
        return NULL;
    return spread_one(LLVMGetOperand(all, 0));
}

static LLVMValueRef inverted(LLVMValueRef predicate) {
    const bool is_not = is_instruction(predicate, LLVMXor) &&
                        LLVMGetOperand(predicate, 1) == LLVMConstAllOnes(LLVMTypeOf(predicate));
    return is_not ? LLVMGetOperand(predicate, 0) : NULL;
}

// What takes no look at lanes: a number's own, or those of one lane's that all have. NULL: it does.
static LLVMValueRef known_bits(struct build *build, LLVMValueRef predicate) {
    LLVMValueRef bits = given_bits(build, predicate), one = spread_one(predicate);
    return one ? LLVMBuildSExt(build->builder, one, build->i32, here) : bits;
}

// By numbers where one of both is. NULL: neither is.
static LLVMValueRef bits_of_logic(struct build *build, LLVMValueRef predicate) {
    if (!LLVMIsAInstruction(predicate) || !is_logic(LLVMGetInstructionOpcode(predicate)))
        return NULL;
    LLVMValueRef one = LLVMGetOperand(predicate, 0), other = LLVMGetOperand(predicate, 1);
    LLVMValueRef bits = known_bits(build, one), others = known_bits(build, other);
    if (!bits && !others)
        return NULL;
    return LLVMBuildBinOp(build->builder, LLVMGetInstructionOpcode(predicate),
                          bits ? bits : build_bits(build, one),
                          others ? others : build_bits(build, other), here);
}

LLVMValueRef build_bits(struct build *build, LLVMValueRef predicate) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef bits = known_bits(build, predicate), other = inverted(predicate);
    if (bits || other)
        return bits ? bits : LLVMBuildNot(b, build_bits(build, other), here);
    bits = bits_of_logic(build, predicate);
    if (bits)
        return bits;
    if (!has_parts(build, predicate))
        return LLVMBuildBitCast(b, predicate, build->i32, here);
    LLVMValueRef all = NULL;
    for (unsigned first = 0; first < LANES; first += PART) {
        LLVMValueRef part = bits_of_part(build, narrowed(build, predicate, first));
        part = LLVMBuildShl(b, part, LLVMConstInt(build->i32, first, false), here);
        all = all ? LLVMBuildOr(b, all, part, here) : part;
    }
    return all;
}

// All parts' lanes, one on the other, by a logical operation; then whether those bits are all.
static LLVMValueRef is_as(struct build *build, LLVMValueRef predicate, LLVMOpcode how,
                          uint32_t bits) {
    LLVMBuilderRef b = build->builder;
    if (given_bits(build, predicate) || !has_parts(build, predicate))
        return LLVMBuildICmp(b, LLVMIntEQ, build_bits(build, predicate),
                             LLVMConstInt(build->i32, bits, false), here);
    LLVMValueRef all = narrowed(build, predicate, 0);
    for (unsigned first = PART; first < LANES; first += PART)
        all = LLVMBuildBinOp(b, how, all, narrowed(build, predicate, first), here);
    bits &= (1u << PART) - 1;
    return LLVMBuildICmp(b, LLVMIntEQ, bits_of_part(build, all),
                         LLVMConstInt(build->i32, bits, false), here);
}

LLVMValueRef build_is_none(struct build *build, LLVMValueRef predicate) {
    return is_as(build, predicate, LLVMOr, 0);
}

LLVMValueRef build_is_all(struct build *build, LLVMValueRef predicate) {
    return is_as(build, predicate, LLVMAnd, UINT32_MAX);
}

// As one number's bits LLVM takes them one by one where selects and masked accesses look at signs.
LLVMValueRef build_predicate(struct build *build, LLVMValueRef bits) {
    if (build->has_mask_registers)
        return LLVMBuildBitCast(build->builder, bits, LLVMVectorType(build->i1, LANES), here);
    LLVMValueRef all = LLVMBuildShl(build->builder, rows_spread(build->builder, bits, LANES),
                                    distances(build), here);
    return LLVMBuildICmp(build->builder, LLVMIntSLT, all, LLVMConstNull(LLVMTypeOf(all)), here);
}
