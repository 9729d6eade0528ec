// Lanes anywhere, taken by windows of eight words where each eight lie in one: see struct
// native_shape. Else lane by lane.
#include <stddef.h>

#include "compile/build.h"

static const char here[] = "";

struct windows {
    struct build *build;
    const struct op *op;
    LLVMValueRef shape, first; // struct native_shape; lane 0's place
};

static LLVMTypeRef words_of(const struct build *build, unsigned count) {
    return LLVMVectorType(build->i32, count);
}

static LLVMValueRef place_of(const struct windows *windows, unsigned w) {
    struct build *build = windows->build;
    LLVMValueRef distance =
        build_field(build, windows->shape,
                    offsetof(struct native_shape, windows) + w * sizeof(int64_t), build->i64);
    LLVMValueRef at = LLVMBuildAdd(build->builder, windows->first, distance, here);
    return build_place(build, windows->op, at, words_of(build, NATIVE_WINDOW));
}

static LLVMValueRef permute(const struct windows *windows, LLVMValueRef eight, size_t order,
                            unsigned w) {
    struct build *build = windows->build;
    LLVMValueRef by =
        build_field(build, windows->shape, order + w * NATIVE_WINDOW * sizeof(uint32_t),
                    words_of(build, NATIVE_WINDOW));
    LLVMSetAlignment(by, NATIVE_WINDOW * sizeof(uint32_t));
    LLVMValueRef arguments[] = {eight, by};
    return build_intrinsic(build, "llvm.x86.avx2.permd", NULL, 0, arguments, 2);
}

static LLVMValueRef load_all(const struct windows *windows) {
    struct build *build = windows->build;
    LLVMValueRef parts[LANES / NATIVE_WINDOW];
    for (unsigned w = 0; w < LANES / NATIVE_WINDOW; w++) {
        LLVMValueRef eight = LLVMBuildLoad2(build->builder, words_of(build, NATIVE_WINDOW),
                                            place_of(windows, w), here);
        LLVMSetAlignment(eight, sizeof(uint32_t));
        parts[w] = permute(windows, eight, offsetof(struct native_shape, words), w);
    }
    return build_join(build, parts, NATIVE_WINDOW);
}

static void store_all(const struct windows *windows, LLVMValueRef values) {
    struct build *build = windows->build;
    for (unsigned w = 0; w < LANES / NATIVE_WINDOW; w++) {
        LLVMValueRef eight =
            permute(windows, build_part(build, values, w * NATIVE_WINDOW, NATIVE_WINDOW),
                    offsetof(struct native_shape, takers), w);
        LLVMValueRef store = LLVMBuildStore(build->builder, eight, place_of(windows, w));
        LLVMSetAlignment(store, sizeof(uint32_t));
    }
}

bool build_has_windows(const struct build *build, const struct op *op) {
    return build->has_permutations && !build->mask && op->access->count == 1 &&
           op->access->bytes == sizeof(uint32_t);
}

struct window_ways build_windows(struct build *build, const struct op *op, LLVMValueRef cell,
                                 LLVMValueRef first, LLVMValueRef stored) {
    LLVMBuilderRef b = build->builder;
    const uint64_t what = op->kind == OP_LOAD ? NATIVE_WINDOW_LOADS : NATIVE_WINDOW_STORES;
    LLVMValueRef good =
        LLVMBuildAnd(b, build_field(build, cell, offsetof(struct native_cell, windows), build->i64),
                     build_number(build, what), here);
    LLVMBasicBlockRef has = build_block(build, "windows"), other = build_block(build, "lanes");
    build_branch(build, LLVMBuildICmp(b, LLVMIntNE, good, build_number(build, 0), here), has,
                 other);
    LLVMPositionBuilderAtEnd(b, has);
    const struct windows windows = {
        .build = build,
        .op = op,
        .shape = build_field(build, cell, offsetof(struct native_cell, shape), build->bytes),
        .first = first,
    };
    struct window_ways ways = {.has = has, .behind = build_block(build, "taken")};
    if (op->kind == OP_LOAD)
        ways.loaded = load_all(&windows);
    else
        store_all(&windows, stored);
    LLVMBuildBr(b, ways.behind);
    LLVMPositionBuilderAtEnd(b, other);
    return ways;
}

LLVMValueRef build_behind_windows(struct build *build, struct window_ways *ways,
                                  LLVMValueRef loaded) {
    LLVMBasicBlockRef other = LLVMGetInsertBlock(build->builder);
    LLVMBuildBr(build->builder, ways->behind);
    LLVMPositionBuilderAtEnd(build->builder, ways->behind);
    if (!loaded)
        return NULL;
    LLVMValueRef phi = LLVMBuildPhi(build->builder, LLVMTypeOf(loaded), here);
    LLVMAddIncoming(phi, &ways->loaded, &ways->has, 1);
    LLVMAddIncoming(phi, &loaded, &other, 1);
    return phi;
}
