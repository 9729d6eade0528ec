// Rows of value.def, copied instruction by instruction, for one lane or in vectors. See rows.h.
#include "compile/rows.h"

#include <llvm-c/BitReader.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

// compile/meson.build makes this of rows.c.
extern const unsigned char compile_rows[];
extern const size_t compile_rows_bytes;

struct rows {
    LLVMModuleRef module;
    LLVMValueRef functions[IR_VALUE_COUNT]; // NULL: it has jumps, or there is none
    bool is_nan_blind[IR_VALUE_COUNT];
};

enum { MOST_STEPS = 160, MOST_OPERANDS = 4 };

static bool is_plain(LLVMValueRef function) {
    if (LLVMCountBasicBlocks(function) != 1)
        return false;
    unsigned steps = 0;
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    for (; at; at = LLVMGetNextInstruction(at)) {
        if (++steps > MOST_STEPS)
            return false;
        switch (LLVMGetInstructionOpcode(at)) {
        case LLVMCall:
            if (!LLVMGetIntrinsicID(LLVMGetCalledValue(at)))
                return false;
            break;
        case LLVMAlloca:
        case LLVMLoad:
        case LLVMStore:
        case LLVMGetElementPtr:
        case LLVMExtractValue:
        case LLVMInsertValue:
            return false;
        default:
            break;
        }
    }
    return true;
}

static bool is_arithmetic(unsigned intrinsic) {
    static const char *const names[] = {"llvm.fma", "llvm.trunc", "llvm.rint", "llvm.floor",
                                        "llvm.ceil"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (intrinsic == LLVMLookupIntrinsicID(names[i], strlen(names[i])))
            return true;
    return false;
}

// Arithmetic alone, of which a result that is NaN becomes one and the same.
static bool is_nan_blind(LLVMValueRef function) {
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    for (; LLVMGetInstructionOpcode(at) != LLVMRet; at = LLVMGetNextInstruction(at)) {
        switch (LLVMGetInstructionOpcode(at)) {
        case LLVMFAdd:
        case LLVMFSub:
        case LLVMFMul:
        case LLVMFDiv:
        case LLVMFCmp:
        case LLVMFPToSI:
        case LLVMFPToUI:
        case LLVMSelect:
            break;
        case LLVMCall:
            if (!is_arithmetic(LLVMGetIntrinsicID(LLVMGetCalledValue(at))))
                return false;
            break;
        default:
            return false;
        }
    }
    LLVMValueRef result = LLVMGetOperand(at, 0);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(result));
    return kind == LLVMIntegerTypeKind ||
           (kind == LLVMFloatTypeKind && rows_before_nan(result) != NULL);
}

LLVMValueRef rows_before_nan(LLVMValueRef value) {
    if (!LLVMIsASelectInst(value) || !LLVMIsAFCmpInst(LLVMGetOperand(value, 0)))
        return NULL;
    LLVMValueRef test = LLVMGetOperand(value, 0), x = LLVMGetOperand(value, 1);
    return LLVMGetFCmpPredicate(test) == LLVMRealORD && LLVMGetOperand(test, 0) == x ? x : NULL;
}

struct rows *rows_load(LLVMContextRef context) {
    struct rows *rows = base_alloc(sizeof *rows);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)compile_rows, compile_rows_bytes, "rows", false);
    if (LLVMParseBitcodeInContext2(context, buffer, &rows->module)) {
        free(rows);
        return NULL;
    }
    for (enum ir_value value = IR_VALUE_NONE + 1; value < IR_VALUE_COUNT; value++) {
        char name[128] = "row_";
        strncat(name, ir_value_row(value)->name, sizeof name - 5);
        LLVMValueRef function = LLVMGetNamedFunction(rows->module, name);
        if (!function || !is_plain(function))
            continue;
        rows->functions[value] = function;
        rows->is_nan_blind[value] = is_nan_blind(function);
    }
    return rows;
}

bool rows_has(const struct rows *rows, enum ir_value value) {
    return rows->functions[value] != NULL;
}

bool rows_is_nan_blind(const struct rows *rows, enum ir_value value) {
    return rows->is_nan_blind[value];
}

LLVMTypeRef rows_type(const struct rows *rows, enum ir_value value, unsigned parameter) {
    return LLVMTypeOf(LLVMGetParam(rows->functions[value], parameter));
}

// ---- Copies ---------------------------------------------------------------------------------

struct copy {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    unsigned lanes;
    unsigned count;
    LLVMValueRef from[MOST_STEPS + 8];
    struct rows_operand to[MOST_STEPS + 8]; // `all`: once it is asked for
};

static LLVMTypeRef widened(const struct copy *copy, LLVMTypeRef type) {
    return copy->lanes == 1 ? type : LLVMVectorType(type, copy->lanes);
}

LLVMValueRef rows_spread(LLVMBuilderRef builder, LLVMValueRef one, unsigned lanes) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(one)));
    LLVMValueRef undefined = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(one), lanes));
    LLVMValueRef first =
        LLVMBuildInsertElement(builder, undefined, one, LLVMConstInt(i32, 0, false), "");
    return LLVMBuildShuffleVector(builder, first, undefined,
                                  LLVMConstNull(LLVMVectorType(i32, lanes)), "");
}

static LLVMValueRef splat_constant(const struct copy *copy, LLVMValueRef constant) {
    if (copy->lanes == 1)
        return constant;
    LLVMValueRef all[32];
    for (unsigned l = 0; l < copy->lanes; l++)
        all[l] = constant;
    return LLVMConstVector(all, copy->lanes);
}

// What a value has become; NULL: it is a constant.
static struct rows_operand *made_of(struct copy *copy, LLVMValueRef value) {
    for (unsigned i = 0; i < copy->count; i++)
        if (copy->from[i] == value)
            return &copy->to[i];
    return NULL;
}

static LLVMValueRef find(struct copy *copy, LLVMValueRef value) {
    struct rows_operand *made = made_of(copy, value);
    if (!made)
        return splat_constant(copy, value);
    if (copy->lanes == 1)
        return made->one;
    if (!made->all)
        made->all = rows_spread(copy->builder, made->one, copy->lanes);
    return made->all;
}

// Whether a step has the same result in all lanes.
static bool is_step_of_one(struct copy *copy, LLVMValueRef at) {
    const int count = LLVMGetInstructionOpcode(at) == LLVMCall ? (int)LLVMGetNumArgOperands(at)
                                                               : LLVMGetNumOperands(at);
    bool all = true;
    for (int i = 0; i < count; i++) {
        const struct rows_operand *made = made_of(copy, LLVMGetOperand(at, (unsigned)i));
        all &= !made || made->one;
    }
    return all;
}

// Overloaded by the types of the result and, where they may differ, of no others.
static LLVMValueRef copy_intrinsic(struct copy *copy, LLVMValueRef at) {
    const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(at));
    const unsigned count = LLVMGetNumArgOperands(at);
    LLVMTypeRef type = widened(copy, LLVMTypeOf(at));
    LLVMValueRef declared = LLVMGetIntrinsicDeclaration(copy->module, id, &type, 1);
    LLVMTypeRef types[MOST_OPERANDS];
    LLVMValueRef arguments[MOST_OPERANDS];
    LLVMTypeRef signature = LLVMGetElementType(LLVMTypeOf(declared));
    LLVMGetParamTypes(signature, types);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef argument = LLVMGetOperand(at, i);
        const bool is_same = LLVMGetTypeKind(types[i]) != LLVMVectorTypeKind && copy->lanes > 1;
        arguments[i] = is_same ? argument : find(copy, argument);
    }
    return LLVMBuildCall2(copy->builder, signature, declared, arguments, count, "");
}

static LLVMValueRef copy_step(struct copy *copy, LLVMValueRef at) {
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    LLVMBuilderRef builder = copy->builder;
    if (opcode == LLVMCall)
        return copy_intrinsic(copy, at);
    LLVMValueRef a = find(copy, LLVMGetOperand(at, 0));
    switch (opcode) {
    case LLVMICmp:
        return LLVMBuildICmp(builder, LLVMGetICmpPredicate(at), a,
                             find(copy, LLVMGetOperand(at, 1)), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(at), a,
                             find(copy, LLVMGetOperand(at, 1)), "");
    case LLVMSelect:
        return LLVMBuildSelect(builder, a, find(copy, LLVMGetOperand(at, 1)),
                               find(copy, LLVMGetOperand(at, 2)), "");
    case LLVMFNeg:
        return LLVMBuildFNeg(builder, a, "");
    case LLVMFreeze:
        return LLVMBuildFreeze(builder, a, "");
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMBitCast:
        return LLVMBuildCast(builder, opcode, a, widened(copy, LLVMTypeOf(at)), "");
    default:
        return LLVMBuildBinOp(builder, opcode, a, find(copy, LLVMGetOperand(at, 1)), "");
    }
}

static void copy_and_note(struct copy *copy, LLVMValueRef at) {
    const unsigned lanes = copy->lanes;
    const bool is_of_one = is_step_of_one(copy, at);
    copy->lanes = is_of_one ? 1 : lanes;
    LLVMValueRef made = copy_step(copy, at);
    copy->lanes = lanes;
    copy->to[copy->count] =
        is_of_one ? (struct rows_operand){.one = made} : (struct rows_operand){.all = made};
    copy->from[copy->count++] = at;
}

LLVMValueRef rows_apply(const struct rows *rows, LLVMModuleRef module, LLVMBuilderRef builder,
                        enum ir_value value, unsigned lanes, const struct rows_operand *operands,
                        unsigned count) {
    LLVMValueRef function = rows->functions[value];
    struct copy copy = {.module = module, .builder = builder, .lanes = lanes, .count = count};
    for (unsigned i = 0; i < count; i++) {
        copy.from[i] = LLVMGetParam(function, i);
        copy.to[i] = operands[i];
    }
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    for (; LLVMGetInstructionOpcode(at) != LLVMRet; at = LLVMGetNextInstruction(at))
        copy_and_note(&copy, at);
    return find(&copy, LLVMGetOperand(at, 0));
}
