// Words side by side whose lanes have been exchanged (struct form's flip), as butterflies do it.
// They are moved part by part: which part is a matter of the place, and in each of them lanes
// change places as a vector of numbers says. So what has another flip is the same code but for
// numbers (repeats.c). See build.h.
#include <stddef.h>

#include "compile/build.h"

static const char here[] = "";

enum { WORD = 4, MOST_PARTS = LANES / 8 };

struct exchange {
    struct build *build;
    LLVMValueRef first;          // the first place, a pointer
    unsigned flip, lanes, parts; // lanes of each part
};

static struct exchange exchange_of(struct build *build, const struct op *op, LLVMValueRef first,
                                   unsigned flip) {
    const unsigned lanes = build->has_mask_registers ? 16 : 8;
    return (struct exchange){build, build_place(build, op, first, build->i8), flip, lanes,
                             LANES / lanes};
}

static LLVMTypeRef part_type(const struct exchange *exchange) {
    return LLVMVectorType(exchange->build->i32, exchange->lanes);
}

// By adding a number to a pointer, also where the part is the first one: LLVM leaves that alone.
static LLVMValueRef place_of(const struct exchange *exchange, unsigned part) {
    struct build *build = exchange->build;
    const unsigned at = part ^ (exchange->flip / exchange->lanes), bytes = exchange->lanes * WORD;
    LLVMValueRef before = build_pointer(build, exchange->first, -(uint64_t)bytes, build->i8);
    return build_pointer(build, before, (uint64_t)(at + 1) * bytes, part_type(exchange));
}

static LLVMValueRef exchange_lanes(const struct exchange *exchange, LLVMValueRef part) {
    struct build *build = exchange->build;
    const unsigned lanes = exchange->lanes;
    LLVMValueRef from[LANES];
    for (unsigned l = 0; l < lanes; l++)
        from[l] = LLVMConstInt(build->i32, l ^ (exchange->flip % lanes), false);
    LLVMValueRef arguments[] = {part, LLVMConstVector(from, lanes)};
    return build_intrinsic(build,
                           lanes == 16 ? "llvm.x86.avx512.permvar.si.512" : "llvm.x86.avx2.permd",
                           NULL, 0, arguments, 2);
}

LLVMValueRef build_exchange_bits(struct build *build, LLVMValueRef bits, unsigned flip) {
    LLVMBuilderRef b = build->builder;
    for (unsigned by = 1; by < LANES; by *= 2) {
        const uint32_t upper = UINT32_MAX / (1u + (1u << by % LANES)) << by;
        if (!(flip & by))
            continue;
        LLVMValueRef distance = LLVMConstInt(build->i32, by, false);
        LLVMValueRef low = LLVMBuildAnd(b, bits, LLVMConstInt(build->i32, ~upper, false), here);
        LLVMValueRef high = LLVMBuildAnd(b, bits, LLVMConstInt(build->i32, upper, false), here);
        bits = LLVMBuildOr(b, LLVMBuildShl(b, low, distance, here),
                           LLVMBuildLShr(b, high, distance, here), here);
    }
    return bits;
}

// The lanes that are on, of each part as its places are.
static void find_on(const struct exchange *exchange, LLVMValueRef on[MOST_PARTS]) {
    struct build *build = exchange->build;
    const unsigned lanes = exchange->lanes;
    LLVMValueRef all = build->mask->lanes;
    if (build->has_mask_registers)
        all = build_predicate(
            build, build_exchange_bits(build, build->mask->bits, exchange->flip % lanes));
    for (unsigned p = 0; p < exchange->parts; p++) {
        on[p] = build_part(build, all, p * lanes, lanes);
        if (build->has_mask_registers)
            continue;
        on[p] = exchange_lanes(exchange,
                               LLVMBuildSExt(build->builder, on[p], part_type(exchange), here));
        on[p] = LLVMBuildICmp(build->builder, LLVMIntSLT, on[p], LLVMConstNull(part_type(exchange)),
                              here);
    }
}

bool build_has_exchange(const struct build *build, const struct op *op) {
    return build->has_permutations && op->access->count == 1 && op->access->bytes == WORD;
}

LLVMValueRef build_load_exchanged(struct build *build, const struct op *op, LLVMValueRef first,
                                  unsigned flip) {
    const struct exchange exchange = exchange_of(build, op, first, flip);
    LLVMValueRef parts[MOST_PARTS], on[MOST_PARTS] = {NULL};
    if (build_touches_some(build, op))
        find_on(&exchange, on);
    for (unsigned p = 0; p < exchange.parts; p++)
        parts[p] =
            exchange_lanes(&exchange, build_load_on(build, op, place_of(&exchange, p), on[p]));
    return build_join(build, parts, exchange.lanes);
}

void build_store_exchanged(struct build *build, const struct op *op, LLVMValueRef first,
                           unsigned flip, LLVMValueRef all) {
    const struct exchange exchange = exchange_of(build, op, first, flip);
    LLVMValueRef on[MOST_PARTS] = {NULL};
    if (build->mask)
        find_on(&exchange, on);
    for (unsigned p = 0; p < exchange.parts; p++) {
        LLVMValueRef part = build_part(build, all, p * exchange.lanes, exchange.lanes);
        build_store_piece(
            build, op,
            &(struct piece){exchange_lanes(&exchange, part), place_of(&exchange, p), on[p]});
    }
}
