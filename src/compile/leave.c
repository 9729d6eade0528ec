// Ways between compiled code and the interpreter. See build.h.
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compile/build.h"
#include "sim/flow/warp.h"

static const char here[] = "";

LLVMValueRef build_instrs(struct build *build) {
    return build_field(build, build->links, offsetof(struct compiled_links, instrs), build->bytes);
}

static LLVMValueRef instr_address(struct build *build, uint32_t instr) {
    return build_pointer(build, build_instrs(build), instr * sizeof(struct sim_instr), build->i8);
}

static void add_to(struct build *build, size_t field, LLVMValueRef value) {
    LLVMValueRef at = build_pointer(build, build->flow, field, build->i64);
    LLVMValueRef sum = LLVMBuildAdd(
        build->builder, LLVMBuildLoad2(build->builder, build->i64, at, here), value, here);
    LLVMBuildStore(build->builder, sum, at);
}

// What was executed so far is counted as jumps of the interpreter count it.
static void save_counts(struct build *build) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef count = LLVMBuildLoad2(b, build->i64, build->count, here);
    LLVMValueRef threads = LLVMBuildMul(b, count, LLVMConstInt(build->i64, LANES, false), here);
    count = LLVMBuildAdd(b, count, LLVMBuildLoad2(b, build->i64, build->some_count, here), here);
    threads =
        LLVMBuildAdd(b, threads, LLVMBuildLoad2(b, build->i64, build->some_threads, here), here);
    add_to(build, offsetof(struct sim_warp_flow, instructions), count);
    add_to(build, offsetof(struct sim_warp_flow, spin), count);
    add_to(build, offsetof(struct sim_warp_flow, thread_instructions), threads);
    LLVMBuildStore(
        build->builder, LLVMBuildLoad2(build->builder, build->i32, build->run_start, here),
        build_pointer(build, build->flow, offsetof(struct sim_warp_flow, run_start), build->i32));
}

// From wherever the warp is left for good: what is done then is made once.
static void leave(struct build *build, LLVMValueRef at) {
    LLVMBuildStore(build->builder, at, build->left_for);
    LLVMBuildBr(build->builder, build->leaving);
}

void build_leaving(struct build *build) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(build->builder);
    build->leaving = build_block(build, "leaving");
    LLVMPositionBuilderAtEnd(build->builder, build->leaving);
    save_counts(build);
    LLVMBuildRet(build->builder,
                 LLVMBuildLoad2(build->builder, build->bytes, build->left_for, here));
    LLVMPositionBuilderAtEnd(build->builder, before);
}

static void save_live(struct build *build, uint32_t op,
                      void (*save)(struct build *build, uint32_t reg)) {
    for (uint32_t r = 0; r < build->plan->function->register_count; r++)
        if (plan_is_live(build->plan, op, r))
            save(build, r);
}

// A place is left twice where registers hold the same: a jump, when a slice is used up and where
// lanes part.
static void note_exit(struct build *build, uint32_t instr, uint32_t ramp) {
    const struct compiled_way way = {
        .instr = instr, .ramp = ramp, .ramps = (uint32_t)build->ways.ramps.length - ramp};
    const size_t count = build->ways.exits.length;
    if (!count || build->ways.exits.data[count - 1].instr != instr)
        vec_push(&build->ways.exits, way);
}

void build_leave(struct build *build, uint32_t op) {
    const uint32_t instr = build->plan->ops[op].first;
    if (build->plan->ops[op].kind == OP_LEAVE) {
        save_live(build, op, build_save);
        save_counts(build);
        build_meet(build, instr);
        return;
    }
    const uint32_t ramp = (uint32_t)build->ways.ramps.length;
    save_live(build, op, build_save_short);
    note_exit(build, instr, ramp);
    leave(build, instr_address(build, instr));
}

// Returns where what is called does not go on at `next`.
static void call(struct build *build, LLVMValueRef callee, LLVMValueRef more[], unsigned count,
                 uint32_t next) {
    LLVMTypeRef parameters[4] = {build->bytes};
    LLVMValueRef arguments[4] = {build->warp};
    for (unsigned i = 0; i < count; i++) {
        arguments[i + 1] = more[i];
        parameters[i + 1] = LLVMTypeOf(more[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(build->bytes, parameters, count + 1, false);
    LLVMValueRef function =
        LLVMBuildBitCast(build->builder, callee, LLVMPointerType(type, 0), here);
    LLVMValueRef result =
        LLVMBuildCall2(build->builder, type, function, arguments, count + 1, here);
    LLVMValueRef goes_on =
        LLVMBuildICmp(build->builder, LLVMIntEQ, result, instr_address(build, next), here);
    LLVMBasicBlockRef rare = build_unless(build, goes_on);
    LLVMBasicBlockRef usual = LLVMGetInsertBlock(build->builder);
    LLVMPositionBuilderAtEnd(build->builder, rare);
    leave(build, result);
    LLVMPositionBuilderAtEnd(build->builder, usual);
}

static LLVMValueRef mask_bits(const struct build *build) {
    return build->mask ? build->mask->bits : LLVMConstAllOnes(build->i32);
}

void build_run_segment(struct build *build, uint32_t segment, uint32_t next) {
    LLVMValueRef more[] = {LLVMConstInt(build->i32, segment, false), mask_bits(build)};
    call(build,
         build_field(build, build->links, offsetof(struct compiled_links, run_segment),
                     build->bytes),
         more, 2, next);
}

// ---- Handlers of the interpreter ----------------------------------------------------------------

struct visit {
    struct build *build;
    uint32_t op;
};

static void save_register(void *context, uint32_t reg, bool is_written) {
    const struct visit *visit = context;
    if (!is_written || plan_is_live(visit->build->plan, visit->op, reg))
        build_save(visit->build, reg);
}

static void load_register(void *context, uint32_t reg, bool is_written) {
    const struct visit *visit = context;
    struct build *build = visit->build;
    if (is_written && build_keeps(build, reg))
        build_assign(build, reg, build_load(build, reg, build->forms[reg]).value);
    else if (is_written)
        build->held[reg] = build_load(build, reg, build->forms[reg]);
}

void build_interpreted(struct build *build, uint32_t op) {
    const struct op *o = &build->plan->ops[op];
    const struct ir_instruction *ir = &build->plan->function->instructions[o->ir];
    struct visit visit = {build, op};
    ir_visit_registers(ir, save_register, &visit);
    if (build->mask) {
        LLVMValueRef more[] = {LLVMConstInt(build->i32, o->first, false),
                               LLVMConstInt(build->i32, o->at + 1, false), build->mask->bits};
        call(build,
             build_field(build, build->links, offsetof(struct compiled_links, run_some),
                         build->bytes),
             more, 3, o->at + 1);
    } else {
        LLVMValueRef handlers = build_field(
            build, build->links, offsetof(struct compiled_links, handlers), build->bytes);
        LLVMValueRef more[] = {instr_address(build, o->first)};
        call(build, build_field(build, handlers, o->first * sizeof(sim_handler), build->bytes),
             more, 1, o->at + 1);
    }
    ir_visit_registers(ir, load_register, &visit);
}

// ---- Entries --------------------------------------------------------------------------------

// What registers hold at an entry, as who enters has to see to.
static void load_entry(struct build *build, uint32_t op, struct held *held,
                       const struct form *forms) {
    struct compiled_way entry = {.instr = build->plan->ops[op].first,
                                 .ramp = (uint32_t)build->ways.ramps.length};
    uint64_t *doubts = doubts_before(build->plan, op);
    for (uint32_t r = 0; r < build->plan->function->register_count; r++) {
        if (!plan_is_live(build->plan, op, r))
            continue;
        held[r] = build_load(build, r, forms[r]);
        if (forms[r].kind == FORM_RAMP && plan_has(doubts, r))
            build_note_ramp(build, r, forms[r]);
    }
    free(doubts);
    entry.ramps = (uint32_t)build->ways.ramps.length - entry.ramp;
    vec_push(&build->ways.entries, entry);
}

void build_entry(struct build *build, uint32_t op, LLVMBasicBlockRef to, bool is_block) {
    const uint32_t count = build->plan->function->register_count;
    LLVMBuilderRef b = build->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), way_in = build_block(build, "entry");
    LLVMAddCase(build->dispatch, build_number(build, build->plan->ops[op].first), way_in);
    const uint32_t block = ir_block_of(build->plan->function, build->plan->ops[op].ir);
    struct held *held = base_alloc((count + 1) * sizeof *held);
    LLVMPositionBuilderAtEnd(b, way_in);
    load_entry(build, op, held, is_block ? plan_forms(build->plan, block) : build->forms);
    for (uint32_t r = 0; r < count; r++) {
        if (!is_block)
            build->held[r] = held[r]; // nothing where nobody needs it
        else if (held[r].value)
            LLVMAddIncoming(build->phis[block][r], &held[r].value, &way_in, 1);
    }
    LLVMBuildBr(b, to);
    free(held);
    LLVMPositionBuilderAtEnd(b, before);
}
