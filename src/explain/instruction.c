// From the name of an instruction to the access that the bank model knows.
#include <string.h>

#include "explain/explain.h"

static bool is_part(const char *part, size_t length, const char *word) {
    return strlen(word) == length && memcmp(part, word, length) == 0;
}

static bool has(const char *name, size_t length, const char *word) {
    for (const char *end = name + length; name < end;) {
        size_t part = 0;
        while (name + part < end && name[part] != '.')
            part++;
        if (is_part(name, part, word))
            return true;
        name += part + 1;
    }
    return false;
}

// The last part that is a type: u8, s16, b32, f64, f16x2, bf16x2, b128. 0: none.
static unsigned type_bytes(const char *name, size_t length) {
    static const struct {
        const char *word;
        unsigned bytes;
    } table[] = {{"u8", 1},  {"s8", 1},  {"b8", 1},   {"u16", 2},   {"s16", 2},
                 {"b16", 2}, {"f16", 2}, {"bf16", 2}, {"f16x2", 4}, {"bf16x2", 4},
                 {"u32", 4}, {"s32", 4}, {"b32", 4},  {"f32", 4},   {"u64", 8},
                 {"s64", 8}, {"b64", 8}, {"f64", 8},  {"b128", 16}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (has(name, length, table[i].word))
            return table[i].bytes;
    return 0;
}

static unsigned vector_count(const char *name, size_t length) {
    return has(name, length, "v2")   ? 2
           : has(name, length, "v4") ? 4
           : has(name, length, "v8") ? 8
                                     : 1;
}

// The number in brackets at the end of the name, which is cut off; -1: there is none.
static long bracket(const char *name, size_t *length) {
    size_t open = *length;
    long number = 0;
    if (open < 3 || name[open - 1] != ')')
        return -1;
    while (open > 0 && name[open - 1] != '(')
        open--;
    if (open == 0 || open + 1 == *length || *length - open > 5)
        return -1;
    for (size_t i = open; i + 1 < *length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return -1;
        number = number * 10 + (name[i] - '0');
    }
    *length = open - 1;
    return number;
}

static bool is_shared(const char *name, size_t length) {
    return has(name, length, "shared") || has(name, length, "shared::cta") ||
           has(name, length, "shared::cluster");
}

// How an operation is served that is not add or cas. BANKRUN_LOAD: there is no such operation.
static enum bankrun_access other_atomic(const char *name, size_t length, bool is_integer,
                                        bool is_generic, unsigned width) {
    static const char *const bits[] = {"and", "or", "xor", "inc", "dec"};
    if (has(name, length, "exch"))
        return BANKRUN_ATOMIC;
    if (has(name, length, "min") || has(name, length, "max")) {
        if (is_integer)
            return BANKRUN_ATOMIC;
        if (width == 8)
            return is_generic ? BANKRUN_GENERIC_EARLY_LOOP : BANKRUN_ATOMIC_EARLY_LOOP;
        return is_generic ? BANKRUN_GENERIC_LOOP : BANKRUN_ATOMIC_LOOP;
    }
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (has(name, length, bits[i]))
            return is_integer   ? BANKRUN_ATOMIC
                   : is_generic ? BANKRUN_GENERIC_LOOP
                                : BANKRUN_ATOMIC_LOOP;
    return BANKRUN_LOAD;
}

// Has it a sum, or what stands for one, of the lanes' values?
static bool is_reduced(const char *name, size_t length) {
    return !has(name, length, "exch") && !has(name, length, "inc") && !has(name, length, "dec");
}

static const char *atomic(const char *name, size_t length, bool is_constant,
                          struct bankrun_request *request) {
    unsigned width = request->width = type_bytes(name, length);
    if (width == 0)
        return "the name of an atomic ends in its type, like .u32";
    if (width < 2)
        return "there is no atomic of this width";
    bool is_integer = width == 4 && !has(name, length, "f32") && !has(name, length, "f16x2") &&
                      !has(name, length, "bf16x2");
    bool is_generic = !is_shared(name, length);
    enum bankrun_access loop = is_generic ? BANKRUN_GENERIC_LOOP : BANKRUN_ATOMIC_LOOP;
    if (has(name, length, "cas"))
        request->access = width >= 4 ? BANKRUN_ATOMIC_CAS : loop;
    else if (!has(name, length, "add"))
        request->access = other_atomic(name, length, is_integer, is_generic, width);
    else if (is_integer)
        request->access = BANKRUN_ATOMIC;
    else
        request->access = is_generic && has(name, length, "u64") ? BANKRUN_ATOMIC : loop;
    if (is_constant && is_integer && request->access == BANKRUN_ATOMIC && is_reduced(name, length))
        request->access = BANKRUN_ATOMIC_CONSTANT;
    return request->access == BANKRUN_LOAD ? "bankrun knows no such atomic" : NULL;
}

static const char *matrix(const char *name, size_t length, struct bankrun_request *request) {
    request->width = 16;
    request->matrices = has(name, length, "x4")   ? 4
                        : has(name, length, "x2") ? 2
                        : has(name, length, "x1") ? 1
                                                  : 0;
    return request->matrices ? NULL : "ldmatrix and stmatrix have .x1, .x2 or .x4";
}

const char *explain_instruction(const char *name, size_t length, struct bankrun_request *request) {
    long number = bracket(name, &length);
    request->matrices = 0;
    size_t first = 0;
    while (first < length && name[first] != '.')
        first++;
    if (has(name, length, "global") && !has(name, length, "shared"))
        return "an access to global memory has no banks";
    if (is_part(name, first, "ld") || is_part(name, first, "st")) {
        request->access = name[0] == 's'            ? BANKRUN_STORE
                          : is_shared(name, length) ? BANKRUN_LOAD
                                                    : BANKRUN_GENERIC_LOAD;
        request->width = type_bytes(name, length) * vector_count(name, length);
        if (request->width == 0)
            return "a load or store ends in its type, like .u32";
        return request->width > 16 ? "shared memory has no access this wide" : NULL;
    }
    if (is_part(name, first, "atom") || is_part(name, first, "red"))
        return atomic(name, length, number >= 0, request);
    if (is_part(name, first, "ldmatrix") || is_part(name, first, "stmatrix")) {
        request->access = name[0] == 'l' ? BANKRUN_MATRIX_LOAD : BANKRUN_MATRIX_STORE;
        return matrix(name, length, request);
    }
    if (is_part(name, first, "cp") && has(name, length, "async") && !has(name, length, "bulk")) {
        request->access = BANKRUN_ASYNC_COPY;
        request->width = number > 0 ? (unsigned)number : has(name, length, "cg") ? 16 : 4;
        if (request->width != 4 && request->width != 8 && request->width != 16)
            return "cp.async copies 4, 8 or 16 bytes a lane";
        return NULL;
    }
    return "bankrun has no bank model of this instruction";
}
