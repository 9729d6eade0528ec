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
// Where accesses are further from each other they are in two segments, and what lies between them
// in none: the interpreter would run all of it where one of them is not known.
enum { MOST_BETWEEN = 32 };

struct group {
    LLVMValueRef base; // lane 0's, or all lanes'
    bool is_shared;
    LLVMValueRef cell; // its address
    struct windows windows;
};

// What an op of a segment has made before the decision. A value that is late is made behind it.
struct early {
    bool is_late;
    struct group *group;  // of an access
    struct held to, pair; // what registers hold
};

// A way behind the decision, and what registers hold at its end.
struct way {
    LLVMBasicBlockRef begin, end;
    struct held *held;
};

struct segment {
    struct build *build;
    uint32_t begin, end; // ops
    bool *is_late;       // registers whose values come of the segment's own accesses
    bool has_access;     // while its end is looked for
    uint32_t far_base;   // of its accesses, where lanes are anywhere (may_join); else IR_NONE
    unsigned windows;    // accesses that may be made by windows
    bool loads_by_windows, stores_by_windows;
    unsigned late; // ops behind the decision
    // Where what comes before the decision ends; what quick ways need first.
    LLVMBasicBlockRef head, shapes;
    struct early *early; // by op
    struct way ways[3];  // quick ones, then the interpreter's
    unsigned way_count;
    LLVMValueRef good, differ; // must hold; an i64 that must be 0; NULL: nothing was asked
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

// Accesses of global memory where what was loaded says lanes to be are in a segment without others
// but those of the same base: often they are nowhere known, and the interpreter runs all of it.
static bool may_join(struct segment *segment, const struct op *op, struct form base) {
    const bool is_far =
        op->access->space != PTX_SPACE_SHARED && build_is_anywhere(op, base) &&
        (op->base.kind != SOURCE_REGISTER || segment->build->plan->is_loaded[op->base.reg]);
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
    uint32_t o = segment->begin;
    for (; o < most && o - segment->begin < MOST_OPS && o - segment->end <= MOST_BETWEEN; o++) {
        struct op *op = &build->plan->ops[o];
        if ((o > segment->begin && build->plan->is_entry[o]) || !takes(segment, op, forms))
            break;
        if (op->kind == OP_LOAD || op->kind == OP_STORE)
            segment->end = o + 1;
    }
    free(forms);
    memset(segment->is_late, 0, count);
    return segment->end > segment->begin;
}

// ---- What is asked --------------------------------------------------------------------------

static void ask(struct segment *segment, LLVMValueRef condition) {
    if (!condition)
        return;
    segment->good = segment->good
                        ? LLVMBuildAnd(segment->build->builder, segment->good, condition, here)
                        : condition;
}

// Bits that must be 0: put together before any of them is looked at, since each jump would be a
// block of its own.
static void ask_none(struct segment *segment, LLVMValueRef bits) {
    LLVMBuilderRef b = segment->build->builder;
    if (LLVMTypeOf(bits) != segment->build->i64)
        bits = LLVMBuildZExt(b, bits, segment->build->i64, here);
    segment->differ = segment->differ ? LLVMBuildOr(b, segment->differ, bits, here) : bits;
}

static LLVMValueRef all_asked(const struct segment *segment) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef bad = LLVMBuildNot(b, segment->good, here);
    bad = LLVMBuildOr(b, segment->differ, LLVMBuildZExt(b, bad, build->i64, here), here);
    return LLVMBuildICmp(b, LLVMIntEQ, bad, build_number(build, 0), here);
}

// As native_way() of the simulator: three instructions, and the number of the group is part of
// where the cell's fields are.
static LLVMValueRef cell_of(struct build *build, uint32_t group, LLVMValueRef first) {
    LLVMBuilderRef b = build->builder;
    const uint64_t unit = 1ull << NATIVE_WAY_BIT;
    LLVMValueRef way = LLVMBuildMul(b, first, build_number(build, NATIVE_WAY_FACTOR), here);
    if (build->mask)
        way = LLVMBuildAdd(
            b, way, LLVMBuildMul(b, build->mask->is_some, build_number(build, unit), here), here);
    way = LLVMBuildAnd(b, way, build_number(build, (NATIVE_WAYS - 1) * unit), here);
    LLVMValueRef offset =
        LLVMBuildMul(b, way, build_number(build, sizeof(struct native_cell) / unit), here);
    LLVMValueRef ways = build_pointer(
        build, build->cells, (uint64_t)group * NATIVE_WAYS * sizeof(struct native_cell), build->i8);
    return build_pointer_by(build, ways, offset, build->i8);
}
_Static_assert(sizeof(struct native_cell) % (1 << NATIVE_WAY_BIT) == 0, "cells lie as ways do");

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
    ask_none(segment, differ);
}

static void ask_lanes(struct segment *segment, const struct group *group) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef differ = LLVMBuildXor(
        b, LLVMBuildZExt(b, build->mask->bits, build->i64, here),
        build_field(build, group->cell, offsetof(struct native_cell, lanes), build->i64), here);
    LLVMValueRef wanted =
        build_field(build, group->cell, offsetof(struct native_cell, care), build->i64);
    ask_none(segment, LLVMBuildAnd(b, differ, wanted, here));
}

// As native_lane() of the simulator.
static LLVMValueRef lane_told_from(struct build *build) {
    return build->mask ? build_count_zeros(build, "llvm.cttz", build->mask->bits)
                       : LLVMConstInt(build->i32, 0, false);
}

static void ask_group(struct segment *segment, struct group *group, bool is_anywhere) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    LLVMValueRef first = is_anywhere
                             ? LLVMBuildExtractElement(b, group->base, lane_told_from(build), here)
                             : group->base;
    const bool is_far = LLVMTypeOf(first) == build->i64;
    group->windows.first = is_far ? first : LLVMBuildSExt(b, first, build->i64, here);
    first = is_far ? first : LLVMBuildZExt(b, first, build->i64, here);
    group->cell = cell_of(build, build->segments.groups++, first);
    LLVMValueRef distance = LLVMBuildSub(
        b, first, build_field(build, group->cell, offsetof(struct native_cell, base), build->i64),
        here);
    LLVMValueRef bits = LLVMBuildAnd(
        b, distance,
        build_field(build, group->cell, offsetof(struct native_cell, mask), build->i64), here);
    LLVMValueRef limit =
        build_field(build, group->cell, offsetof(struct native_cell, limit), build->i64);
    ask_none(segment, bits);
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
static struct group *note_access(struct segment *segment, const struct op *op) {
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
        group->windows.before = segment->shapes;
        group->windows.cell = group->cell;
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

// ---- Before the decision --------------------------------------------------------------------

static struct held held_of(const struct build *build, uint32_t reg) {
    return reg == IR_NONE ? (struct held){.value = NULL} : build->held[reg];
}

// What does not depend on the segment's accesses is computed before them. False: the segment ends
// here.
static bool build_early(struct segment *segment, uint32_t number) {
    struct build *build = segment->build;
    struct op *op = &build->plan->ops[number];
    struct early *early = &segment->early[number - segment->begin];
    if (op->kind == OP_NOTHING)
        return true;
    if (op->kind == OP_LOAD || op->kind == OP_STORE) {
        early->group = note_access(segment, op);
        if (!early->group)
            return false;
        if (build_is_anywhere(op, build_source_form(build, &op->base)) &&
            build_has_windows(build, op)) {
            segment->windows++;
            segment->loads_by_windows |= op->kind == OP_LOAD;
            segment->stores_by_windows |= op->kind == OP_STORE;
        }
        build_step(build, op, build->forms);
        early->is_late = true;
        segment->late++;
        mark(segment, op, true);
        return true;
    }
    early->is_late = is_late_value(segment, op);
    build_step(build, op, build->forms);
    mark(segment, op, early->is_late);
    segment->late += early->is_late;
    if (early->is_late)
        return true;
    ask(segment, build_range(build, op));
    build_native_value(build, op);
    early->to = held_of(build, op->to);
    early->pair = held_of(build, op->pair);
    return true;
}

// ---- Behind it --------------------------------------------------------------------------------

static void take_early(struct build *build, uint32_t reg, struct held held) {
    if (reg == IR_NONE)
        return;
    build->held[reg] = held;
    build->forms[reg] = held.form;
}

static void build_late(struct segment *segment, uint32_t number) {
    struct build *build = segment->build;
    struct op *op = &build->plan->ops[number];
    struct early *early = &segment->early[number - segment->begin];
    if (op->kind == OP_NOTHING)
        return;
    build_step(build, op, build->forms);
    if (!early->is_late) {
        take_early(build, op->to, early->to);
        take_early(build, op->pair, early->pair);
    } else if (early->group) {
        build_access(build, op, &early->group->windows);
    } else {
        build_native_value(build, op);
    }
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

// `before`: what registers hold where it begins.
static void build_quick(struct segment *segment, enum window_use use, const struct held *before) {
    struct build *build = segment->build;
    const uint32_t count = build->plan->function->register_count;
    struct way *way = &segment->ways[segment->way_count++];
    memcpy(build->held, before, count * sizeof *before);
    for (uint32_t r = 0; r < count; r++)
        build->forms[r] = before[r].form;
    way->begin = build_block(build, use == WINDOWS_NEVER ? "lanes" : "quick");
    LLVMPositionBuilderAtEnd(build->builder, way->begin);
    build->window_use = use;
    for (uint32_t o = segment->begin; o < segment->end; o++)
        build_late(segment, o);
    build->window_use = WINDOWS_ASKED;
    count_groups(segment);
    way->end = LLVMGetInsertBlock(build->builder);
    way->held = base_alloc((count + 1) * sizeof *way->held);
    memcpy(way->held, build->held, count * sizeof *way->held);
}

// All of its windows are taken, or none, where asking each access is more code than that of two
// ways. But what is loaded by rows is often stored by columns, to be transposed.
static void build_ways(struct segment *segment, const struct held *before) {
    struct build *build = segment->build;
    enum { OPS_OF_ASKING = 6 };
    const bool is_asked = segment->windows * OPS_OF_ASKING < segment->late || segment->windows < 2;
    if (is_asked || (segment->loads_by_windows && segment->stores_by_windows)) {
        build_quick(segment, WINDOWS_ASKED, before);
        LLVMPositionBuilderAtEnd(build->builder, segment->shapes);
        LLVMBuildBr(build->builder, segment->ways[0].begin);
        return;
    }
    build_quick(segment, WINDOWS_ALWAYS, before);
    build_quick(segment, WINDOWS_NEVER, before);
    LLVMValueRef good = NULL;
    LLVMPositionBuilderAtEnd(build->builder, segment->shapes);
    for (unsigned g = 0; g < segment->group_count; g++) {
        LLVMValueRef one = build_windows_are_good(build, &segment->groups[g].windows);
        good = good && one ? LLVMBuildAnd(build->builder, good, one, here) : good ? good : one;
    }
    build_branch(build, good, segment->ways[0].begin, segment->ways[1].begin);
}

static void find_touched(struct touched *touched) {
    const struct segment *segment = touched->segment;
    const struct plan *plan = segment->build->plan;
    for (uint32_t o = segment->begin; o < segment->end; o++) {
        const struct ir_instruction *ir = &plan->function->instructions[plan->ops[o].ir];
        ir_visit_registers(ir, touch, touched);
        if (ir->guard != IR_NONE) // keeps what its result's register held
            for (uint32_t r = 0; r < plan->function->register_count; r++)
                touched->is_read[r] |= touched->is_written[r];
    }
}

// The interpreter's way. What registers hold becomes what they hold behind it.
static void build_slow(struct segment *segment, const struct touched *touched,
                       struct held *before) {
    struct build *build = segment->build;
    const uint32_t count = build->plan->function->register_count;
    struct way *way = &segment->ways[segment->way_count++];
    struct held *held = build->held;
    way->begin = build_block(build, "slow");
    LLVMPositionBuilderAtEnd(build->builder, way->begin);
    segment->first_ramp = (uint32_t)build->ways.ramps.length;
    build->held = before;
    for (uint32_t r = 0; r < count; r++)
        if (touched->is_read[r] && plan_is_live(build->plan, segment->begin, r))
            build_save_short(build, r);
    segment->ramps = (uint32_t)build->ways.ramps.length - segment->first_ramp;
    build->held = held;
    build_run_segment(build, (uint32_t)build->segments.list.length,
                      build->plan->ops[segment->end - 1].at + 1);
    for (uint32_t r = 0; r < count; r++)
        if (touched->is_written[r])
            before[r] = read_back(segment, &before[r], r);
    way->end = LLVMGetInsertBlock(build->builder);
    way->held = before;
}

static void join_register(struct segment *segment, uint32_t reg) {
    struct build *build = segment->build;
    LLVMValueRef values[3];
    LLVMBasicBlockRef ends[3];
    for (unsigned w = 0; w < segment->way_count; w++) {
        ends[w] = segment->ways[w].end;
        values[w] = segment->ways[w].held[reg].value;
        if (!values[w]) {
            build->held[reg].value = NULL;
            return;
        }
    }
    LLVMValueRef phi = LLVMBuildPhi(build->builder, LLVMTypeOf(values[0]), here);
    LLVMAddIncoming(phi, values, ends, segment->way_count);
    build_set(build, reg, build->forms[reg], phi);
}

// `before`: what registers held, which is lost.
static void join(struct segment *segment, struct held *before) {
    struct build *build = segment->build;
    LLVMBuilderRef b = build->builder;
    const uint32_t count = build->plan->function->register_count;
    struct touched touched = {segment, base_alloc(count + 1), base_alloc(count + 1)};
    find_touched(&touched);
    build_ways(segment, before);
    build_slow(segment, &touched, before);
    LLVMPositionBuilderAtEnd(b, segment->head);
    build_branch(build, all_asked(segment), segment->shapes,
                 segment->ways[segment->way_count - 1].begin);
    LLVMBasicBlockRef behind = build_block(build, "behind");
    for (unsigned w = 0; w < segment->way_count; w++) {
        LLVMPositionBuilderAtEnd(b, segment->ways[w].end);
        LLVMBuildBr(b, behind);
    }
    LLVMPositionBuilderAtEnd(b, behind);
    for (uint32_t r = 0; r < count; r++)
        if (touched.is_written[r])
            join_register(segment, r);
    for (unsigned w = 0; w + 1 < segment->way_count; w++)
        free(segment->ways[w].held);
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
        .first_group = build->segments.groups,
        .first_member = (uint32_t)build->segments.members.length,
    };
    if (!find_end(&segment, end)) {
        free(segment.is_late);
        return op;
    }
    build_settle(build);
    struct held *before = base_alloc((count + 1) * sizeof *before);
    memcpy(before, build->held, count * sizeof *before);
    build->fetched.count = 0;
    segment.early = base_alloc((segment.end - op) * sizeof *segment.early);
    segment.shapes = build_block(build, "shapes");
    uint32_t o = segment.begin;
    while (o < segment.end && build_early(&segment, o))
        o++;
    segment.end = o;
    segment.head = LLVMGetInsertBlock(build->builder);
    join(&segment, before);
    note_segment(&segment);
    free(before);
    free(segment.early);
    free(segment.is_late);
    return segment.end;
}
