// Operands: names become registers and variables, constants become bits of the right width.
#include "ir/build.h"

#include <assert.h>
#include <string.h>

// The lane width of a value: 4 or 8 bytes, 0 of a predicate.
static unsigned lane_bytes(enum ptx_type type) {
    return type == PTX_PRED ? 0 : ptx_type_bytes(type) > 4 ? 8 : 4;
}

static uint64_t float_bits(double value, enum ptx_type type) {
    if (ptx_type_bytes(type) == 8) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static uint64_t convert_float(const struct ptx_operand *operand, enum ptx_type type) {
    if (!operand->is_single && ptx_type_bytes(type) == 8)
        return operand->integer;
    if (operand->is_single && ptx_type_bytes(type) != 8)
        return operand->integer;
    if (operand->is_single) {
        uint32_t bits = (uint32_t)operand->integer;
        float single;
        memcpy(&single, &bits, sizeof single);
        return float_bits((double)single, type);
    }
    double value;
    memcpy(&value, &operand->integer, sizeof value);
    return float_bits(value, type);
}

static uint64_t convert_integer(uint64_t value, enum ptx_type type) {
    unsigned bytes = ptx_type_bytes(type);
    if (ptx_type_class(type) == PTX_CLASS_FLOAT && bytes >= 4)
        return float_bits((double)(int64_t)value, type);
    if (bytes == 0 || bytes >= 8)
        return value;
    return value & (~0ull >> (64 - 8 * bytes));
}

static void translate_immediate(const struct ptx_operand *operand, enum ptx_type type,
                                struct ir_operand *out) {
    out->kind = IR_OPERAND_IMMEDIATE;
    if (operand->kind == PTX_OPERAND_FLOAT)
        out->value = convert_float(operand, type);
    else if (type == PTX_PRED)
        out->value = operand->integer ? 1 : 0;
    else
        out->value = convert_integer(operand->integer, type);
}

static void translate_register(struct ir_builder *builder, const struct ptx_instruction *ptx,
                               const struct ptx_operand *operand, enum ptx_type type,
                               struct ir_operand *out) {
    uint32_t index = 0;
    const struct ir_name *name = ir_lookup_register(builder, operand->name, &index);
    if (!name) {
        // `[sym]` and plain symbols may come as names without a '%': try variables, functions.
        struct ptx_operand symbol = *operand;
        symbol.kind = PTX_OPERAND_SYMBOL;
        *out = ir_translate_operand(builder, ptx, &symbol, type);
        return;
    }
    out->kind = IR_OPERAND_REGISTER;
    out->reg = index;
    if (name->vector > 1 && operand->component) {
        static const char letters[] = "xyzw";
        const char *at = strchr(letters, (int)operand->component);
        if (!at || (unsigned)(at - letters) >= name->vector)
            ir_error(builder, operand->range, "'%s' has no component '%c'", operand->name,
                     (char)operand->component);
        else
            out->reg += (uint32_t)(at - letters);
    } else if (name->vector > 1) {
        out->kind = IR_OPERAND_VECTOR;
        out->element_count = name->vector;
        out->elements = ARENA_ARRAY(builder->module->arena, struct ir_operand, name->vector);
        for (unsigned i = 0; i < name->vector; i++)
            out->elements[i] =
                (struct ir_operand){.kind = IR_OPERAND_REGISTER, .reg = index + i, .pair = IR_NONE};
    }
}

static void translate_symbol(struct ir_builder *builder, const struct ptx_operand *operand,
                             struct ir_operand *out) {
    out->variable = ir_lookup_variable(builder, operand->name);
    out->value = (uint64_t)operand->offset;
    if (out->variable) {
        out->kind = IR_OPERAND_SYMBOL;
        return;
    }
    out->function = ptx_find_function(builder->module->ptx, operand->name);
    out->kind = IR_OPERAND_FUNCTION;
    if (!out->function)
        ir_error(builder, operand->range, "'%s' is not declared", operand->name);
}

// What is written behind the base of an address: the coordinates of a texture or surface. Those of
// layers are integers.
static void translate_coordinates(struct ir_builder *builder, const struct ptx_instruction *ptx,
                                  const struct ptx_operand *operand, enum ptx_type type,
                                  struct ir_operand *out) {
    out->element_count = (uint32_t)operand->element_count;
    out->elements = ARENA_ARRAY(builder->module->arena, struct ir_operand, operand->element_count);
    for (size_t i = 0; i < operand->element_count; i++) {
        const struct ptx_operand *element = &operand->elements[i];
        out->elements[i] = ir_translate_operand(builder, ptx, element, type);
        enum ptx_modifier shape = ptx_modifier_of(ptx, PTX_GROUP_shape);
        bool has_layer = shape == PTX_MOD_a1d || shape == PTX_MOD_a2d || shape == PTX_MOD_acube;
        if (has_layer && element->kind == PTX_OPERAND_VECTOR && element->element_count)
            out->elements[i].elements[0] =
                ir_translate_operand(builder, ptx, &element->elements[0], PTX_B32);
    }
}

static void translate_address(struct ir_builder *builder, const struct ptx_instruction *ptx,
                              const struct ptx_operand *operand, enum ptx_type type,
                              struct ir_operand *out) {
    const struct ptx_operand *base = operand->base;
    out->kind = IR_OPERAND_ADDRESS;
    out->value = (uint64_t)operand->offset;
    if (operand->element_count)
        translate_coordinates(builder, ptx, operand, type, out);
    if (!base)
        return;
    if (base->kind == PTX_OPERAND_INTEGER) {
        out->value += base->integer;
        return;
    }
    struct ir_operand inner = ir_translate_operand(builder, ptx, base, type);
    if (inner.kind == IR_OPERAND_REGISTER) {
        out->reg = inner.reg;
    } else if (inner.kind == IR_OPERAND_SYMBOL) {
        out->variable = inner.variable;
        out->value += inner.value;
    } else if (inner.kind != IR_OPERAND_FUNCTION) { // that one was reported
        ir_error(builder, base->range, "this cannot be the base of an address");
    }
}

static void translate_vector(struct ir_builder *builder, const struct ptx_instruction *ptx,
                             const struct ptx_operand *operand, enum ptx_type type,
                             struct ir_operand *out) {
    out->kind = IR_OPERAND_VECTOR;
    out->element_count = (uint32_t)operand->element_count;
    out->elements = ARENA_ARRAY(builder->module->arena, struct ir_operand, operand->element_count);
    for (size_t i = 0; i < operand->element_count; i++) {
        out->elements[i] = ir_translate_operand(builder, ptx, &operand->elements[i], type);
        if (out->elements[i].kind == IR_OPERAND_VECTOR)
            ir_error(builder, operand->elements[i].range,
                     "a vector or a 128-bit register cannot be an element");
    }
}

struct ir_operand ir_translate_operand(struct ir_builder *builder,
                                       const struct ptx_instruction *ptx,
                                       const struct ptx_operand *operand, enum ptx_type type) {
    struct ir_operand out = {.reg = IR_NONE, .pair = IR_NONE, .is_negated = operand->is_negated};
    switch (operand->kind) {
    case PTX_OPERAND_NONE:
        break;
    case PTX_OPERAND_REGISTER:
        translate_register(builder, ptx, operand, type, &out);
        break;
    case PTX_OPERAND_SREG:
        out.kind = IR_OPERAND_SREG;
        out.sreg = operand->sreg;
        out.bytes = lane_bytes(type);
        break;
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        out.bytes = lane_bytes(type);
        translate_immediate(operand, type, &out);
        break;
    case PTX_OPERAND_SYMBOL:
        translate_symbol(builder, operand, &out);
        out.bytes = lane_bytes(type);
        break;
    case PTX_OPERAND_ADDRESS:
        translate_address(builder, ptx, operand, type, &out);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST:
        translate_vector(builder, ptx, operand, type, &out);
        break;
    case PTX_OPERAND_SINK:
        out.kind = IR_OPERAND_SINK;
        break;
    }
    if (operand->pair) {
        struct ir_operand second = ir_translate_operand(builder, ptx, operand->pair, type);
        if (second.kind == IR_OPERAND_REGISTER)
            out.pair = second.reg;
    }
    return out;
}

struct ir_operand ir_translate_place(struct ir_builder *builder, const struct ptx_instruction *ptx,
                                     unsigned position) {
    const struct ptx_operand_rule *rule = ptx_operand_rule(ptx->isa, position);
    assert(rule && position < ptx->operand_count);
    return ir_translate_operand(builder, ptx, &ptx->operands[position],
                                ptx_operand_type(ptx, rule));
}

void ir_translate_operands(struct ir_builder *builder, const struct ptx_instruction *ptx,
                           struct ir_instruction *out) {
    size_t limit = sizeof out->operands / sizeof out->operands[0];
    size_t count = ptx->operand_count;
    if (count > limit) {
        ir_error(builder, ptx->range, "more than %zu operands", limit);
        count = limit;
    }
    out->operand_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        out->operands[i] = ir_translate_place(builder, ptx, (unsigned)i);
}
