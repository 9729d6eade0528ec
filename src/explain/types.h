// Inside explain: types of values and of what lies in shared memory.
#ifndef BANKRUN_EXPLAIN_TYPES_H
#define BANKRUN_EXPLAIN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum explain_kind {
    EXPLAIN_VOID,
    EXPLAIN_INTEGER,
    EXPLAIN_OPAQUE, // half, float, double: only their size matters
    EXPLAIN_STRUCT,
    EXPLAIN_ARRAY,
    EXPLAIN_POINTER,
};

struct explain_type;

struct explain_member {
    const char *name;
    const struct explain_type *type;
    uint64_t offset;
};

struct explain_type {
    enum explain_kind kind;
    const char *name;
    uint64_t bytes, align;              // 0 bytes: void, an array without a size
    bool is_unsigned;                   // INTEGER
    bool is_vector;                     // a STRUCT of CUDA's own, such as float4
    const struct explain_type *element; // ARRAY, POINTER
    uint64_t count;                     // ARRAY
    const struct explain_member *members;
    size_t member_count;
};

// Sizes past this are refused: far more than any shared memory, far less than overflows.
#define EXPLAIN_MAX_BYTES (1ull << 30)

// The built-in scalar types that the evaluator computes with.
extern const struct explain_type explain_int, explain_unsigned, explain_long, explain_ulong,
    explain_void;

// "float4", "uint8_t", "half", ... ; NULL: no such type. Made in the arena where it has members.
const struct explain_type *explain_named_type(struct arena *arena, const char *name, size_t length);

// A scalar from its C words: "unsigned", "long long", "signed char", counted by the parser.
struct explain_words {
    unsigned is_unsigned, is_signed, is_long, is_short, is_int, is_char;
};
const struct explain_type *explain_scalar(const struct explain_words *words); // NULL: none

const struct explain_type *explain_pointer(struct arena *arena, const struct explain_type *element);
// NULL: it would be too large.
const struct explain_type *explain_array(struct arena *arena, const struct explain_type *element,
                                         uint64_t count);
// Places the members. `align`: at least that. NULL: it would be too large.
const struct explain_type *explain_struct(struct arena *arena, struct explain_member *members,
                                          size_t count, uint64_t align, bool is_union);

const struct explain_member *explain_member(const struct explain_type *type, const char *name,
                                            size_t length);

#endif
