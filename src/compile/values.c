// Registers and operands in compiled code. See build.h.
#include "compile/build.h"

#include <assert.h>
#include <string.h>

static const char here[] = "";

unsigned build_register_bytes(const struct build *build, uint32_t reg) {
    const enum ir_class class = build->plan->function->registers[reg].class;
    return class == IR_CLASS_PREDICATE ? 0 : class == IR_CLASS_32 ? 4 : 8;
}

LLVMTypeRef build_lane_type(const struct build *build, unsigned bytes) {
    return bytes == 0 ? build->i1 : bytes == 4 ? build->i32 : build->i64;
}

LLVMValueRef build_constant(const struct build *build, unsigned bytes, uint64_t value) {
    return LLVMConstInt(build_lane_type(build, bytes), value, false);
}

LLVMValueRef build_pointer_by(struct build *build, LLVMValueRef base, LLVMValueRef offset,
                              LLVMTypeRef type) {
    LLVMValueRef at = LLVMBuildGEP2(build->builder, build->i8, base, &offset, 1, here);
    return LLVMBuildBitCast(build->builder, at, LLVMPointerType(type, 0), here);
}

LLVMValueRef build_pointer(struct build *build, LLVMValueRef base, uint64_t offset,
                           LLVMTypeRef type) {
    return build_pointer_by(build, base, LLVMConstInt(build->i64, offset, false), type);
}

LLVMValueRef build_field(struct build *build, LLVMValueRef record, size_t offset,
                         LLVMTypeRef type) {
    return LLVMBuildLoad2(build->builder, type, build_pointer(build, record, offset, type), here);
}

LLVMValueRef build_number(const struct build *build, uint64_t value) {
    return LLVMConstInt(build->i64, value, false);
}

static LLVMTypeRef lanes_of(const struct build *build, unsigned bytes) {
    return LLVMVectorType(build_lane_type(build, bytes), LANES);
}

// From lane 0's value to all lanes'.
static LLVMValueRef steps(const struct build *build, unsigned bytes, struct form form) {
    LLVMValueRef all[LANES];
    for (int l = 0; l < LANES; l++)
        all[l] = build_constant(build, bytes,
                                (uint64_t)((l ^ form.flip) - form.flip) * (uint64_t)form.stride);
    return LLVMConstVector(all, LANES);
}

LLVMValueRef build_spread(struct build *build, struct form form, LLVMValueRef first,
                          unsigned bytes) {
    LLVMValueRef all = rows_spread(build->builder, first, LANES);
    return form.stride ? LLVMBuildAdd(build->builder, all, steps(build, bytes, form), here) : all;
}

LLVMValueRef build_register_lanes(struct build *build, uint32_t reg) {
    const struct held *held = &build->held[reg];
    assert(held->value);
    return held->form.kind == FORM_RAMP
               ? build_spread(build, held->form, held->value, build_register_bytes(build, reg))
               : held->value;
}

// ---- Operands -------------------------------------------------------------------------------

struct form build_source_form(const struct build *build, const struct op_source *source) {
    return source->kind == SOURCE_REGISTER ? build->held[source->reg].form : source->form;
}

bool build_is_same_in_all(const struct build *build, const struct op_source *source) {
    const struct form form = build_source_form(build, source);
    return form.kind == FORM_RAMP && form.stride == 0;
}

// What lies behind the bases does not change while a warp runs.
static LLVMValueRef load_fixed(struct build *build, LLVMValueRef at, LLVMTypeRef type,
                               unsigned align) {
    LLVMValueRef load = LLVMBuildLoad2(build->builder, type, at, here);
    LLVMSetAlignment(load, align);
    const unsigned kind = LLVMGetMDKindIDInContext(build->context, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMDNodeInContext(build->context, NULL, 0));
    return load;
}

// At a place behind one of the warp's bases (enum sim_base), the first one, too, by adding a
// number: what differs by places alone is the same then (repeats.c).
static LLVMValueRef place_at(struct build *build, unsigned base, uint64_t place, LLVMTypeRef type) {
    return build_pointer(build, build->base[base], BUILD_BEFORE_BASE + place, type);
}

static LLVMValueRef load_memory(struct build *build, const struct op_source *source,
                                bool is_first) {
    LLVMTypeRef type =
        is_first ? build_lane_type(build, source->bytes) : lanes_of(build, source->bytes);
    LLVMValueRef at = place_at(build, source->ref & 3, source->ref & ~(sim_ref)3, type);
    return load_fixed(build, at, type, is_first ? source->bytes : 64);
}

static LLVMValueRef maybe_not(struct build *build, const struct op_source *source,
                              LLVMValueRef value) {
    return source->is_negated ? LLVMBuildNot(build->builder, value, here) : value;
}

LLVMValueRef build_source_first(struct build *build, const struct op_source *source) {
    switch (source->kind) {
    case SOURCE_REGISTER:
        assert(build->held[source->reg].form.kind == FORM_RAMP);
        return maybe_not(build, source, build->held[source->reg].value);
    case SOURCE_CONSTANT:
        return build_constant(build, source->bytes, source->value);
    case SOURCE_FIXED: {
        LLVMTypeRef type = build_lane_type(build, source->bytes);
        LLVMValueRef at =
            LLVMConstIntToPtr(build_number(build, source->value), LLVMPointerType(type, 0));
        return load_fixed(build, at, type, source->bytes);
    }
    default:
        return load_memory(build, source, true);
    }
}

LLVMValueRef build_source_lanes(struct build *build, const struct op_source *source) {
    if (source->kind == SOURCE_REGISTER)
        return maybe_not(build, source, build_register_lanes(build, source->reg));
    if (source->form.kind == FORM_RAMP)
        return build_spread(build, source->form, build_source_first(build, source), source->bytes);
    return load_memory(build, source, false);
}

// ---- Some lanes of all ------------------------------------------------------------------------

LLVMValueRef build_part(struct build *build, LLVMValueRef all, unsigned first, unsigned count) {
    LLVMValueRef which[LANES];
    for (unsigned l = 0; l < count; l++)
        which[l] = LLVMConstInt(build->i32, first + l, false);
    return LLVMBuildShuffleVector(build->builder, all, LLVMGetUndef(LLVMTypeOf(all)),
                                  LLVMConstVector(which, count), here);
}

LLVMValueRef build_join(struct build *build, LLVMValueRef *parts, unsigned count) {
    LLVMValueRef which[LANES];
    for (; count < LANES; count *= 2)
        for (unsigned p = 0; p < LANES / count / 2; p++) {
            for (unsigned l = 0; l < 2 * count; l++)
                which[l] = LLVMConstInt(build->i32, l, false);
            parts[p] = LLVMBuildShuffleVector(build->builder, parts[2 * p], parts[2 * p + 1],
                                              LLVMConstVector(which, 2 * count), here);
        }
    return parts[0];
}

LLVMValueRef build_intrinsic(struct build *build, const char *name, LLVMTypeRef types[],
                             unsigned type_count, LLVMValueRef arguments[], unsigned count) {
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(build->module, id, types, type_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(build->context, id, types, type_count);
    return LLVMBuildCall2(build->builder, type, function, arguments, count, here);
}

LLVMValueRef build_count_zeros(struct build *build, const char *name, LLVMValueRef bits) {
    LLVMValueRef arguments[] = {bits, LLVMConstInt(build->i1, 1, false)};
    return build_intrinsic(build, name, &build->i32, 1, arguments, 2);
}

// ---- The interpreter's frame ------------------------------------------------------------------

uint64_t build_place_of_register(const struct build *build, uint32_t reg) {
    const struct ir_function *function = build->plan->function;
    const struct ir_register *r = &function->registers[reg];
    const uint64_t at32 = build->plan->code->predicate_bytes;
    const uint64_t at64 = at32 + function->slots[IR_CLASS_32] * 4ull * LANES;
    return r->class == IR_CLASS_PREDICATE ? r->slot * 4ull
           : r->class == IR_CLASS_32      ? at32 + r->slot * 4ull * LANES
                                          : at64 + r->slot * 8ull * LANES;
}

void build_save(struct build *build, uint32_t reg) {
    const struct held *held = &build->held[reg];
    const unsigned bytes = build_register_bytes(build, reg);
    if (held->is_saved || !held->value)
        return;
    LLVMValueRef value =
        bytes || held->form.kind != FORM_RAMP ? build_register_lanes(build, reg) : NULL;
    if (!bytes)
        value = value ? build_bits(build, value)
                      : LLVMBuildSExt(build->builder, held->value, build->i32, here);
    LLVMValueRef at =
        place_at(build, SIM_BASE_REGISTERS, build_place_of_register(build, reg), LLVMTypeOf(value));
    LLVMSetAlignment(LLVMBuildStore(build->builder, value, at), bytes ? 64 : 4);
}

void build_note_ramp(struct build *build, uint32_t reg, struct form form) {
    const struct compiled_ramp ramp = {
        .place = (uint32_t)build_place_of_register(build, reg),
        .bytes = (uint8_t)build_register_bytes(build, reg),
        .flip = form.flip,
        .stride = form.stride,
    };
    vec_push(&build->ways.ramps, ramp);
}

void build_save_short(struct build *build, uint32_t reg) {
    const struct held *held = &build->held[reg];
    const unsigned bytes = build_register_bytes(build, reg);
    if (held->is_saved || !held->value || !bytes || held->form.kind != FORM_RAMP) {
        build_save(build, reg);
        return;
    }
    const uint64_t place = build_place_of_register(build, reg);
    LLVMValueRef at = place_at(build, SIM_BASE_REGISTERS, place, LLVMTypeOf(held->value));
    LLVMSetAlignment(LLVMBuildStore(build->builder, held->value, at), bytes);
    build_note_ramp(build, reg, held->form);
}

static LLVMValueRef load_lane(struct build *build, uint64_t place, LLVMTypeRef type,
                              unsigned align) {
    LLVMValueRef at = place_at(build, SIM_BASE_REGISTERS, place, type);
    LLVMValueRef load = LLVMBuildLoad2(build->builder, type, at, here);
    LLVMSetAlignment(load, align);
    return load;
}

// Lane 0's value of a ramp, as the first lane that is on has it.
static LLVMValueRef load_first_on(struct build *build, uint32_t reg, struct form form) {
    LLVMBuilderRef b = build->builder;
    const unsigned bytes = build_register_bytes(build, reg);
    LLVMValueRef lane = build_count_zeros(build, "llvm.cttz", build->mask->bits);
    LLVMTypeRef type = build_lane_type(build, bytes ? bytes : 4);
    LLVMValueRef at =
        place_at(build, SIM_BASE_REGISTERS, build_place_of_register(build, reg), type);
    LLVMValueRef index = bytes ? lane : LLVMConstInt(build->i32, 0, false);
    LLVMValueRef value = LLVMBuildLoad2(b, type, LLVMBuildGEP2(b, type, at, &index, 1, here), here);
    LLVMSetAlignment(value, bytes ? bytes : 4);
    if (!bytes)
        return LLVMBuildTrunc(b, LLVMBuildLShr(b, value, lane, here), build->i1, here);
    LLVMValueRef flip = build_constant(build, bytes, form.flip);
    LLVMValueRef distance = LLVMBuildXor(b, LLVMBuildZExt(b, lane, type, here), flip, here);
    LLVMValueRef steps = LLVMBuildMul(b, LLVMBuildSub(b, distance, flip, here),
                                      build_constant(build, bytes, (uint64_t)form.stride), here);
    return LLVMBuildSub(b, value, steps, here);
}

struct held build_load(struct build *build, uint32_t reg, struct form form) {
    const unsigned bytes = build_register_bytes(build, reg);
    const uint64_t place = build_place_of_register(build, reg);
    if (build->mask && form.kind == FORM_RAMP)
        return (struct held){.form = form, .value = load_first_on(build, reg, form)};
    struct held held = {.form = form, .is_saved = true};
    if (bytes) {
        const bool is_ramp = form.kind == FORM_RAMP;
        held.value = load_lane(build, place,
                               is_ramp ? build_lane_type(build, bytes) : lanes_of(build, bytes),
                               is_ramp ? bytes : 64);
        return held;
    }
    LLVMValueRef bits = load_lane(build, place, build->i32, 4);
    held.value = form.kind == FORM_RAMP ? LLVMBuildTrunc(build->builder, bits, build->i1, here)
                                        : build_predicate(build, bits);
    return held;
}

void build_set(struct build *build, uint32_t reg, struct form form, LLVMValueRef value) {
    build->held[reg] = (struct held){.form = form, .value = value};
}

// ---- What is written ----------------------------------------------------------------------------

static const struct form lanes_form = {.kind = FORM_LANES, .bits = FORM_ANY_BITS};

bool build_keeps(const struct build *build, uint32_t reg) {
    return build->mask && plan_has(build->mask->keeps, reg);
}

struct kept {
    const struct build *build;
    struct form *forms;
};

static void keep_form(void *context, uint32_t reg, bool is_written) {
    const struct kept *kept = context;
    if (is_written && build_keeps(kept->build, reg))
        kept->forms[reg] = lanes_form;
}

void build_step(const struct build *build, struct op *op, struct form *forms) {
    forms_step(build->plan, op, forms);
    if (!build->mask)
        return;
    if (op->checks_range && op->to != IR_NONE)
        forms[op->to] = lanes_form;
    if (op->checks_range && op->pair != IR_NONE)
        forms[op->pair] = lanes_form;
    op->checks_range = false;
    struct kept kept = {build, forms};
    ir_visit_registers(&build->plan->function->instructions[op->ir], keep_form, &kept);
}

void build_assign(struct build *build, uint32_t reg, LLVMValueRef value) {
    struct form form = build->forms[reg];
    if (build_keeps(build, reg)) {
        if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
            value = build_spread(build, (struct form){.kind = FORM_RAMP}, value,
                                 build_register_bytes(build, reg));
        form = build->forms[reg] = lanes_form;
        if (build->held[reg].value)
            value = LLVMBuildSelect(build->builder, build->mask->lanes, value,
                                    build_register_lanes(build, reg), here);
    }
    build_set(build, reg, form, value);
}

// ---- Ways -----------------------------------------------------------------------------------

LLVMBasicBlockRef build_block(struct build *build, const char *name) {
    return LLVMAppendBasicBlockInContext(build->context, build->function, name);
}

void build_branch(struct build *build, LLVMValueRef condition, LLVMBasicBlockRef usual,
                  LLVMBasicBlockRef rare) {
    LLVMValueRef jump = LLVMBuildCondBr(build->builder, condition, usual, rare);
    LLVMValueRef weights[] = {
        LLVMMDStringInContext(build->context, "branch_weights", 14),
        LLVMConstInt(build->i32, 4000, false),
        LLVMConstInt(build->i32, 1, false),
    };
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(build->context, "prof", 4),
                    LLVMMDNodeInContext(build->context, weights, 3));
}

LLVMBasicBlockRef build_unless(struct build *build, LLVMValueRef condition) {
    LLVMBasicBlockRef usual = build_block(build, "usual"), rare = build_block(build, "rare");
    build_branch(build, condition, usual, rare);
    LLVMPositionBuilderAtEnd(build->builder, usual);
    return rare;
}
