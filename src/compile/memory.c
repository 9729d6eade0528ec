// Loads and stores of compiled code: a look at the access's cell, and where that does not know it
// the interpreter's handler. See build.h.
#include <stddef.h>
#include <string.h>

#include "compile/build.h"

static const char here[] = "";

// Lane 0's offset or address.
static LLVMValueRef first_address(struct build *build, const struct op *op) {
    LLVMValueRef base = build_source_first(build, &op->base);
    if (op->base.bytes == 4) {
        LLVMValueRef offset = LLVMConstInt(build->i32, (uint32_t)op->access->offset, false);
        base = LLVMBuildAdd(build->builder, base, offset, here);
        // Below 0 where lane 0 is off and has no place.
        return LLVMBuildSExt(build->builder, base, build->i64, here);
    }
    return LLVMBuildAdd(build->builder, base, build_number(build, op->access->offset), here);
}

// ---- What is accessed -------------------------------------------------------------------------

LLVMTypeRef build_element_type(const struct build *build, const struct op *op) {
    return LLVMIntTypeInContext(build->context, 8 * op->access->bytes);
}

LLVMValueRef build_place(struct build *build, const struct op *op, LLVMValueRef at,
                         LLVMTypeRef type) {
    if (op->access->space == PTX_SPACE_SHARED)
        return build_pointer_by(build, build->shared, at, type);
    return LLVMBuildIntToPtr(build->builder, at, LLVMPointerType(type, 0), here);
}

static LLVMValueRef place(struct build *build, const struct op *op, LLVMValueRef first,
                          uint64_t more, LLVMTypeRef type) {
    LLVMValueRef at = LLVMBuildAdd(build->builder, first, build_number(build, more), here);
    return build_place(build, op, at, type);
}

static LLVMTypeRef held_type(const struct build *build, const struct op *op) {
    return build_lane_type(build, op->access->bytes == 8 ? 8 : 4);
}

static LLVMValueRef load_one(struct build *build, const struct op *op, LLVMValueRef at) {
    LLVMValueRef load = LLVMBuildLoad2(build->builder, build_element_type(build, op), at, here);
    LLVMSetAlignment(load, op->access->bytes);
    return LLVMBuildZExt(build->builder, load, held_type(build, op), here);
}

static LLVMTypeRef vector_of(LLVMTypeRef type, unsigned count) {
    return LLVMVectorType(type, count);
}

static LLVMValueRef widen(struct build *build, const struct op *op, LLVMValueRef value) {
    return LLVMBuildZExt(build->builder, value, vector_of(held_type(build, op), LANES), here);
}

static LLVMValueRef on_lanes(const struct build *build) {
    return build->mask ? build->mask->lanes : LLVMConstAllOnes(vector_of(build->i1, LANES));
}

// Every count-th element, from the e-th on.
static LLVMValueRef take_element(struct build *build, LLVMValueRef all, unsigned count,
                                 unsigned e) {
    LLVMValueRef which[LANES];
    for (unsigned l = 0; l < LANES; l++)
        which[l] = LLVMConstInt(build->i32, l * count + e, false);
    return LLVMBuildShuffleVector(build->builder, all, LLVMGetUndef(LLVMTypeOf(all)),
                                  LLVMConstVector(which, LANES), here);
}

// ---- Lanes side by side, which may have been exchanged (struct form) ----------------------------

// What lane n ^ flip has: from lanes in order to the order of their places, and back.
static LLVMValueRef exchange_lanes(struct build *build, LLVMValueRef all, unsigned flip) {
    LLVMValueRef which[LANES];
    if (!flip)
        return all;
    for (unsigned l = 0; l < LANES; l++)
        which[l] = LLVMConstInt(build->i32, l ^ flip, false);
    return LLVMBuildShuffleVector(build->builder, all, LLVMGetUndef(LLVMTypeOf(all)),
                                  LLVMConstVector(which, LANES), here);
}

// The lanes that are on, in the order of their places.
static LLVMValueRef on_places(struct build *build, unsigned flip) {
    return flip ? build_predicate(build, build_exchange_bits(build, build->mask->bits, flip))
                : on_lanes(build);
}

// Of the lane whose place is the first.
static LLVMValueRef first_place(struct build *build, LLVMValueRef first, struct form base) {
    const uint64_t distance = (uint64_t)base.flip * (uint64_t)base.stride;
    return distance ? LLVMBuildSub(build->builder, first, build_number(build, distance), here)
                    : first;
}

// Shared memory is this thread's alone, and goes on before and behind it (SIM_SHARED_MARGIN): words
// side by side, of which some lane that is on has one, can all be read and written back.
bool build_touches_some(const struct build *build, const struct op *op) {
    return build->mask && op->access->space != PTX_SPACE_SHARED;
}

static bool is_quad(const struct build *build, const struct op *op) {
    return build->has_permutations && op->access->count == 4 && op->access->bytes == 4;
}

LLVMValueRef build_load_on(struct build *build, const struct op *op, LLVMValueRef at,
                           LLVMValueRef on) {
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(at)), types[2] = {type, LLVMTypeOf(at)};
    if (on) {
        LLVMValueRef align = LLVMConstInt(build->i32, op->access->bytes, false);
        LLVMValueRef arguments[] = {at, align, on, LLVMGetUndef(type)};
        return build_intrinsic(build, "llvm.masked.load", types, 2, arguments, 4);
    }
    LLVMValueRef all = LLVMBuildLoad2(build->builder, type, at, here);
    LLVMSetAlignment(all, op->access->bytes);
    return all;
}

static void load_linear(struct build *build, const struct op *op, LLVMValueRef first, unsigned flip,
                        LLVMValueRef values[4]) {
    const unsigned count = op->access->count;
    if (is_quad(build, op)) {
        build_load_quads(build, place(build, op, first, 0, build->i8), values);
        build_fetch_ahead(build, op, first);
        return;
    }
    if (flip && build_has_exchange(build, op)) {
        values[0] = build_load_exchanged(build, op, first, flip);
        return;
    }
    LLVMValueRef at =
        place(build, op, first, 0, vector_of(build_element_type(build, op), LANES * count));
    LLVMValueRef all = // of one element, if not of all lanes
        build_load_on(build, op, at, build_touches_some(build, op) ? on_places(build, flip) : NULL);
    if (!build->mask)
        build_fetch_ahead(build, op, first);
    if (count == 1)
        values[0] = exchange_lanes(build, widen(build, op, all), flip);
    for (unsigned e = 0; count > 1 && e < count; e++)
        values[e] = widen(build, op, take_element(build, all, count, e));
}

static void load_strided(struct build *build, const struct op *op, LLVMValueRef first,
                         int64_t stride, LLVMValueRef values[4]) {
    LLVMTypeRef type = build_element_type(build, op);
    LLVMValueRef base = build_place(build, op, first, build->i8);
    for (unsigned e = 0; e < op->access->count; e++) {
        LLVMValueRef all = LLVMGetUndef(vector_of(type, LANES));
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t more = (uint64_t)(l * stride) + e * op->access->bytes;
            LLVMValueRef at = build_pointer(build, base, more, type);
            LLVMValueRef one = LLVMBuildLoad2(build->builder, type, at, here);
            LLVMSetAlignment(one, op->access->bytes);
            all = LLVMBuildInsertElement(build->builder, all, one,
                                         LLVMConstInt(build->i32, l, false), here);
        }
        values[e] = widen(build, op, all);
    }
}

static void load_values(struct build *build, const struct op *op, LLVMValueRef first,
                        struct form base, LLVMValueRef values[4]) {
    const unsigned width = op->access->bytes * op->access->count;
    if (base.stride == (int64_t)width) {
        load_linear(build, op, first_place(build, first, base), base.flip, values);
    } else if (base.stride == 0) {
        for (unsigned e = 0; e < op->access->count; e++)
            values[e] = load_one(
                build, op,
                place(build, op, first, e * op->access->bytes, build_element_type(build, op)));
    } else {
        load_strided(build, op, first, base.stride, values);
    }
}

static LLVMValueRef narrow(struct build *build, const struct op *op, LLVMValueRef value,
                           unsigned lanes) {
    LLVMTypeRef type = build_element_type(build, op);
    return LLVMBuildTrunc(build->builder, value, lanes == 1 ? type : vector_of(type, lanes), here);
}

static void store_at(struct build *build, const struct op *op, LLVMValueRef value,
                     LLVMValueRef at) {
    LLVMSetAlignment(LLVMBuildStore(build->builder, value, at), op->access->bytes);
}

static LLVMValueRef lane_of(struct build *build, LLVMValueRef value, unsigned lane) {
    return LLVMBuildExtractElement(build->builder, value, LLVMConstInt(build->i32, lane, false),
                                   here);
}

// All lanes to one place: as the interpreter has it (lanes/mem/store.c), the lowest lane of the
// last group of lanes that is served wins.
static LLVMValueRef winner_of(struct build *build, unsigned width) {
    LLVMBuilderRef b = build->builder;
    const unsigned group = width <= 4 ? LANES : 4 * LANES / width;
    if (!build->mask)
        return LLVMConstInt(build->i32, LANES - group, false);
    LLVMValueRef bits = build->mask->bits;
    if (group < LANES) {
        LLVMValueRef last = LLVMBuildSub(b, LLVMConstInt(build->i32, LANES - 1, false),
                                         build_count_zeros(build, "llvm.ctlz", bits), here);
        LLVMValueRef begin =
            LLVMBuildAnd(b, last, LLVMConstInt(build->i32, ~(group - 1), false), here);
        bits =
            LLVMBuildAnd(b, bits, LLVMBuildShl(b, LLVMConstAllOnes(build->i32), begin, here), here);
    }
    return build_count_zeros(build, "llvm.cttz", bits);
}

static void store_uniform(struct build *build, const struct op *op, LLVMValueRef first) {
    const unsigned width = op->access->bytes * op->access->count;
    LLVMValueRef winner = winner_of(build, width);
    for (unsigned e = 0; e < op->access->count; e++) {
        const struct op_source *source = &op->elements[e];
        LLVMValueRef value =
            build_is_same_in_all(build, source)
                ? build_source_first(build, source)
                : LLVMBuildExtractElement(build->builder, build_source_lanes(build, source), winner,
                                          here);
        store_at(build, op, narrow(build, op, value, 1),
                 place(build, op, first, e * op->access->bytes, build_element_type(build, op)));
    }
}

static void store_masked(struct build *build, const struct op *op, const struct piece *piece) {
    LLVMTypeRef types[2] = {LLVMTypeOf(piece->all), LLVMTypeOf(piece->at)};
    LLVMValueRef align = LLVMConstInt(build->i32, op->access->bytes, false);
    LLVMValueRef arguments[] = {piece->all, piece->at, align, piece->on};
    build_intrinsic(build, "llvm.masked.store", types, 2, arguments, 4);
}

// Those that are off write what was there.
static void store_selected(struct build *build, const struct op *op, const struct piece *piece) {
    LLVMBuilderRef b = build->builder;
    LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(piece->all), piece->at, here);
    LLVMSetAlignment(old, op->access->bytes);
    store_at(build, op, LLVMBuildSelect(b, piece->on, piece->all, old, here), piece->at);
}

// Masked stores take 20 cycles and more where there are no mask registers.
void build_store_piece(struct build *build, const struct op *op, const struct piece *piece) {
    if (!piece->on)
        store_at(build, op, piece->all, piece->at);
    else if (build->has_mask_registers || build_touches_some(build, op))
        store_masked(build, op, piece);
    else
        store_selected(build, op, piece);
}

static void store_linear(struct build *build, const struct op *op, LLVMValueRef first,
                         unsigned flip) {
    const unsigned count = op->access->count;
    if (is_quad(build, op)) {
        LLVMValueRef values[4];
        for (unsigned e = 0; e < count; e++)
            values[e] = build_source_lanes(build, &op->elements[e]);
        build_store_quads(build, place(build, op, first, 0, build->i8), values);
        build_fetch_ahead(build, op, first);
        return;
    }
    LLVMValueRef all = build_source_lanes(build, &op->elements[0]);
    if (flip && build_has_exchange(build, op)) {
        build_store_exchanged(build, op, first, flip, all);
        return;
    }
    all = narrow(build, op, exchange_lanes(build, all, flip), LANES);
    LLVMValueRef which[4 * LANES];
    if (count > 1) {
        LLVMValueRef parts[4];
        for (unsigned e = 0; e < count; e++)
            parts[e] = narrow(build, op, build_source_lanes(build, &op->elements[e]), LANES);
        for (unsigned i = 0; i < 2 * LANES; i++)
            which[i] = LLVMConstInt(build->i32, (i % 2) * LANES + i / 2, false);
        LLVMValueRef low = LLVMBuildShuffleVector(build->builder, parts[0], parts[count / 2],
                                                  LLVMConstVector(which, 2 * LANES), here);
        all = low;
        if (count == 4) {
            LLVMValueRef high = LLVMBuildShuffleVector(build->builder, parts[1], parts[3],
                                                       LLVMConstVector(which, 2 * LANES), here);
            for (unsigned i = 0; i < 4 * LANES; i++)
                which[i] = LLVMConstInt(build->i32, (i % 2) * 2 * LANES + i / 2, false);
            all = LLVMBuildShuffleVector(build->builder, low, high,
                                         LLVMConstVector(which, 4 * LANES), here);
        }
    }
    const struct piece piece = {all, place(build, op, first, 0, LLVMTypeOf(all)),
                                build->mask ? on_places(build, flip) : NULL};
    build_store_piece(build, op, &piece);
    if (!build->mask)
        build_fetch_ahead(build, op, first);
}

static void store_strided(struct build *build, const struct op *op, LLVMValueRef first,
                          int64_t stride) {
    LLVMValueRef base = build_place(build, op, first, build->i8);
    for (unsigned e = 0; e < op->access->count; e++) {
        LLVMValueRef all = narrow(build, op, build_source_lanes(build, &op->elements[e]), LANES);
        for (unsigned l = 0; l < LANES; l++)
            store_at(build, op, lane_of(build, all, l),
                     build_pointer(build, base, (uint64_t)(l * stride) + e * op->access->bytes,
                                   build_element_type(build, op)));
    }
}

static void store_values(struct build *build, const struct op *op, LLVMValueRef first,
                         struct form base) {
    const int64_t width = op->access->bytes * op->access->count;
    if (base.stride == 0)
        store_uniform(build, op, first);
    else if (base.stride == width)
        store_linear(build, op, first_place(build, first, base), base.flip);
    else
        store_strided(build, op, first, base.stride);
}

// ---- Lanes anywhere -----------------------------------------------------------------------------

// Lanes at equal distances are taken one by one, too, where some are off.
static struct lanes lanes_of(struct build *build, const struct op *op, struct windows *windows) {
    const struct form base = build_source_form(build, &op->base);
    if (!build_is_anywhere(op, base))
        return (struct lanes){build_place(build, op, first_address(build, op), build->i8),
                              build_even_distances(build, base.stride), build_number(build, 0)};
    LLVMValueRef from = build_place(build, op, windows->first, build->i8);
    const bool may_be = build_has_windows(build, op) && build->window_use == WINDOWS_ASKED;
    LLVMValueRef distances = build_pointer(build, build_shape(build, windows),
                                           offsetof(struct native_shape, lanes), build->i8);
    return (struct lanes){build_pointer(build, from, (uint64_t)op->access->offset, build->i8),
                          distances, may_be ? windows->good : build_number(build, 0)};
}

static void access_each(struct build *build, const struct op *op, struct windows *windows,
                        LLVMValueRef loaded[4]) {
    const bool is_load = op->kind == OP_LOAD;
    const struct lanes lanes = lanes_of(build, op, windows);
    LLVMValueRef values[4];
    for (unsigned e = 0; !is_load && e < op->access->count; e++)
        values[e] = narrow(build, op, build_source_lanes(build, &op->elements[e]), LANES);
    build_access_lanes(build, op, &lanes, values);
    for (unsigned e = 0; is_load && e < op->access->count; e++)
        loaded[e] = widen(build, op, values[e]);
}

static void access_lanes(struct build *build, const struct op *op, struct windows *windows,
                         LLVMValueRef values[4]) {
    if (build_has_windows(build, op) && build->window_use == WINDOWS_ALWAYS)
        values[0] = build_window_access(build, op, windows);
    else
        access_each(build, op, windows, values);
}

// ---- An access --------------------------------------------------------------------------------

bool build_is_anywhere(const struct op *op, struct form base) {
    const bool is_linear = op->access->count == 1 && base.stride == op->access->bytes;
    return base.kind == FORM_LANES || (base.flip && !is_linear);
}

// Of some lanes, those that are neither side by side nor at one place are taken one by one.
static bool is_lane_by_lane(const struct build *build, const struct op *op, struct form base) {
    const int64_t width = op->access->bytes * op->access->count;
    return build_is_anywhere(op, base) ||
           (build->mask && base.stride != 0 && (base.stride != width || op->access->count > 1));
}

bool build_can_access(const struct build *build, const struct op *op, struct form base) {
    const int64_t width = op->access->bytes * op->access->count;
    const bool is_shared = op->access->space == PTX_SPACE_SHARED;
    enum { FAR = 1 << 20 };
    if (op->guard != IR_NONE)
        return false;
    if (base.kind == FORM_NONE)
        return false;
    if (build_is_anywhere(op, base))
        return op->base.bytes == (is_shared ? 4 : 8);
    if (is_lane_by_lane(build, op, base) && !is_shared)
        return false;
    if (base.stride == 0 || base.stride == width)
        return true;
    // Lanes must not overlap.
    return base.stride > width && base.stride < FAR && base.stride % width == 0;
}

void build_access(struct build *build, const struct op *op, struct windows *windows) {
    const struct form base = build_source_form(build, &op->base);
    const bool is_load = op->kind == OP_LOAD;
    LLVMValueRef values[4] = {NULL};
    if (is_lane_by_lane(build, op, base))
        access_lanes(build, op, windows, values);
    else if (is_load)
        load_values(build, op, first_address(build, op), base, values);
    else
        store_values(build, op, first_address(build, op), base);
    for (unsigned e = 0; is_load && e < op->access->count; e++)
        if (op->targets[e] != IR_NONE)
            build_assign(build, op->targets[e], values[e]);
}
