// Lanes that lie anywhere, one by one. Processors that gather and scatter do so. For others LLVM
// would write 32 accesses, and a branch for each where some lanes are off, and take long: C code
// makes them. See build.h.
#include <stddef.h>

#include "compile/build.h"

static const char here[] = "";

static LLVMTypeRef lanes_type(const struct build *build, const struct op *op) {
    return LLVMVectorType(build_element_type(build, op), LANES);
}

// ---- By the processor -------------------------------------------------------------------------

static LLVMValueRef lane_places(struct build *build, const struct op *op, LLVMValueRef offsets,
                                unsigned e) {
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef pointers = LLVMVectorType(LLVMPointerType(build_element_type(build, op), 0), LANES);
    LLVMValueRef more = build_constant(build, op->base.bytes, e * op->access->bytes);
    LLVMValueRef at = offsets;
    if (e)
        at = LLVMBuildAdd(b, offsets, rows_spread(b, more, LANES), here);
    if (op->access->space != PTX_SPACE_SHARED)
        return LLVMBuildIntToPtr(b, at, pointers, here);
    // Shared memory is small: as a number with a sign an offset is the same, and units can use it.
    at = LLVMBuildSExt(b, at, LLVMVectorType(build->i64, LANES), here);
    LLVMValueRef places = LLVMBuildGEP2(b, build->i8, build->shared, &at, 1, here);
    return LLVMBuildBitCast(b, places, pointers, here);
}

static void access_at_once(struct build *build, const struct op *op, LLVMValueRef offsets,
                           LLVMValueRef values[4]) {
    LLVMTypeRef lanes = lanes_type(build, op);
    LLVMValueRef on =
        build->mask ? build->mask->lanes : LLVMConstAllOnes(LLVMVectorType(build->i1, LANES));
    LLVMValueRef align = LLVMConstInt(build->i32, op->access->bytes, false);
    for (unsigned e = 0; e < op->access->count; e++) {
        LLVMValueRef places = lane_places(build, op, offsets, e);
        LLVMTypeRef types[2] = {lanes, LLVMTypeOf(places)};
        if (op->kind == OP_LOAD) {
            LLVMValueRef arguments[] = {places, align, on, LLVMGetUndef(lanes)};
            values[e] = build_intrinsic(build, "llvm.masked.gather", types, 2, arguments, 4);
        } else {
            LLVMValueRef arguments[] = {values[e], places, align, on};
            build_intrinsic(build, "llvm.masked.scatter", types, 2, arguments, 4);
        }
    }
}

// ---- By C code --------------------------------------------------------------------------------

static void store_lanes(struct build *build, LLVMValueRef all, LLVMValueRef array) {
    LLVMTypeRef type = LLVMPointerType(LLVMTypeOf(all), 0);
    LLVMValueRef at = LLVMBuildBitCast(build->builder, array, type, here);
    LLVMSetAlignment(LLVMBuildStore(build->builder, all, at), LANES);
}

// All lanes of element e, in memory of the function.
static LLVMValueRef array_of(struct build *build, const struct op *op, unsigned e) {
    return build_pointer(build, build->lane_values, (uint64_t)e * LANES * op->access->bytes,
                         build->i8);
}

// Lanes' offsets, but for the access's own where memory is shared: accesses of one base in a row
// give it once.
static void give_base(struct build *build, const struct op *op) {
    LLVMValueRef base = build_source_lanes(build, &op->base);
    if (op->access->space != PTX_SPACE_SHARED)
        base = build_lane_offsets(build, op);
    else if (build->window_use == WINDOWS_NEVER && build->given_base == base)
        return;
    store_lanes(build, base, build->lane_offsets);
    build->given_base = base;
}

static void call(struct build *build, const struct op *op) {
    const bool is_shared = op->access->space == PTX_SPACE_SHARED, is_load = op->kind == OP_LOAD;
    LLVMTypeRef parameters[] = {build->bytes, build->bytes, build->bytes, build->i32, build->i32};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(build->context), parameters, 5, false);
    LLVMValueRef callee = build_field(build, build->links,
                                      is_load ? offsetof(struct compiled_links, load_lanes)
                                              : offsetof(struct compiled_links, store_lanes),
                                      LLVMPointerType(type, 0));
    LLVMValueRef arguments[] = {
        is_shared ? build_pointer(build, build->shared, (uint64_t)op->access->offset, build->i8)
                  : LLVMConstNull(build->bytes),
        build->lane_offsets,
        build->lane_values,
        LLVMConstInt(build->i32, NATIVE_ELEMENTS(op->access->bytes, op->access->count), false),
        build->mask ? build->mask->bits : LLVMConstAllOnes(build->i32),
    };
    LLVMBuildCall2(build->builder, type, callee, arguments, 5, "");
}

static void access_by_call(struct build *build, const struct op *op, LLVMValueRef values[4]) {
    LLVMTypeRef lanes = lanes_type(build, op);
    const bool is_load = op->kind == OP_LOAD;
    give_base(build, op);
    for (unsigned e = 0; !is_load && e < op->access->count; e++)
        store_lanes(build, values[e], array_of(build, op, e));
    call(build, op);
    for (unsigned e = 0; is_load && e < op->access->count; e++) {
        LLVMValueRef at = LLVMBuildBitCast(build->builder, array_of(build, op, e),
                                           LLVMPointerType(lanes, 0), here);
        values[e] = LLVMBuildLoad2(build->builder, lanes, at, here);
        LLVMSetAlignment(values[e], LANES);
    }
}

void build_access_lanes(struct build *build, const struct op *op, LLVMValueRef values[4]) {
    if (build->has_mask_registers)
        access_at_once(build, op, build_lane_offsets(build, op), values);
    else
        access_by_call(build, op, values);
}
