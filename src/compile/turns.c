// Warps that take turns: where one has come to a barrier, or ends, the next one begins. See struct
// compiled_turns and build.h.
#include <stddef.h>

#include "compile/build.h"
#include "sim/flow/warp.h"

static const char here[] = "";

struct step {
    struct build *build;
    LLVMValueRef turns;
    LLVMBasicBlockRef alone; // nobody follows
};

static void store(struct build *build, LLVMValueRef record, size_t offset, LLVMValueRef value) {
    LLVMBuildStore(build->builder, value, build_pointer(build, record, offset, LLVMTypeOf(value)));
}

// Goes on where the condition holds; else the warp is left alone.
static void need(struct step *step, LLVMValueRef condition) {
    struct build *build = step->build;
    LLVMBasicBlockRef next = build_block(build, "next");
    build_branch(build, condition, next, step->alone);
    LLVMPositionBuilderAtEnd(build->builder, next);
}

static LLVMValueRef is_equal(struct build *build, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(build->builder, LLVMIntEQ, a, b, here);
}

// Of a table of the turns, by instruction.
static LLVMValueRef element(struct step *step, size_t table, LLVMValueRef instr, uint64_t bytes,
                            LLVMTypeRef type) {
    struct build *build = step->build;
    LLVMValueRef offset = LLVMBuildMul(build->builder, instr, build_number(build, bytes), here);
    return build_pointer_by(build, build_field(build, step->turns, table, build->bytes), offset,
                            type);
}

static LLVMValueRef meeting_at(struct step *step, LLVMValueRef instr) {
    struct build *build = step->build;
    LLVMValueRef at = element(step, offsetof(struct compiled_turns, meetings), instr,
                              sizeof(enum native_meeting), build->i32);
    return LLVMBuildLoad2(build->builder, build->i32, at, here);
}

static LLVMValueRef entry_of(struct step *step, LLVMValueRef instr) {
    return element(step, offsetof(struct compiled_turns, entries), instr,
                   sizeof(struct native_entry), step->build->i8);
}

// A warp that begins.
struct beginner {
    LLVMValueRef warp, flow, at;
    LLVMValueRef done, start; // its flow's `instructions` and `run_start`
};

static struct beginner read_beginner(struct build *build, LLVMValueRef warp, LLVMValueRef flow,
                                     LLVMValueRef at) {
    return (struct beginner){
        .warp = warp,
        .flow = flow,
        .at = at,
        .done = build_field(build, flow, offsetof(struct sim_warp_flow, instructions), build->i64),
        .start = build_field(build, flow, offsetof(struct sim_warp_flow, run_start), build->i32),
    };
}

static void need_no_look(struct step *step, const struct beginner *beginner) {
    struct build *build = step->build;
    LLVMValueRef look_at =
        build_field(build, beginner->flow, offsetof(struct sim_warp_flow, look_at), build->i64);
    need(step, LLVMBuildICmp(build->builder, LLVMIntULT, beginner->done, look_at, here));
}

static void arrive(struct build *build, const struct beginner *beginner) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(build->builder);
    LLVMValueRef phis[] = {build->warp, build->flow, build->at, build->start};
    LLVMValueRef values[] = {beginner->warp, beginner->flow, beginner->at, beginner->start};
    for (unsigned i = 0; i < sizeof phis / sizeof *phis; i++)
        LLVMAddIncoming(phis[i], &values[i], &from, 1);
}

// The turns know where.
static void begin(struct step *step, const struct beginner *beginner) {
    struct build *build = step->build;
    LLVMValueRef turns = step->turns;
    store(build, turns, offsetof(struct compiled_turns, now), beginner->warp);
    store(build, turns, offsetof(struct compiled_turns, instructions), beginner->done);
    store(build, turns, offsetof(struct compiled_turns, run_start), beginner->start);
    arrive(build, beginner);
    LLVMBuildBr(build->builder, build->turn);
}

// Around to the first one of the block, unless that may not follow.
static LLVMValueRef next_warp(struct step *step) {
    struct build *build = step->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef next = build_pointer(build, build->warp, sizeof(struct sim_warp), build->i8);
    LLVMValueRef end =
        build_field(build, step->turns, offsetof(struct compiled_turns, end), build->bytes);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b), is_last = build_block(build, "is_last"),
                      chosen = build_block(build, "chosen");
    build_branch(build, LLVMBuildICmp(b, LLVMIntNE, next, end, here), chosen, is_last);
    LLVMPositionBuilderAtEnd(b, is_last);
    LLVMValueRef begin =
        build_field(build, step->turns, offsetof(struct compiled_turns, begin), build->bytes);
    need(step, LLVMBuildIsNotNull(b, begin, here));
    LLVMBasicBlockRef around = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, chosen);
    LLVMPositionBuilderAtEnd(b, chosen);
    LLVMValueRef result = LLVMBuildPhi(b, build->bytes, here);
    LLVMAddIncoming(result, &next, &from, 1);
    LLVMAddIncoming(result, &begin, &around, 1);
    return result;
}

// The first of a round says where the others have to come.
static void meet(struct step *step) {
    struct build *build = step->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef to =
        build_field(build, step->turns, offsetof(struct compiled_turns, to), build->i64);
    LLVMBasicBlockRef has_come = build_block(build, "has_come"),
                      is_first = build_block(build, "first"), other = build_block(build, "other");
    build_branch(build, is_equal(build, to, build->left_at), has_come, other);
    LLVMPositionBuilderAtEnd(b, other);
    build_branch(build, is_equal(build, to, build_number(build, COMPILED_NOWHERE)), is_first,
                 step->alone);
    LLVMPositionBuilderAtEnd(b, is_first);
    LLVMValueRef meeting = meeting_at(step, build->left_at);
    LLVMValueRef may_end =
        build_field(build, step->turns, offsetof(struct compiled_turns, may_end), build->i32);
    // A barrier, or an end that is allowed.
    LLVMValueRef from_barrier =
        LLVMBuildSub(b, meeting, LLVMConstInt(build->i32, NATIVE_BARRIER, false), here);
    need(step, LLVMBuildICmp(b, LLVMIntULE, from_barrier, may_end, here));
    store(build, step->turns, offsetof(struct compiled_turns, to), build->left_at);
    LLVMBuildBr(b, has_come);
    LLVMPositionBuilderAtEnd(b, has_come);
}

// The one that is next begins as this one did. What it did before its turn, and is counted in it,
// does not count as done in it: less than 0.
static void follow(struct step *step, LLVMValueRef next) {
    struct build *build = step->build;
    LLVMValueRef turns = step->turns;
    const struct beginner beginner = read_beginner(
        build, next, build_field(build, next, offsetof(struct sim_warp, flow), build->bytes),
        build_field(build, turns, offsetof(struct compiled_turns, at), build->i64));
    need_no_look(step, &beginner);
    LLVMValueRef ordinal =
        build_field(build, turns, offsetof(struct compiled_turns, ordinal), build->i32);
    LLVMValueRef before = LLVMBuildSub(build->builder, beginner.start, ordinal, here);
    store(build, beginner.flow, offsetof(struct sim_warp_flow, spin),
          LLVMBuildSExt(build->builder, before, build->i64, here));
    begin(step, &beginner);
}

// All have ended: the first one of the next block begins.
static void begin_block(struct step *step) {
    struct build *build = step->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef next =
        build_field(build, step->turns, offsetof(struct compiled_turns, next_block), build->bytes);
    need(step, LLVMBuildIsNotNull(b, next, here));
    LLVMTypeRef type = LLVMFunctionType(build->bytes, &build->bytes, 1, false);
    next = LLVMBuildBitCast(b, next, LLVMPointerType(type, 0), here);
    LLVMValueRef goes_on = LLVMBuildCall2(b, type, next, &step->turns, 1, here);
    LLVMBasicBlockRef begins = build_block(build, "begins"), leaves = build_block(build, "leaves");
    build_branch(build, LLVMBuildIsNull(b, goes_on, here), begins, leaves);
    LLVMPositionBuilderAtEnd(b, leaves);
    LLVMBuildRet(b, goes_on);
    LLVMPositionBuilderAtEnd(b, begins);
    LLVMValueRef warp =
        build_field(build, step->turns, offsetof(struct compiled_turns, now), build->bytes);
    LLVMValueRef flow = build_field(build, warp, offsetof(struct sim_warp, flow), build->bytes);
    const struct beginner beginner = read_beginner(build, warp, flow, build_number(build, 0));
    arrive(build, &beginner);
    LLVMBuildBr(b, build->turn);
}

// All have come: the last one goes on behind the barrier.
static void begin_round(struct step *step) {
    struct build *build = step->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef turns = step->turns,
                 at = LLVMBuildAdd(b, build->left_at, build_number(build, 1), here);
    LLVMBasicBlockRef barrier = build_block(build, "waited"), end = build_block(build, "ended");
    build_branch(build,
                 is_equal(build, meeting_at(step, build->left_at),
                          LLVMConstInt(build->i32, NATIVE_BARRIER, false)),
                 barrier, end);
    LLVMPositionBuilderAtEnd(b, end);
    begin_block(step);
    LLVMPositionBuilderAtEnd(b, barrier);
    LLVMValueRef is_open =
        build_field(build, entry_of(step, at), offsetof(struct native_entry, is_open), build->i8);
    need(step, LLVMBuildICmp(b, LLVMIntNE, is_open, LLVMConstInt(build->i8, 0, false), here));
    const struct beginner beginner = read_beginner(build, build->warp, build->flow, at);
    need_no_look(step, &beginner);
    LLVMValueRef entry = entry_of(step, build->at);
    LLVMValueRef one = build_number(build, 1);
    store(build, entry, offsetof(struct native_entry, rounds),
          LLVMBuildAdd(b,
                       build_field(build, entry, offsetof(struct native_entry, rounds), build->i64),
                       one, here));
    store(build, turns, offsetof(struct compiled_turns, rounds),
          LLVMBuildAdd(
              b, build_field(build, turns, offsetof(struct compiled_turns, rounds), build->i64),
              one, here));
    store(build, turns, offsetof(struct compiled_turns, at), at);
    store(build, turns, offsetof(struct compiled_turns, to), build_number(build, COMPILED_NOWHERE));
    store(build, turns, offsetof(struct compiled_turns, first), build->warp);
    store(build, turns, offsetof(struct compiled_turns, ordinal), build->left_ordinal);
    begin(step, &beginner);
}

void build_turn(struct build *build, LLVMValueRef at) {
    LLVMBuilderRef b = build->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    build->turn = build_block(build, "turn");
    LLVMPositionBuilderAtEnd(b, build->turn);
    build->warp = LLVMBuildPhi(b, build->bytes, here);
    build->flow = LLVMBuildPhi(b, build->bytes, here);
    build->at = LLVMBuildPhi(b, build->i64, here);
    build->start = LLVMBuildPhi(b, build->i32, here);
    LLVMPositionBuilderAtEnd(b, before);
    LLVMValueRef warp = LLVMGetParam(build->function, 0);
    const struct beginner beginner = read_beginner(
        build, warp, build_field(build, warp, offsetof(struct sim_warp, flow), build->bytes), at);
    arrive(build, &beginner);
    LLVMBuildBr(b, build->turn);
    LLVMPositionBuilderAtEnd(b, build->turn);
}

void build_turn_end(struct build *build) {
    LLVMBuilderRef b = build->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    struct step step = {build, LLVMGetParam(build->function, 4), build_block(build, "alone")};
    build->step = build_block(build, "step");
    LLVMPositionBuilderAtEnd(b, build->step);
    build->left_at = LLVMBuildPhi(b, build->i64, here);
    build->left_ordinal = LLVMBuildPhi(b, build->i32, here);
    LLVMValueRef stops =
        build_field(build, step.turns, offsetof(struct compiled_turns, stops), build->i32);
    need(&step, is_equal(build, stops, LLVMConstInt(build->i32, 0, false)));
    meet(&step);
    LLVMValueRef next = next_warp(&step);
    LLVMValueRef first =
        build_field(build, step.turns, offsetof(struct compiled_turns, first), build->bytes);
    LLVMBasicBlockRef all = build_block(build, "all"), more = build_block(build, "more");
    build_branch(build, LLVMBuildICmp(b, LLVMIntNE, next, first, here), more, all);
    LLVMPositionBuilderAtEnd(b, more);
    follow(&step, next);
    LLVMPositionBuilderAtEnd(b, all);
    begin_round(&step);
    LLVMPositionBuilderAtEnd(b, step.alone);
    LLVMValueRef offset =
        LLVMBuildMul(b, build->left_at, build_number(build, sizeof(struct sim_instr)), here);
    LLVMBuildRet(b, build_pointer_by(build, build_instrs(build), offset, build->i8));
    LLVMPositionBuilderAtEnd(b, before);
}

void build_meet(struct build *build, uint32_t instr) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(build->builder);
    const struct sim_code *code = build->plan->code;
    LLVMValueRef at = build_number(build, instr);
    LLVMValueRef behind = LLVMConstInt(
        build->i32, instr + 1 < code->instr_count ? code->instrs[instr + 1].ordinal : 0, false);
    LLVMAddIncoming(build->left_at, &at, &from, 1);
    LLVMAddIncoming(build->left_ordinal, &behind, &from, 1);
    LLVMBuildBr(build->builder, build->step);
}
