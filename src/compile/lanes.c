// Lanes that lie anywhere. Processors that gather and scatter do so. For others LLVM would write 32
// accesses, and a branch for each where some lanes are off, and take long: C code makes them, by
// windows where it can (sim/native/lanes.c). See build.h.
#include <stddef.h>
#include <stdio.h>

#include "compile/build.h"

static const char here[] = "";

static LLVMTypeRef lanes_type(const struct build *build, const struct op *op) {
    return LLVMVectorType(build_element_type(build, op), LANES);
}

// A pointer to so many bytes behind the place.
static LLVMValueRef element_from(struct build *build, const struct op *op,
                                 const struct lanes *lanes, unsigned e) {
    return build_pointer(build, lanes->from, (uint64_t)e * op->access->bytes, build->i8);
}

LLVMValueRef build_even_distances(struct build *build, int64_t stride) {
    char name[32];
    snprintf(name, sizeof name, "distances.%d", (int)stride);
    LLVMValueRef table = LLVMGetNamedGlobal(build->module, name), all[LANES];
    if (!table) {
        for (unsigned l = 0; l < LANES; l++)
            all[l] = LLVMConstInt(build->i32, (uint64_t)(l * stride), true);
        LLVMValueRef value = LLVMConstVector(all, LANES);
        table = LLVMAddGlobal(build->module, LLVMTypeOf(value), name);
        LLVMSetInitializer(table, value);
        LLVMSetGlobalConstant(table, true);
        LLVMSetLinkage(table, LLVMPrivateLinkage);
        LLVMSetAlignment(table, sizeof(uint32_t) * LANES);
    }
    return LLVMConstBitCast(table, build->bytes);
}

// ---- By the processor -------------------------------------------------------------------------

static LLVMValueRef lane_places(struct build *build, const struct op *op, const struct lanes *lanes,
                                unsigned e) {
    LLVMBuilderRef b = build->builder;
    LLVMTypeRef pointers = LLVMVectorType(LLVMPointerType(build_element_type(build, op), 0), LANES);
    LLVMValueRef distances =
        build_field(build, lanes->distances, 0, LLVMVectorType(build->i32, LANES));
    LLVMSetAlignment(distances, 64);
    distances = LLVMBuildSExt(b, distances, LLVMVectorType(build->i64, LANES), here);
    LLVMValueRef from = element_from(build, op, lanes, e);
    return LLVMBuildBitCast(b, LLVMBuildGEP2(b, build->i8, from, &distances, 1, here), pointers,
                            here);
}

static void access_at_once(struct build *build, const struct op *op, const struct lanes *lanes,
                           LLVMValueRef values[4]) {
    LLVMTypeRef type = lanes_type(build, op);
    LLVMValueRef on =
        build->mask ? build->mask->lanes : LLVMConstAllOnes(LLVMVectorType(build->i1, LANES));
    LLVMValueRef align = LLVMConstInt(build->i32, op->access->bytes, false);
    for (unsigned e = 0; e < op->access->count; e++) {
        LLVMValueRef places = lane_places(build, op, lanes, e);
        LLVMTypeRef types[2] = {type, LLVMTypeOf(places)};
        if (op->kind == OP_LOAD) {
            LLVMValueRef arguments[] = {places, align, on, LLVMGetUndef(type)};
            values[e] = build_intrinsic(build, "llvm.masked.gather", types, 2, arguments, 4);
        } else {
            LLVMValueRef arguments[] = {values[e], places, align, on};
            build_intrinsic(build, "llvm.masked.scatter", types, 2, arguments, 4);
        }
    }
}

// ---- By C code --------------------------------------------------------------------------------

// All lanes of element e, in memory of the function.
static LLVMValueRef array_of(struct build *build, const struct op *op, unsigned e) {
    return build_pointer(build, build->lane_values, (uint64_t)e * LANES * op->access->bytes,
                         lanes_type(build, op));
}

static void call(struct build *build, const struct op *op, const struct lanes *lanes) {
    const bool is_load = op->kind == OP_LOAD;
    LLVMTypeRef parameters[] = {build->bytes, build->bytes, build->bytes,
                                build->i32,   build->i32,   build->i64};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(build->context), parameters, 6, false);
    LLVMValueRef callee = build_field(build, build->links,
                                      is_load ? offsetof(struct compiled_links, load_lanes)
                                              : offsetof(struct compiled_links, store_lanes),
                                      LLVMPointerType(type, 0));
    LLVMValueRef arguments[] = {
        lanes->from,
        lanes->distances,
        build->lane_values,
        LLVMConstInt(build->i32, NATIVE_ELEMENTS(op->access->bytes, op->access->count), false),
        build->mask ? build->mask->bits : LLVMConstAllOnes(build->i32),
        lanes->windows,
    };
    LLVMBuildCall2(build->builder, type, callee, arguments, 6, "");
}

static void access_by_call(struct build *build, const struct op *op, const struct lanes *lanes,
                           LLVMValueRef values[4]) {
    const bool is_load = op->kind == OP_LOAD;
    for (unsigned e = 0; !is_load && e < op->access->count; e++)
        LLVMSetAlignment(LLVMBuildStore(build->builder, values[e], array_of(build, op, e)), LANES);
    call(build, op, lanes);
    for (unsigned e = 0; is_load && e < op->access->count; e++) {
        values[e] =
            LLVMBuildLoad2(build->builder, lanes_type(build, op), array_of(build, op, e), here);
        LLVMSetAlignment(values[e], LANES);
    }
}

void build_access_lanes(struct build *build, const struct op *op, const struct lanes *lanes,
                        LLVMValueRef values[4]) {
    if (build->has_mask_registers)
        access_at_once(build, op, lanes, values);
    else
        access_by_call(build, op, lanes, values);
}
