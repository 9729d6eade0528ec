// Segments: straight code with accesses. What is asked of all their addresses comes first and
// decides once: either the code behind it makes them without a further look, or the interpreter
// runs the segment.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/build.h"

static const char here[] = "";

enum { MOST_GROUPS = 16, MOST_OPS = 400 };

struct group {
    LLVMValueRef base; // lane 0's, or all lanes'
    bool is_shared;
    LLVMValueRef cell; // its address
};

struct segment {
    struct build *build;
    uint32_t begin, end; // ops
    bool *is_late;       // registers whose values come of the segment's own accesses
    bool has_access;     // while its end is looked for
    uint32_t far_base;   // of its accesses, where lanes are anywhere in global memory; else IR_NONE
    // Where what comes before the decision ends; where the quick way begins, and ends.
    LLVMBasicBlockRef head, quick, quick_end;
    LLVMValueRef good; // NULL: nothing was asked
    struct group groups[MOST_GROUPS];
    unsigned group_count;
    uint32_t first_group, first_member;
    uint32_t first_ramp, ramps; // that its slow way has written lane 0 of
};

// ---- Where a segment ends ---------------------------------------------------------------------

static bool is_late(const struct segment *segment, const struct op_source *source) {
    return source->kind == SOURCE_REGISTER && segment->is_late[source->reg];
}

static bool is_late_value(const struct segment *segment, const struct op *op) {
    bool late = op->guard != IR_NONE && segment->is_late[op->guard];
    for (unsigned i = 0; i < op->source_count; i++)
        late |= is_late(segment, &op->sources[i]);
    const uint32_t results[] = {op->to, op->pair};
    for (unsigned i = 0; i < 2; i++)
        if (results[i] != IR_NONE &&
            (op->guard != IR_NONE || build_keeps(segment->build, results[i])))
            late |= segment->is_late[results[i]];
    return late;
}

static void mark(const struct segment *segment, const struct op *op, bool late) {
    if (op->kind == OP_LOAD) {
        for (unsigned e = 0; e < op->access->count; e++)
            if (op->targets[e] != IR_NONE)
                segment->is_late[op->targets[e]] = true;
        return;
    }
    if (op->to != IR_NONE)
        segment->is_late[op->to] = late;
    if (op->pair != IR_NONE)
        segment->is_late[op->pair] = late;
}

// Accesses of lanes that are anywhere in global memory are in a segment without others but those of
// the same base: often they are nowhere known, and the interpreter runs all of it.
static bool may_join(struct segment *segment, const struct op *op, struct form base) {
    const bool is_far = op->access->space != PTX_SPACE_SHARED && build_is_anywhere(op, base);
    const bool is_first = !segment->has_access;
    if (is_first)
        segment->far_base = is_far ? op->base.reg : IR_NONE;
    segment->has_access = true;
    return is_first || segment->far_base == (is_far ? op->base.reg : IR_NONE);
}

static bool takes(struct segment *segment, struct op *op, struct form *forms) {
    const struct build *build = segment->build;
    if (op->kind == OP_NOTHING)
        return true;
    if (op->kind == OP_LOAD || op->kind == OP_STORE) {
        const struct form base = form_of_source(&op->base, forms);
        if (is_late(segment, &op->base) || !build_can_access(build, op, base))
            return false;
        if (!may_join(segment, op, base))
            return false;
        build_step(build, op, forms);
        mark(segment, op, true);
        return true;
    }
    if (op->kind != OP_VALUE || !build_is_native(build, op))
        return false;
    const bool late = is_late_value(segment, op);
    build_step(build, op, forms);
    if (op->checks_range && late)
        return false;
    mark(segment, op, late);
    return true;
}

// Returns whether there is an access.
static bool find_end(struct segment *segment, uint32_t most) {
    struct build *build = segment->build;
    const uint32_t count = build->plan->function->register_count;
    struct form *forms = base_alloc((count + 1) * sizeof *forms);
    for (uint32_t r = 0; r < count; r++)
        forms[r] = build->held[r].form;
    unsigned accesses = 0;
    uint32_t o = segment->begin;
    for (; o < most && o - segment->begin < MOST_OPS; o++) {
        struct op *op = &build->plan->ops[o];
        if ((o > segment->begin && build->plan->is_entry[o]) || !takes(segment, op, forms))
            break;
        if (op->kind == OP_LOAD || op->kind == OP_STORE) {
            accesses++;
            segment->end = o + 1;
        }
    }
    free(forms);
    memset(segment->is_late, 0, count);
    return accesses > 0;
}

// ---- What is asked --------------------------------------------------------------------------

static void ask(struct segment *segment, LLVMValueRef condition) {
    if (!condition)
        return;
    segment->good = segment->good
                        ? LLVMBuildAnd(segment->build->builder, segment->good, condition, here)
                        : condition;
}

// As native_way() of the simulator.
static LLVMValueRef cell_of(struct build *build, uint32_t group, LLVMValueRef first) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef low = LLVMBuildLShr(b, first, build_number(build, NATIVE_WAY_LOW), here);
    LLVMValueRef high = LLVMBuildLShr(b, first, build_number(build, NATIVE_WAY_HIGH), here);
    LLVMValueRef way = LLVMBuildXor(b, low, high, here);
    if (build->mask)
        way = LLVMBuildXor(b, way, build->mask->is_some, here);
    way = LLVMBuildAnd(b, way, build_number(build, NATIVE_WAYS - 1), here);
    LLVMValueRef index =
        LLVMBuildAdd(b, way, build_number(build, (uint64_t)group * NATIVE_WAYS), here);
    LLVMValueRef offset =
        LLVMBuildMul(b, index, build_number(build, sizeof(struct native_cell)), here);
    return build_pointer_by(build, build->cells, offset, build->i8);
}

static void ask_shape(struct segment *segment, const struct group *group, LLVMValueRef first) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef type = LLVMVectorType(build->i32, LANES);
    const unsigned bytes = group->is_shared ? 4 : 8;
    LLVMValueRef spread =
        build_spread(build, (struct form){.kind = FORM_RAMP},
                     group->is_shared ? LLVMBuildTrunc(b, first, build->i32, here) : first, bytes);
    LLVMValueRef at = LLVMBuildIntToPtr(
        b, build_field(build, group->cell, offsetof(struct native_cell, shape), build->i64),
        LLVMPointerType(type, 0), here);
    LLVMValueRef shape = LLVMBuildLoad2(b, type, at, here);
    LLVMSetAlignment(shape, 64);
    if (!group->is_shared)
        shape = LLVMBuildSExt(b, shape, LLVMVectorType(build->i64, LANES), here);
    LLVMValueRef distances = LLVMBuildSub(b, group->base, spread, here), differ;
    if (build->mask || build->has_mask_registers) {
        differ = build_bits(build, LLVMBuildICmp(b, LLVMIntNE, distances, shape, here));
        if (build->mask)
            differ = LLVMBuildAnd(b, differ, build->mask->bits, here);
    } else {
        LLVMValueRef all = LLVMBuildXor(b, distances, shape, here);
        LLVMTypeRef of = LLVMTypeOf(all);
        differ = build_intrinsic(build, "llvm.vector.reduce.or", &of, 1, &all, 1);
    }
    ask(segment, LLVMBuildICmp(b, LLVMIntEQ, differ, LLVMConstNull(LLVMTypeOf(differ)), here));
}

static void ask_lanes(struct segment *segment, const struct group *group) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef differ = LLVMBuildXor(
        b, LLVMBuildZExt(b, build->mask->bits, build->i64, here),
        build_field(build, group->cell, offsetof(struct native_cell, lanes), build->i64), here);
    LLVMValueRef wanted =
        build_field(build, group->cell, offsetof(struct native_cell, care), build->i64);
    ask(segment, LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, differ, wanted, here),
                               build_number(build, 0), here));
}

static void ask_group(struct segment *segment, struct group *group, bool is_anywhere) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef first =
        is_anywhere
            ? LLVMBuildExtractElement(b, group->base, LLVMConstInt(build->i32, 0, false), here)
            : group->base;
    first = LLVMTypeOf(first) == build->i64 ? first : LLVMBuildZExt(b, first, build->i64, here);
    group->cell = cell_of(build, build->segments.groups++, first);
    LLVMValueRef distance = LLVMBuildSub(
        b, first, build_field(build, group->cell, offsetof(struct native_cell, base), build->i64),
        here);
    LLVMValueRef bits = LLVMBuildAnd(
        b, distance,
        build_field(build, group->cell, offsetof(struct native_cell, mask), build->i64), here);
    LLVMValueRef limit =
        build_field(build, group->cell, offsetof(struct native_cell, limit), build->i64);
    ask(segment, LLVMBuildICmp(b, LLVMIntEQ, bits, build_number(build, 0), here));
    ask(segment, LLVMBuildICmp(b, LLVMIntULE, distance, limit, here));
    if (is_anywhere)
        ask_shape(segment, group, first);
    if (build->mask)
        ask_lanes(segment, group);
}

static struct group *find_group(struct segment *segment, LLVMValueRef base, bool is_shared) {
    for (unsigned g = 0; g < segment->group_count; g++)
        if (segment->groups[g].base == base && segment->groups[g].is_shared == is_shared)
            return &segment->groups[g];
    return NULL;
}

// Its group. NULL: there are too many.
static const struct group *note_access(struct segment *segment, const struct op *op) {
    struct build *build = segment->build;
    const bool is_shared = op->access->space == PTX_SPACE_SHARED;
    const bool is_anywhere = build_is_anywhere(op, build_source_form(build, &op->base));
    LLVMValueRef base =
        is_anywhere ? build_source_lanes(build, &op->base) : build_source_first(build, &op->base);
    struct group *group = find_group(segment, base, is_shared);
    if (!group) {
        if (segment->group_count == MOST_GROUPS)
            return NULL;
        group = &segment->groups[segment->group_count++];
        *group = (struct group){.base = base, .is_shared = is_shared};
        ask_group(segment, group, is_anywhere);
    }
    const struct native_member member = {
        .instr = op->at,
        .site = op->access->site,
        .group = segment->first_group + (uint32_t)(group - segment->groups),
        .is_anywhere = is_anywhere,
    };
    vec_push(&build->segments.members, member);
    return group;
}

// ---- The two ways ---------------------------------------------------------------------------

// What does not depend on the segment's accesses is computed before them. False: the segment ends
// here.
static bool build_one(struct segment *segment, struct op *op) {
    struct build *build = segment->build;
    if (op->kind == OP_NOTHING)
        return true;
    if (op->kind == OP_LOAD || op->kind == OP_STORE) {
        LLVMPositionBuilderAtEnd(build->builder, segment->head);
        const struct group *group = note_access(segment, op);
        if (!group)
            return false;
        build_step(build, op, build->forms);
        LLVMPositionBuilderAtEnd(build->builder, segment->quick_end);
        build_access(build, op, group->cell);
        segment->quick_end = LLVMGetInsertBlock(build->builder);
        mark(segment, op, true);
        return true;
    }
    const bool late = is_late_value(segment, op);
    LLVMBasicBlockRef *end = late ? &segment->quick_end : &segment->head;
    LLVMPositionBuilderAtEnd(build->builder, *end);
    build_step(build, op, build->forms);
    if (!late)
        ask(segment, build_range(build, op));
    build_native_value(build, op);
    *end = LLVMGetInsertBlock(build->builder);
    mark(segment, op, late);
    return true;
}

static void count_groups(struct segment *segment) {
    struct build *build = segment->build;
    for (unsigned g = 0; g < segment->group_count; g++) {
        LLVMValueRef at = build_pointer(build, segment->groups[g].cell,
                                        offsetof(struct native_cell, count), build->i64);
        LLVMValueRef count = LLVMBuildLoad2(build->builder, build->i64, at, here);
        LLVMBuildStore(build->builder,
                       LLVMBuildAdd(build->builder, count, build_number(build, 1), here), at);
    }
}

struct touched {
    struct segment *segment;
    bool *is_read, *is_written;
};

static void touch(void *context, uint32_t reg, bool is_written) {
    const struct touched *touched = context;
    (is_written ? touched->is_written : touched->is_read)[reg] = true;
}

static void note_segment(struct segment *segment) {
    struct build *build = segment->build;
    const struct native_segment made = {
        .first = build->plan->ops[segment->begin].first,
        .end = build->plan->ops[segment->end - 1].at + 1,
        .group = segment->first_group,
        .groups = segment->group_count,
        .member = segment->first_member,
        .members = (uint32_t)build->segments.members.length - segment->first_member,
        .ramp = segment->first_ramp,
        .ramps = segment->ramps,
    };
    vec_push(&build->segments.list, made);
}

// What the interpreter has left in a register.
static struct held read_back(struct segment *segment, const struct held *before, uint32_t reg) {
    struct build *build = segment->build;
    const bool keeps = build_keeps(build, reg);
    if (!keeps && !plan_is_live_behind(build->plan, segment->end - 1, reg))
        return (struct held){.form = build->forms[reg]};
    struct held held = build_load(build, reg, build->forms[reg]);
    if (keeps && before->value) {
        LLVMValueRef old =
            before->form.kind == FORM_RAMP
                ? build_spread(build, before->form, before->value, build_register_bytes(build, reg))
                : before->value;
        held.value = LLVMBuildSelect(build->builder, build->mask->lanes, held.value, old, here);
        held.is_saved = false;
    }
    return held;
}

// `before`: what registers held.
static void join(struct segment *segment, struct held *before) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    const uint32_t count = build->plan->function->register_count;
    struct touched touched = {segment, base_alloc(count + 1), base_alloc(count + 1)};
    for (uint32_t o = segment->begin; o < segment->end; o++) {
        const struct ir_instruction *ir =
            &build->plan->function->instructions[build->plan->ops[o].ir];
        ir_visit_registers(ir, touch, &touched);
        if (ir->guard != IR_NONE) // keeps what its result's register held
            for (uint32_t r = 0; r < count; r++)
                touched.is_read[r] |= touched.is_written[r];
    }
    LLVMBasicBlockRef slow = build_block(build, "slow"), behind = build_block(build, "behind");
    LLVMPositionBuilderAtEnd(b, segment->quick_end);
    count_groups(segment);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, segment->head);
    build_branch(build, segment->good, segment->quick, slow);
    LLVMPositionBuilderAtEnd(b, slow);
    segment->first_ramp = (uint32_t)build->ways.ramps.length;
    struct held *after = build->held;
    build->held = before;
    for (uint32_t r = 0; r < count; r++)
        if (touched.is_read[r] && plan_is_live(build->plan, segment->begin, r))
            build_save_short(build, r);
    segment->ramps = (uint32_t)build->ways.ramps.length - segment->first_ramp;
    build->held = after;
    build_run_segment(build, (uint32_t)build->segments.list.length,
                      build->plan->ops[segment->end - 1].at + 1);
    for (uint32_t r = 0; r < count; r++)
        if (touched.is_written[r])
            before[r] = read_back(segment, &before[r], r);
    LLVMBasicBlockRef slow_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    for (uint32_t r = 0; r < count; r++) {
        if (!touched.is_written[r])
            continue;
        if (!before[r].value || !build->held[r].value) {
            build->held[r].value = NULL;
            continue;
        }
        LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(before[r].value), here);
        LLVMAddIncoming(phi, &build->held[r].value, &segment->quick_end, 1);
        LLVMAddIncoming(phi, &before[r].value, &slow_end, 1);
        build_set(build, r, build->forms[r], phi);
    }
    free(touched.is_read);
    free(touched.is_written);
}

uint32_t build_segment(struct build *build, uint32_t op, uint32_t end) {
    const uint32_t count = build->plan->function->register_count;
    struct segment segment = {
        .build = build,
        .begin = op,
        .end = op,
        .is_late = base_alloc(count + 1),
        .head = LLVMGetInsertBlock(build->builder),
        .first_group = build->segments.groups,
        .first_member = (uint32_t)build->segments.members.length,
    };
    if (!find_end(&segment, end)) {
        free(segment.is_late);
        return op;
    }
    struct held *before = base_alloc((count + 1) * sizeof *before);
    memcpy(before, build->held, count * sizeof *before);
    build->fetched.count = 0;
    segment.quick = segment.quick_end = build_block(build, "quick");
    uint32_t o = segment.begin;
    while (o < segment.end && build_one(&segment, &build->plan->ops[o]))
        o++;
    segment.end = o;
    join(&segment, before);
    note_segment(&segment);
    free(before);
    free(segment.is_late);
    return segment.end;
}
