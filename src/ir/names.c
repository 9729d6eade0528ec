// Names in a function body: registers, register families, variables, scopes.
#include "ir/build.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

// A function with more registers than this is no output of a compiler.
enum { MAX_REGISTERS = 1 << 22 };

enum ir_class ir_class_of(enum ptx_type type) {
    if (type == PTX_PRED)
        return IR_CLASS_PREDICATE;
    return ptx_type_bytes(type) > 4 ? IR_CLASS_64 : IR_CLASS_32;
}

void ir_scope_push(struct ir_builder *builder) {
    struct ir_scope *scope = base_alloc(sizeof *scope);
    scope->outer = builder->scope;
    scope->number = (uint32_t)builder->outer_scopes.length;
    vec_push(&builder->outer_scopes, scope->outer ? scope->outer->number : 0);
    scope->parameter_mark = builder->parameter_bytes;
    builder->scope = scope;
}

void ir_scope_pop(struct ir_builder *builder) {
    struct ir_scope *scope = builder->scope;
    assert(scope && builder->parameter_bytes >= scope->parameter_mark);
    builder->scope = scope->outer;
    builder->parameter_bytes = scope->parameter_mark;
    map_free(&scope->registers);
    map_free(&scope->families);
    map_free(&scope->variables);
    free(scope);
}

void ir_declare_register(struct ir_builder *builder, const struct ptx_variable *variable) {
    uint32_t family = variable->family ? variable->family : 1;
    unsigned vector = variable->vector ? variable->vector : 1;
    if ((uint64_t)family * vector + builder->registers.length > MAX_REGISTERS) {
        ir_error(builder, variable->range, "more than %d registers in one function", MAX_REGISTERS);
        return;
    }
    // A register of 128 bits is a vector of two.
    const bool is_wide = variable->type == PTX_B128;
    if (is_wide && vector > 1) {
        ir_error(builder, variable->range, "vectors of 128-bit registers ('%s') do not exist",
                 variable->name);
        return;
    }
    const enum ptx_type type = is_wide ? PTX_B64 : variable->type;
    vector = is_wide ? 2 : vector;
    struct ir_name *name = ARENA_NEW(builder->module->arena, struct ir_name);
    name->first = (uint32_t)builder->registers.length;
    name->count = variable->family;
    name->vector = vector;
    for (uint32_t i = 0; i < family * vector; i++) {
        const char *text = variable->name;
        if (variable->family)
            text = arena_printf(builder->module->arena, "%s%u", variable->name, i);
        struct ir_register reg = {.name = text, .type = type, .class = ir_class_of(type)};
        vec_push(&builder->registers, reg);
    }
    struct ir_scope *scope = builder->scope;
    map_put(variable->family ? &scope->families : &scope->registers, variable->name,
            strlen(variable->name), name);
}

// "%rd12" -> prefix length 3, number 12. False: no digits at the end, or a leading zero.
static bool split_number(const char *name, size_t *prefix, uint32_t *number) {
    size_t length = strlen(name), digits = 0;
    while (digits < length && isdigit((unsigned char)name[length - 1 - digits]))
        digits++;
    *prefix = length - digits;
    if (digits == 0 || digits > 9 || (digits > 1 && name[*prefix] == '0'))
        return false;
    *number = (uint32_t)strtoul(name + *prefix, NULL, 10);
    return true;
}

const struct ir_name *ir_lookup_register(struct ir_builder *builder, const char *name,
                                         uint32_t *index) {
    size_t prefix = 0;
    uint32_t number = 0;
    bool numbered = split_number(name, &prefix, &number);
    for (struct ir_scope *scope = builder->scope; scope; scope = scope->outer) {
        const struct ir_name *found = map_get_string(&scope->registers, name);
        if (found) {
            *index = found->first;
            return found;
        }
        // Families: `%p<8>` gives %p0..%p7, and a prefix may itself end in digits.
        for (size_t at = prefix; numbered && at < strlen(name); at++) {
            found = map_get(&scope->families, name, at);
            if (at > prefix && name[at] == '0' && name[at + 1])
                continue;
            uint32_t member = (uint32_t)strtoul(name + at, NULL, 10);
            if (found && found->count > member) {
                *index = found->first + member * found->vector;
                return found;
            }
        }
    }
    return NULL;
}

struct ir_variable *ir_lookup_variable(struct ir_builder *builder, const char *name) {
    for (struct ir_scope *scope = builder->scope; scope; scope = scope->outer) {
        struct ir_variable *found = map_get_string(&scope->variables, name);
        if (found)
            return found;
    }
    return ir_find_variable(builder->module, name);
}

// ---- Labels -------------------------------------------------------------------------------

static void label_key(struct strbuf *key, uint32_t scope, const char *name) {
    key->length = 0;
    strbuf_printf(key, "%u:%s", scope, name);
}

void ir_declare_label(struct ir_builder *builder, const char *name, uint32_t instruction) {
    struct strbuf key = {0};
    label_key(&key, builder->scope->number, name);
    map_put(&builder->labels, arena_strndup(builder->module->arena, key.data, key.length),
            key.length, (void *)(uintptr_t)(instruction + 1));
    strbuf_free(&key);
}

bool ir_lookup_label(struct ir_builder *builder, const char *name, uint32_t from,
                     uint32_t *instruction) {
    assert(from < builder->instruction_scopes.length);
    struct strbuf key = {0};
    uint32_t scope = builder->instruction_scopes.data[from];
    void *found = NULL;
    for (bool is_outermost = false; !found && !is_outermost;) {
        label_key(&key, scope, name);
        found = map_get(&builder->labels, key.data, key.length);
        is_outermost = scope == 0;
        scope = builder->outer_scopes.data[scope];
    }
    strbuf_free(&key);
    if (found)
        *instruction = (uint32_t)((uintptr_t)found - 1);
    return found != NULL;
}
