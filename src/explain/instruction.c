// From the name of an instruction to the access that the bank model knows.
#include <string.h>

#include "explain/explain.h"
#include "ir/ir.h"
#include "ptx/facts.h"

static bool is_part(const char *part, size_t length, const char *word) {
    return strlen(word) == length && memcmp(part, word, length) == 0;
}

static bool has_word(const char *name, size_t length, const char *word) {
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

static bool has(const char *name, size_t length, enum ptx_modifier modifier) {
    return has_word(name, length, ptx_modifier_text(modifier));
}

// Of the type among the parts: u8, s16, b32, f64, f16x2, b128. PTX_NO_TYPE: there is none.
static enum ptx_type type_of(const char *name, size_t length) {
    for (enum ptx_type type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (ptx_type_bytes(type) && has_word(name, length, ptx_type_text(type)))
            return type;
    return PTX_NO_TYPE;
}

static unsigned vector_count(const char *name, size_t length) {
    return has(name, length, PTX_MOD_v2)   ? 2
           : has(name, length, PTX_MOD_v4) ? 4
           : has(name, length, PTX_MOD_v8) ? 8
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
    return has(name, length, PTX_MOD_shared) || has(name, length, PTX_MOD_shared_cta) ||
           has(name, length, PTX_MOD_shared_cluster);
}

// Of the operation among the parts; PTX_MOD_NONE: there is none that atomics have.
static enum ptx_modifier operation_of(const char *name, size_t length) {
    static const enum ptx_modifier operations[] = {
        PTX_MOD_cas, PTX_MOD_exch, PTX_MOD_add, PTX_MOD_min, PTX_MOD_max,
        PTX_MOD_and, PTX_MOD_or,   PTX_MOD_xor, PTX_MOD_inc, PTX_MOD_dec};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (has(name, length, operations[i]))
            return operations[i];
    return PTX_MOD_NONE;
}

static enum bankrun_access access_of(enum site_atomic service, bool is_generic) {
    switch (service) {
    case SITE_ATOMIC_NATIVE:
        return BANKRUN_ATOMIC;
    case SITE_ATOMIC_CAS:
        return BANKRUN_ATOMIC_CAS;
    case SITE_ATOMIC_EARLY_LOOP:
        return is_generic ? BANKRUN_GENERIC_EARLY_LOOP : BANKRUN_ATOMIC_EARLY_LOOP;
    default:
        return is_generic ? BANKRUN_GENERIC_LOOP : BANKRUN_ATOMIC_LOOP;
    }
}

static const char *atomic(const char *name, size_t length, bool is_constant,
                          struct bankrun_request *request) {
    const enum ptx_type type = type_of(name, length);
    const enum ptx_modifier op = operation_of(name, length);
    const bool is_generic = !is_shared(name, length);
    request->width = ptx_type_bytes(type);
    if (request->width == 0)
        return "the name of an atomic ends in its type, like .u32";
    if (request->width < 2)
        return "there is no atomic of this width";
    if (op == PTX_MOD_NONE)
        return "bankrun knows no such atomic";
    request->access = access_of(ir_atomic_service(op, type, is_generic), is_generic);
    if (is_constant && request->access == BANKRUN_ATOMIC && request->width == 4 &&
        ir_atomic_is_reduced(op))
        request->access = BANKRUN_ATOMIC_CONSTANT;
    return NULL;
}

static const char *matrix(const char *name, size_t length, struct bankrun_request *request) {
    request->width = 16;
    request->matrices = has(name, length, PTX_MOD_x4)   ? 4
                        : has(name, length, PTX_MOD_x2) ? 2
                        : has(name, length, PTX_MOD_x1) ? 1
                                                        : 0;
    return request->matrices ? NULL : "ldmatrix and stmatrix have .x1, .x2 or .x4";
}

static const char *load_or_store(const char *name, size_t length, bool is_store,
                                 struct bankrun_request *request) {
    request->access = is_store                  ? BANKRUN_STORE
                      : is_shared(name, length) ? BANKRUN_LOAD
                                                : BANKRUN_GENERIC_LOAD;
    request->width = ptx_type_bytes(type_of(name, length)) * vector_count(name, length);
    if (request->width == 0)
        return "a load or store ends in its type, like .u32";
    return request->width > 16 ? "shared memory has no access this wide" : NULL;
}

// `number`: of bytes, as behind the name; not positive: the usual.
static const char *async_copy(const char *name, size_t length, long number,
                              struct bankrun_request *request) {
    if (!has(name, length, PTX_MOD_async) || has(name, length, PTX_MOD_bulk))
        return "bankrun has no bank model of this instruction";
    request->access = BANKRUN_ASYNC_COPY;
    request->width = number > 0 ? (unsigned)number : has(name, length, PTX_MOD_cg) ? 16 : 4;
    if (request->width != 4 && request->width != 8 && request->width != 16)
        return "cp.async copies 4, 8 or 16 bytes a lane";
    return NULL;
}

const char *explain_instruction(const char *name, size_t length, struct bankrun_request *request) {
    const long number = bracket(name, &length);
    const char *dot = memchr(name, '.', length);
    const enum ptx_isa isa = ptx_find_opcode(name, dot ? (size_t)(dot - name) : length);
    request->matrices = 0;
    if ((has(name, length, PTX_MOD_global) && !has(name, length, PTX_MOD_shared)) ||
        isa == PTX_ISA_ldu_any)
        return "an access to global memory has no banks";
    switch (ptx_isa_row(isa)->access) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
        return load_or_store(name, length, ptx_isa_row(isa)->access == PTX_ACCESS_STORE, request);
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
        return atomic(name, length, number >= 0, request);
    case PTX_ACCESS_MATRIX_LOAD:
        request->access = BANKRUN_MATRIX_LOAD;
        return matrix(name, length, request);
    case PTX_ACCESS_MATRIX_STORE:
        request->access = BANKRUN_MATRIX_STORE;
        return matrix(name, length, request);
    case PTX_ACCESS_ASYNC_COPY:
        return async_copy(name, length, number, request);
    default:
        return "bankrun has no bank model of this instruction";
    }
}
