// Four words of each lane, one lane's behind the other's in memory: LLVM takes long to find how
// AVX2 may part them, and takes three times as many instructions. See build.h.
#include "compile/build.h"

static const char here[] = "";

enum { QUAD = 4, EIGHT = 8, HALF = 4, GROUPS = LANES / EIGHT };

static LLVMValueRef shuffle(struct build *build, LLVMValueRef a, LLVMValueRef b,
                            const unsigned char *order, unsigned count) {
    LLVMValueRef which[LANES];
    for (unsigned i = 0; i < count; i++)
        which[i] = LLVMConstInt(build->i32, order ? order[i] : i, false);
    return LLVMBuildShuffleVector(build->builder, a, b, LLVMConstVector(which, count), here);
}

// Of each half of eight words: rows become columns, four by four.
static void turn(struct build *build, const LLVMValueRef from[QUAD], LLVMValueRef to[QUAD]) {
    static const unsigned char low[EIGHT] = {0, 8, 1, 9, 4, 12, 5, 13},
                               high[EIGHT] = {2, 10, 3, 11, 6, 14, 7, 15},
                               first[EIGHT] = {0, 1, 8, 9, 4, 5, 12, 13},
                               second[EIGHT] = {2, 3, 10, 11, 6, 7, 14, 15};
    for (unsigned i = 0; i < QUAD; i += 2) {
        const unsigned char *order = i ? high : low;
        LLVMValueRef one = shuffle(build, from[0], from[1], order, EIGHT),
                     other = shuffle(build, from[2], from[3], order, EIGHT);
        to[i] = shuffle(build, one, other, first, EIGHT);
        to[i + 1] = shuffle(build, one, other, second, EIGHT);
    }
}

static LLVMValueRef place(struct build *build, LLVMValueRef at, unsigned lane) {
    return build_pointer(build, at, (uint64_t)lane * QUAD * sizeof(uint32_t),
                         LLVMVectorType(build->i32, QUAD));
}

static LLVMValueRef load_one(struct build *build, LLVMValueRef at, unsigned lane) {
    LLVMValueRef load = LLVMBuildLoad2(build->builder, LLVMVectorType(build->i32, QUAD),
                                       place(build, at, lane), here);
    LLVMSetAlignment(load, sizeof(uint32_t));
    return load;
}

void build_load_quads(struct build *build, LLVMValueRef at, LLVMValueRef values[QUAD]) {
    LLVMValueRef parts[GROUPS][QUAD];
    for (unsigned g = 0; g < GROUPS; g++) {
        LLVMValueRef rows[QUAD]; // lane i's and lane 4 + i's
        for (unsigned i = 0; i < QUAD; i++) {
            const unsigned lane = g * EIGHT + i;
            rows[i] = shuffle(build, load_one(build, at, lane), load_one(build, at, lane + HALF),
                              NULL, EIGHT);
        }
        turn(build, rows, parts[g]);
    }
    for (unsigned e = 0; e < QUAD; e++) {
        LLVMValueRef column[GROUPS];
        for (unsigned g = 0; g < GROUPS; g++)
            column[g] = parts[g][e];
        values[e] = build_join(build, column, EIGHT);
    }
}

void build_store_quads(struct build *build, LLVMValueRef at, LLVMValueRef values[QUAD]) {
    for (unsigned g = 0; g < GROUPS; g++) {
        LLVMValueRef columns[QUAD], rows[QUAD];
        for (unsigned e = 0; e < QUAD; e++)
            columns[e] = build_part(build, values[e], g * EIGHT, EIGHT);
        turn(build, columns, rows);
        for (unsigned l = 0; l < EIGHT; l++)
            LLVMSetAlignment(
                LLVMBuildStore(build->builder,
                               build_part(build, rows[l % HALF], l / HALF * HALF, HALF),
                               place(build, at, g * EIGHT + l)),
                sizeof(uint32_t));
    }
}
