// Registers and operands in compiled code. See build.h.
#include "compile/build.h"

#include <assert.h>

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

static LLVMTypeRef lanes_of(const struct build *build, unsigned bytes) {
    return LLVMVectorType(build_lane_type(build, bytes), LANES);
}

static LLVMValueRef splat(struct build *build, LLVMValueRef value) {
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), LANES);
    LLVMValueRef one = LLVMBuildInsertElement(build->builder, LLVMGetUndef(type), value,
                                              LLVMConstInt(build->i32, 0, false), here);
    return LLVMBuildShuffleVector(build->builder, one, LLVMGetUndef(type),
                                  LLVMConstNull(LLVMVectorType(build->i32, LANES)), here);
}

static LLVMValueRef steps(const struct build *build, unsigned bytes, int64_t stride) {
    LLVMValueRef all[LANES];
    for (int l = 0; l < LANES; l++)
        all[l] = build_constant(build, bytes, (uint64_t)l * (uint64_t)stride);
    return LLVMConstVector(all, LANES);
}

LLVMValueRef build_spread(struct build *build, struct form form, LLVMValueRef first,
                          unsigned bytes) {
    LLVMValueRef all = splat(build, first);
    return form.stride ? LLVMBuildAdd(build->builder, all, steps(build, bytes, form.stride), here)
                       : all;
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

// What lies behind the bases does not change while a warp runs.
static LLVMValueRef load_fixed(struct build *build, LLVMValueRef at, LLVMTypeRef type,
                               unsigned align) {
    LLVMValueRef load = LLVMBuildLoad2(build->builder, type, at, here);
    LLVMSetAlignment(load, align);
    const unsigned kind = LLVMGetMDKindIDInContext(build->context, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMDNodeInContext(build->context, NULL, 0));
    return load;
}

static LLVMValueRef load_memory(struct build *build, const struct op_source *source,
                                bool is_first) {
    LLVMTypeRef type =
        is_first ? build_lane_type(build, source->bytes) : lanes_of(build, source->bytes);
    LLVMValueRef at =
        build_pointer(build, build->base[source->ref & 3], source->ref & ~(sim_ref)3, type);
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

// ---- The interpreter's frame ------------------------------------------------------------------

static uint64_t place_of(const struct build *build, uint32_t reg) {
    const struct ir_function *function = build->plan->function;
    const struct ir_register *r = &function->registers[reg];
    const uint64_t at32 = build->plan->code->predicate_bytes;
    const uint64_t at64 = at32 + function->slots[IR_CLASS_32] * 4ull * LANES;
    return r->class == IR_CLASS_PREDICATE ? r->slot * 4ull
           : r->class == IR_CLASS_32      ? at32 + r->slot * 4ull * LANES
                                          : at64 + r->slot * 8ull * LANES;
}

LLVMValueRef build_bits(struct build *build, LLVMValueRef predicate) {
    return LLVMBuildBitCast(build->builder, predicate, build->i32, here);
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
    LLVMValueRef at = build_pointer(build, build->base[SIM_BASE_REGISTERS], place_of(build, reg),
                                    LLVMTypeOf(value));
    LLVMSetAlignment(LLVMBuildStore(build->builder, value, at), bytes ? 64 : 4);
}

static LLVMValueRef load_lane(struct build *build, uint64_t place, LLVMTypeRef type,
                              unsigned align) {
    LLVMValueRef at = build_pointer(build, build->base[SIM_BASE_REGISTERS], place, type);
    LLVMValueRef load = LLVMBuildLoad2(build->builder, type, at, here);
    LLVMSetAlignment(load, align);
    return load;
}

struct held build_load(struct build *build, uint32_t reg, struct form form) {
    const unsigned bytes = build_register_bytes(build, reg);
    const uint64_t place = place_of(build, reg);
    struct held held = {.form = form, .is_saved = true};
    if (bytes) {
        const bool is_ramp = form.kind == FORM_RAMP;
        held.value = load_lane(build, place,
                               is_ramp ? build_lane_type(build, bytes) : lanes_of(build, bytes),
                               is_ramp ? bytes : 64);
        return held;
    }
    LLVMValueRef bits = load_lane(build, place, build->i32, 4);
    held.value = form.kind == FORM_RAMP
                     ? LLVMBuildTrunc(build->builder, bits, build->i1, here)
                     : LLVMBuildBitCast(build->builder, bits, lanes_of(build, 0), here);
    return held;
}

void build_set(struct build *build, uint32_t reg, struct form form, LLVMValueRef value) {
    build->held[reg] = (struct held){.form = form, .value = value};
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
