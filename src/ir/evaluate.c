// The scalar evaluator: the rows of value.def for one lane.
#include "ir/value.h"

#include <string.h>

#include "ir/address.h"
#include "ir/value_convert.h"
#include "ir/value_half.h"
#include "ir/value_kinds.h"

// ---- Rows as data ---------------------------------------------------------------------------

#define ROW(name, law, result, ...)                                                                \
    [IR_VALUE_##name] = {#name, IR_LAW_##law, IR_KIND_##result, {__VA_ARGS__}, false, false},
#define FORMED(name, law, result, ...)                                                             \
    [IR_VALUE_##name] = {#name, IR_LAW_##law, IR_KIND_##result, {__VA_ARGS__}, true, false},
#define OWN(name, law, result, ...)                                                                \
    [IR_VALUE_##name] = {#name, IR_LAW_##law, IR_KIND_##result, {__VA_ARGS__}, false, true},
static const struct ir_value_row rows[IR_VALUE_COUNT] = {
    [IR_VALUE_NONE] = {"none", IR_LAW_OPAQUE, IR_KIND_none, {IR_KIND_none}, false, false},
#define VALUE1(name, law, D, A, ...) ROW(name, law, D, IR_KIND_##A)
#define VALUE2(name, law, D, A, B, ...) ROW(name, law, D, IR_KIND_##A, IR_KIND_##B)
#define VALUE3(name, law, D, A, B, C, ...) ROW(name, law, D, IR_KIND_##A, IR_KIND_##B, IR_KIND_##C)
#define VALUE4(name, law, D, A, B, C, E, ...)                                                      \
    ROW(name, law, D, IR_KIND_##A, IR_KIND_##B, IR_KIND_##C, IR_KIND_##E)
#define FORMED1(name, law, D, A, ...) FORMED(name, law, D, IR_KIND_##A)
#define FORMED2(name, law, D, A, B, ...) FORMED(name, law, D, IR_KIND_##A, IR_KIND_##B)
#define FORMED3(name, law, D, A, B, C, ...)                                                        \
    FORMED(name, law, D, IR_KIND_##A, IR_KIND_##B, IR_KIND_##C)
#define FOUR2 FORMED2
#define TESTED3 VALUE3
#define LOOKUP3 VALUE3
#define SELECT(name, law, D, ...) ROW(name, law, D, IR_KIND_##D, IR_KIND_##D, IR_KIND_pred)
#define COMPARE(name, law, K, ...) ROW(name, law, pred, IR_KIND_##K, IR_KIND_##K)
#define TEST1(name, law, K, ...) ROW(name, law, pred, IR_KIND_##K)
#define HALF1(name, law, ...) ROW(name, law, u32, IR_KIND_u32)
#define HALF2(name, law, ...) ROW(name, law, u32, IR_KIND_u32, IR_KIND_u32)
#define PREDICATE1(name, law, ...) ROW(name, law, pred, IR_KIND_pred)
#define PREDICATE2(name, law, ...) ROW(name, law, pred, IR_KIND_pred, IR_KIND_pred)
#define CARRY2(name, law, D, ...) ROW(name, law, D, IR_KIND_##D, IR_KIND_##D)
#define CARRY3(name, law, D, A, ...) ROW(name, law, D, IR_KIND_##A, IR_KIND_##A, IR_KIND_##D)
#define OWN1(name, law, D, A, ...) OWN(name, law, D, IR_KIND_##A)
#define OWN_TEST1(name, law, K, ...) OWN(name, law, pred, IR_KIND_##K)
#define COPY_PARTS(name, law, D, ...) ROW(name, law, D, IR_KIND_##D)
#define PACK(name, law, D, ...) ROW(name, law, D, IR_KIND_##D)
#define UNPACK(name, law, A, ...) ROW(name, law, A, IR_KIND_##A)
#include "ir/value.def"
};

const struct ir_value_row *ir_value_row(enum ir_value value) {
    return &rows[value];
}

// ---- Rows as functions ----------------------------------------------------------------------

// What a row computes. imm, form, carry and own are there for all, and used by few.
#define BODY(name) static void run_##name(struct ir_lane *lane, uint32_t imm)
#define BEGIN                                                                                      \
    const uint64_t own = lane->own;                                                                \
    const struct ir_form *form = lane->form;                                                       \
    (void)imm, (void)own, (void)form;
#define IN(K, v, n)                                                                                \
    lane_##K lane_##v;                                                                             \
    memcpy(&lane_##v, &lane->in[n], sizeof lane_##v);                                              \
    const value_##K v = (value_##K)(load_##K)lane_##v;
#define OUT(K, result)                                                                             \
    const lane_##K out = (lane_##K)(store_##K)(result);                                            \
    lane->out[0] = 0;                                                                              \
    memcpy(&lane->out[0], &out, sizeof out);

#define VALUE1(name, law, D, A, x, ...)                                                            \
    BODY(name) {                                                                                   \
        BEGIN IN(A, a, 0) OUT(D, (x))                                                              \
    }
#define VALUE2(name, law, D, A, B, x, ...)                                                         \
    BODY(name) {                                                                                   \
        BEGIN IN(A, a, 0) IN(B, b, 1) OUT(D, (x))                                                  \
    }
#define VALUE3(name, law, D, A, B, C, x, ...)                                                      \
    BODY(name) {                                                                                   \
        BEGIN IN(A, a, 0) IN(B, b, 1) IN(C, c, 2) OUT(D, (x))                                      \
    }
#define VALUE4(name, law, D, A, B, C, E, x, ...)                                                   \
    BODY(name) {                                                                                   \
        BEGIN IN(A, a, 0) IN(B, b, 1) IN(C, c, 2) IN(E, e, 3) OUT(D, (x))                          \
    }
#define FOUR2(name, law, D, A, B, x, ...)                                                          \
    BODY(name) {                                                                                   \
        BEGIN IN(A, first, 0) IN(A, second, 1) IN(A, third, 2) IN(A, fourth, 3) IN(B, b, 4)        \
            const value_##A a[4] = {first, second, third, fourth};                                 \
        OUT(D, (x))                                                                                \
    }
#define SELECT(name, law, D, x, ...)                                                               \
    BODY(name) {                                                                                   \
        BEGIN IN(D, a, 0) IN(D, b, 1) const bool c = lane->in[2] != 0;                             \
        OUT(D, (x))                                                                                \
    }
#define COMPARE(name, law, K, x, ...)                                                              \
    BODY(name) {                                                                                   \
        BEGIN IN(K, a, 0) IN(K, b, 1) lane->out[0] = (x);                                          \
    }
#define COMPARE_F16(name, law, K, x, ...)                                                          \
    BODY(name) {                                                                                   \
        BEGIN lane->out[0] = 0;                                                                    \
        for (unsigned n = 0; n < (imm & IR_COMPARE_PACKED ? 2u : 1u); n++) {                       \
            const value_##K a = (load_##K)(lane->in[0] >> 16 * n);                                 \
            const value_##K b = (load_##K)(lane->in[1] >> 16 * n);                                 \
            lane->out[0] |= (uint64_t)((x) != 0) << n;                                             \
        }                                                                                          \
    }
#define TEST1(name, law, K, x, ...)                                                                \
    BODY(name) {                                                                                   \
        BEGIN IN(K, a, 0)(void) a;                                                                 \
        lane->out[0] = (x);                                                                        \
    }
#define HALF2(name, law, x, ...)                                                                   \
    BODY(name) {                                                                                   \
        BEGIN const int16_t infinity = imm & IR_HALF_BF16 ? 0x7f80 : 0x7c00;                       \
        lane->out[0] = 0;                                                                          \
        for (unsigned shift = 0; shift < 32; shift += 16) {                                        \
            const uint16_t a = (uint16_t)(lane->in[0] >> shift);                                   \
            const uint16_t b = (uint16_t)(lane->in[1] >> shift);                                   \
            const uint16_t sign = !shift || imm & IR_HALF_PACKED ? 0x8000 : 0;                     \
            (void)b, (void)sign;                                                                   \
            lane->out[0] |= (uint64_t)(uint16_t)(x) << shift;                                      \
        }                                                                                          \
    }
#define HALF1 HALF2
#define PREDICATE1(name, law, x, ...)                                                              \
    BODY(name) {                                                                                   \
        BEGIN IN(u32, a, 0) lane->out[0] = (x)&1;                                                  \
    }
#define PREDICATE2(name, law, x, ...)                                                              \
    BODY(name) {                                                                                   \
        BEGIN IN(u32, a, 0) IN(u32, b, 1) lane->out[0] = (x)&1;                                    \
    }
#define LOOKED_UP(D, A, B, C, x)                                                                   \
    BEGIN IN(A, a, 0) IN(B, b, 1) IN(C, c, 2) const struct lop3_table table = lop3_unpack(imm);    \
    OUT(D, (x))
#define LOOKUP3(name, law, D, A, B, C, x, ...)                                                     \
    BODY(name) {                                                                                   \
        LOOKED_UP(D, A, B, C, x)                                                                   \
    }
#define TESTED3(name, law, D, A, B, C, x, ...)                                                     \
    BODY(name) {                                                                                   \
        LOOKED_UP(D, A, B, C, x) const bool q = lane->in[4] != 0;                                  \
        lane->second = imm & IR_LOP3_AND ? out != 0 && q : out != 0 || q;                          \
    }
#define TAKEN(flip) const uint32_t in = imm & IR_CARRY_READ && lane->carry != ((flip) != 0);
#define CARRIED(flip, x)                                                                           \
    if (imm & IR_CARRY_WRITTEN)                                                                    \
        lane->carry = ((x) != 0) != ((flip) != 0);
#define CARRY2(name, law, D, flip, x, carries, ...)                                                \
    BODY(name) {                                                                                   \
        BEGIN IN(D, a, 0) IN(D, b, 1) TAKEN(flip) const value_##D r = (x);                         \
        OUT(D, r) CARRIED(flip, carries)                                                           \
    }
#define CARRY3(name, law, D, A, loop, product, ...)                                                \
    BODY(name) {                                                                                   \
        BEGIN IN(A, a, 0) IN(A, b, 1) IN(D, c, 2) TAKEN(0) const value_##D p = (product);          \
        const value_##D s = p + c, r = s + in;                                                     \
        OUT(D, r) CARRIED(0, (s < p) | (r < s))                                                    \
    }
#define COPY_PARTS(name, law, D, count, ...)                                                       \
    BODY(name) {                                                                                   \
        BEGIN memcpy(lane->out, lane->in, (count) * sizeof lane->in[0]);                           \
    }
#define PART(bits, x) ((x) & (UINT32_MAX >> (32 - (bits))))
#define PACK(name, law, D, count, bits, ...)                                                       \
    BODY(name) {                                                                                   \
        BEGIN uint64_t r = 0;                                                                      \
        for (unsigned i = 0; i < (count); i++)                                                     \
            r |= PART(bits, lane->in[i]) << (i * (bits));                                          \
        lane->out[0] = r;                                                                          \
    }
#define UNPACK(name, law, A, count, bits, ...)                                                     \
    BODY(name) {                                                                                   \
        BEGIN for (unsigned i = 0; i < (count); i++) lane->out[i] =                                \
            PART(bits, lane->in[0] >> (i * (bits)));                                               \
    }
#include "ir/value.def"

typedef void (*run_function)(struct ir_lane *lane, uint32_t immediate);

#define EVERY_ROW(name, ...) [IR_VALUE_##name] = run_##name,
static const run_function functions[IR_VALUE_COUNT] = {
#include "ir/value.def"
};

void ir_value_run(enum ir_value value, uint32_t immediate, struct ir_lane *lane) {
    functions[value](lane, immediate);
}

// ---- Instructions ---------------------------------------------------------------------------

static void swap_sources(struct ir_lane *lane) {
    const uint64_t a = lane->in[0];
    lane->in[0] = lane->in[1];
    lane->in[1] = a;
}

static bool combine(uint32_t immediate, bool holds, bool with) {
    switch (immediate & IR_COMPARE_BOOL) {
    case IR_COMPARE_AND:
        return holds && with;
    case IR_COMPARE_OR:
        return holds || with;
    case IR_COMPARE_XOR:
        return holds != with;
    default:
        return holds;
    }
}

// setp gives what is compared and its complement, or what holds of the high halves; set a number
// of its own.
static void finish_comparison(const struct ptx_instruction *ptx, uint32_t immediate,
                              struct ir_lane *lane) {
    const bool is_packed = immediate & IR_COMPARE_PACKED, is_set = ptx->type_count > 1;
    const bool is_not = immediate & IR_COMPARE_NOT, with = lane->in[2] != 0;
    const bool low = (lane->out[0] & 1) != is_not, high = (lane->out[0] >> 1 & 1) != is_not;
    const uint64_t yes = is_set ? ir_true_of(ptx) : 1;
    lane->out[0] = combine(immediate, low, with) ? yes : 0;
    lane->second = combine(immediate, is_packed ? high : !low, with);
    if (is_set && is_packed && lane->second)
        lane->out[0] |= yes << 16;
}

bool ir_evaluate(const struct ir_function *function, const struct ir_instruction *instruction,
                 struct ir_lane *lane) {
    const struct ir_meaning meaning = ir_meaning_of(function, instruction);
    if (meaning.value == IR_VALUE_NONE)
        return false;
    lane->form = &meaning.form;
    for (uint32_t i = 1; i < instruction->operand_count && !rows[meaning.value].is_formed; i++)
        if (instruction->operands[i].is_negated) // a predicate
            lane->in[i - 1] ^= 1;
    if (meaning.swaps)
        swap_sources(lane);
    ir_value_run(meaning.value, meaning.immediate, lane);
    if (rows[meaning.value].result == IR_KIND_pred && PTX_HAS(instruction->ptx, cmp))
        finish_comparison(instruction->ptx, meaning.immediate, lane);
    return true;
}
