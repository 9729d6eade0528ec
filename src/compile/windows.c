// Lanes anywhere, taken by windows of eight words where each eight lie in one: see struct
// native_shape. Else lane by lane.
#include <stddef.h>

#include "compile/build.h"

static const char here[] = "";

enum { LOADS, STORES };

static LLVMTypeRef words_of(const struct build *build, unsigned count) {
    return LLVMVectorType(build->i32, count);
}

// ---- What the accesses of a group share ---------------------------------------------------------

// In a block before the accesses.
LLVMValueRef build_shape(struct build *build, struct windows *windows) {
    LLVMBasicBlockRef here_now = LLVMGetInsertBlock(build->builder);
    if (windows->shape)
        return windows->shape;
    LLVMPositionBuilderAtEnd(build->builder, windows->before);
    windows->shape =
        build_field(build, windows->cell, offsetof(struct native_cell, shape), build->bytes);
    windows->good =
        build_field(build, windows->cell, offsetof(struct native_cell, windows), build->i64);
    LLVMPositionBuilderAtEnd(build->builder, here_now);
    return windows->shape;
}

static void find_places(struct build *build, const struct op *op, struct windows *windows) {
    LLVMValueRef first = build_place(build, op, windows->first, build->i8);
    for (unsigned w = 0; w < BUILD_WINDOWS; w++) {
        LLVMValueRef distance =
            build_field(build, windows->shape,
                        offsetof(struct native_shape, windows) + w * sizeof(int64_t), build->i64);
        windows->places[w] = build_pointer_by(build, first, distance, build->i8);
    }
}

static void find_orders(struct build *build, struct windows *windows, unsigned what) {
    const size_t all = what == LOADS ? offsetof(struct native_shape, words)
                                     : offsetof(struct native_shape, takers);
    for (unsigned w = 0; w < BUILD_WINDOWS; w++) {
        LLVMValueRef order =
            build_field(build, windows->shape, all + w * NATIVE_WINDOW * sizeof(uint32_t),
                        words_of(build, NATIVE_WINDOW));
        LLVMSetAlignment(order, NATIVE_WINDOW * sizeof(uint32_t));
        windows->orders[what][w] = order;
    }
}

// In that block, too.
static void find_shared(struct build *build, const struct op *op, struct windows *windows,
                        unsigned what) {
    LLVMBasicBlockRef here_now = LLVMGetInsertBlock(build->builder);
    build_shape(build, windows);
    LLVMPositionBuilderAtEnd(build->builder, windows->before);
    if (!windows->places[0])
        find_places(build, op, windows);
    if (!windows->orders[what][0])
        find_orders(build, windows, what);
    LLVMPositionBuilderAtEnd(build->builder, here_now);
}

// ---- An access --------------------------------------------------------------------------------

static LLVMValueRef permute(struct build *build, LLVMValueRef eight, LLVMValueRef order) {
    LLVMValueRef arguments[] = {eight, order};
    return build_intrinsic(build, "llvm.x86.avx2.permd", NULL, 0, arguments, 2);
}

static LLVMValueRef place_of(struct build *build, const struct op *op,
                             const struct windows *windows, unsigned w) {
    return build_pointer(build, windows->places[w], (uint64_t)op->access->offset,
                         words_of(build, NATIVE_WINDOW));
}

static LLVMValueRef load_all(struct build *build, const struct op *op,
                             const struct windows *windows) {
    LLVMValueRef parts[BUILD_WINDOWS];
    for (unsigned w = 0; w < BUILD_WINDOWS; w++) {
        LLVMValueRef eight = LLVMBuildLoad2(build->builder, words_of(build, NATIVE_WINDOW),
                                            place_of(build, op, windows, w), here);
        LLVMSetAlignment(eight, sizeof(uint32_t));
        parts[w] = permute(build, eight, windows->orders[LOADS][w]);
    }
    return build_join(build, parts, NATIVE_WINDOW);
}

static void store_all(struct build *build, const struct op *op, const struct windows *windows,
                      LLVMValueRef values) {
    for (unsigned w = 0; w < BUILD_WINDOWS; w++) {
        LLVMValueRef eight = build_part(build, values, w * NATIVE_WINDOW, NATIVE_WINDOW);
        LLVMValueRef store =
            LLVMBuildStore(build->builder, permute(build, eight, windows->orders[STORES][w]),
                           place_of(build, op, windows, w));
        LLVMSetAlignment(store, sizeof(uint32_t));
    }
}

bool build_has_windows(const struct build *build, const struct op *op) {
    return build->has_permutations && !build->mask && op->access->count == 1 &&
           op->access->bytes == sizeof(uint32_t);
}

LLVMValueRef build_windows_are_good(struct build *build, const struct windows *windows) {
    if (!windows->wanted)
        return NULL;
    LLVMValueRef wanted = build_number(build, windows->wanted);
    LLVMValueRef good = LLVMBuildAnd(build->builder, windows->good, wanted, here);
    return LLVMBuildICmp(build->builder, LLVMIntEQ, good, wanted, here);
}

LLVMValueRef build_window_access(struct build *build, const struct op *op,
                                 struct windows *windows) {
    const unsigned what = op->kind == OP_LOAD ? LOADS : STORES;
    find_shared(build, op, windows, what);
    windows->wanted |= op->kind == OP_LOAD ? NATIVE_WINDOW_LOADS : NATIVE_WINDOW_STORES;
    if (what == LOADS)
        return load_all(build, op, windows);
    store_all(build, op, windows, build_source_lanes(build, &op->elements[0]));
    return NULL;
}
