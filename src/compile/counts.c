// Instructions that compiled code has executed, as the interpreter counts them: up to a jump, or to
// where lanes meet. See build.h.
#include <stddef.h>

#include "compile/build.h"
#include "sim/flow/warp.h"

static const char here[] = "";

static void add_to(struct build *build, LLVMValueRef place, LLVMValueRef value) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef sum = LLVMBuildAdd(b, LLVMBuildLoad2(b, build->i64, place, here), value, here);
    LLVMBuildStore(b, sum, place);
}

LLVMValueRef build_counted(const struct build *build) {
    LLVMBuilderRef b = build->builder;
    return LLVMBuildAdd(b, LLVMBuildLoad2(b, build->i64, build->count, here),
                        LLVMBuildLoad2(b, build->i64, build->some_count, here), here);
}

// All of what was counted is added to it later, what came before it, too.
void build_begin_spin(struct build *build, LLVMValueRef condition) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef at =
        build_pointer(build, build->flow, offsetof(struct sim_warp_flow, spin), build->i64);
    LLVMValueRef spin = LLVMBuildSelect(b, condition, LLVMBuildNeg(b, build_counted(build), here),
                                        LLVMBuildLoad2(b, build->i64, at, here), here);
    LLVMBuildStore(b, spin, at);
}

void build_account(struct build *build, uint32_t ordinal, LLVMValueRef condition) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef start = LLVMBuildLoad2(b, build->i32, build->run_start, here);
    LLVMValueRef to = LLVMConstInt(build->i32, ordinal, false);
    if (condition)
        to = LLVMBuildSelect(b, condition, to, start, here);
    LLVMValueRef count = LLVMBuildZExt(b, LLVMBuildSub(b, to, start, here), build->i64, here);
    LLVMBuildStore(b, to, build->run_start);
    add_to(build, build->mask ? build->some_count : build->count, count);
    if (build->mask)
        add_to(build, build->some_threads, LLVMBuildMul(b, count, build->mask->count, here));
}

void build_begin_count(struct build *build, uint32_t ordinal, LLVMValueRef condition) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef to = LLVMConstInt(build->i32, ordinal, false);
    if (condition)
        to = LLVMBuildSelect(b, condition, to,
                             LLVMBuildLoad2(b, build->i32, build->run_start, here), here);
    LLVMBuildStore(b, to, build->run_start);
}

uint32_t build_block_ordinal(const struct build *build, uint32_t block) {
    const struct sim_code *code = build->plan->code;
    return code->instrs[code->block_start[block]].ordinal;
}

void build_count_jump(struct build *build, const struct op *op) {
    build_account(build, build->plan->code->instrs[op->at].ordinal + 1, NULL);
    build_begin_count(build, build_block_ordinal(build, op->target), NULL);
}
