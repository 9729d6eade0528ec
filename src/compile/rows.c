// The rows of value.def as functions of one lane, which become LLVM's code when bankrun is built
// (compile/meson.build): what compiled kernels compute is what these say. Not part of any library.
#define VALUE_SHIFTS_WORDS
#include "ir/address.h"
#include "ir/value_convert.h"
#include "ir/value_half.h"
#include "ir/value_kinds.h"
#include "ir/value_math.h"

typedef bool lane_pred;

#define PARAMETER(K, v) lane_##K lane_##v
#define VALUE_OF(K, v) const value_##K v = (value_##K)(load_##K)lane_##v;
#define BEGIN(D, name, ...)                                                                        \
    lane_##D row_##name(__VA_ARGS__, uint32_t imm);                                                \
    lane_##D row_##name(__VA_ARGS__, uint32_t imm)
#define RESULT(D, x)                                                                               \
    (void)imm;                                                                                     \
    return (lane_##D)(store_##D)(x);

#define VALUE1(name, law, D, A, x, ...)                                                            \
    BEGIN(D, name, PARAMETER(A, a)) {                                                              \
        VALUE_OF(A, a) RESULT(D, (x))                                                              \
    }
#define VALUE2(name, law, D, A, B, x, ...)                                                         \
    BEGIN(D, name, PARAMETER(A, a), PARAMETER(B, b)) {                                             \
        VALUE_OF(A, a) VALUE_OF(B, b) RESULT(D, (x))                                               \
    }
#define VALUE3(name, law, D, A, B, C, x, ...)                                                      \
    BEGIN(D, name, PARAMETER(A, a), PARAMETER(B, b), PARAMETER(C, c)) {                            \
        VALUE_OF(A, a) VALUE_OF(B, b) VALUE_OF(C, c) RESULT(D, (x))                                \
    }
#define VALUE4(name, law, D, A, B, C, E, x, ...)                                                   \
    BEGIN(D, name, PARAMETER(A, a), PARAMETER(B, b), PARAMETER(C, c), PARAMETER(E, e)) {           \
        VALUE_OF(A, a) VALUE_OF(B, b) VALUE_OF(C, c) VALUE_OF(E, e) RESULT(D, (x))                 \
    }
#define FORMED1(...)
#define FORMED2(...)
#define FORMED3(...)
#define OWN1(...)
#define OWN_TEST1(...)
#define SELECT(name, law, K, x, ...)                                                               \
    BEGIN(K, name, PARAMETER(K, a), PARAMETER(K, b), bool c) {                                     \
        VALUE_OF(K, a) VALUE_OF(K, b) RESULT(K, (x))                                               \
    }
#define COMPARE(name, law, K, x, ...)                                                              \
    BEGIN(pred, name, PARAMETER(K, a), PARAMETER(K, b)) {                                          \
        VALUE_OF(K, a) VALUE_OF(K, b)(void) imm;                                                   \
        return (x);                                                                                \
    }
#define COMPARE_F16(...)
#define TEST1(name, law, K, x, ...)                                                                \
    BEGIN(pred, name, PARAMETER(K, a)) {                                                           \
        VALUE_OF(K, a)(void) a, (void)imm;                                                         \
        return (x);                                                                                \
    }
#define PREDICATE1(name, law, x, ...)                                                              \
    BEGIN(pred, name, bool lane_a) {                                                               \
        const uint32_t a = lane_a;                                                                 \
        (void)imm;                                                                                 \
        return (x)&1;                                                                              \
    }
#define PREDICATE2(name, law, x, ...)                                                              \
    BEGIN(pred, name, bool lane_a, bool lane_b) {                                                  \
        const uint32_t a = lane_a, b = lane_b;                                                     \
        (void)imm;                                                                                 \
        return (x)&1;                                                                              \
    }
#define LOOKUP3(name, law, D, A, B, C, x, ...)                                                     \
    BEGIN(D, name, PARAMETER(A, a), PARAMETER(B, b), PARAMETER(C, c)) {                            \
        const struct lop3_table table = lop3_unpack(imm);                                          \
        VALUE_OF(A, a) VALUE_OF(B, b) VALUE_OF(C, c) RESULT(D, (x))                                \
    }
#include "ir/value.def"
