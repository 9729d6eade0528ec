// Operands: names become registers and variables, constants become bits of the right width.
#include "ir/build.h"

#include <string.h>

static bool is_opcode(const struct ptx_instruction *ptx, const char *opcode) {
    return strcmp(ptx_isa_row(ptx->isa)->opcode, opcode) == 0;
}

// Positions of coordinates, the first of which may be a layer.
enum { IR_COORDINATE = 1000 };

static unsigned lane_bytes(enum ptx_type type) {
    return ptx_type_bytes(type) > 4 ? 8 : 4;
}

// Positions that are 32-bit whatever the instruction's type is: shift amounts, bit positions,
// member masks.
static bool is_always_32(const struct ptx_instruction *ptx, unsigned position) {
    if (is_opcode(ptx, "shl") || is_opcode(ptx, "shr"))
        return position == 2;
    if (is_opcode(ptx, "bfe"))
        return position >= 2;
    if (is_opcode(ptx, "bfi"))
        return position >= 3;
    if (is_opcode(ptx, "match") || is_opcode(ptx, "redux"))
        return position == 2;
    if (is_opcode(ptx, "wmma")) // the stride of a load or store
        return position == 2;
    if (is_opcode(ptx, "mapa")) // the rank
        return position == 2;
    if (is_opcode(ptx, "mma")) // metadata and selector
        return position >= 4;
    if (is_opcode(ptx, "wgmma") || is_opcode(ptx, "cp"))
        return true;
    if (is_opcode(ptx, "vote") || is_opcode(ptx, "bar") || is_opcode(ptx, "barrier"))
        return true;
    return false;
}

static bool is_predicate_place(const struct ptx_instruction *ptx, unsigned position) {
    if (strcmp(ptx_isa_row(ptx->isa)->select, "bar_red") == 0)
        return position + 1 == ptx->operand_count;
    return ir_operand_letter(ptx, position) == 'p';
}

// The type that an immediate at this place is converted to. `*bytes` is its lane width.
static enum ptx_type immediate_type(const struct ptx_instruction *ptx, unsigned position,
                                    unsigned *bytes) {
    enum ptx_type last = ptx->type_count ? (enum ptx_type)ptx->types[ptx->type_count - 1] : PTX_B32;
    *bytes = lane_bytes(last);
    if (is_predicate_place(ptx, position)) {
        *bytes = 0;
        return PTX_PRED;
    }
    bool is_surface = is_opcode(ptx, "suld") || is_opcode(ptx, "sust") || is_opcode(ptx, "sured");
    if (position == IR_COORDINATE || (is_surface && position > IR_COORDINATE)) {
        *bytes = 4;
        return PTX_B32;
    }
    if (is_always_32(ptx, position)) {
        *bytes = 4;
        return PTX_B32;
    }
    if (is_opcode(ptx, "isspacep") || is_opcode(ptx, "istypep")) {
        *bytes = 8;
        return PTX_B64;
    }
    if (ptx->isa == PTX_ISA_add_mixed || ptx->isa == PTX_ISA_sub_mixed ||
        ptx->isa == PTX_ISA_fma_mixed) // the summand is a float
        return position + 1 == ptx->operand_count ? PTX_F32 : last;
    if (is_opcode(ptx, "slct") && position < 3) {
        *bytes = lane_bytes((enum ptx_type)ptx->types[0]);
        return (enum ptx_type)ptx->types[0];
    }
    if (is_opcode(ptx, "mad") && position == 3 &&
        ptx_modifier_of(ptx, PTX_GROUP_half) == PTX_MOD_wide && ptx_type_bytes(last) == 4) {
        *bytes = 8;
        return ptx_type_class(last) == PTX_CLASS_SIGNED ? PTX_S64 : PTX_U64;
    }
    if (is_opcode(ptx, "mad") && position == 3 &&
        ptx_modifier_of(ptx, PTX_GROUP_half) == PTX_MOD_wide)
        return ptx_type_class(last) == PTX_CLASS_SIGNED ? PTX_S32 : PTX_U32;
    return last;
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

static void translate_immediate(const struct ptx_instruction *ptx,
                                const struct ptx_operand *operand, unsigned position,
                                struct ir_operand *out) {
    enum ptx_type type = immediate_type(ptx, position, &out->bytes);
    out->kind = IR_OPERAND_IMMEDIATE;
    if (operand->kind == PTX_OPERAND_FLOAT)
        out->value = convert_float(operand, type);
    else if (type == PTX_PRED)
        out->value = operand->integer ? 1 : 0;
    else
        out->value = convert_integer(operand->integer, type);
}

static void translate_register(struct ir_builder *builder, const struct ptx_instruction *ptx,
                               const struct ptx_operand *operand, unsigned position,
                               struct ir_operand *out) {
    uint32_t index = 0;
    const struct ir_name *name = ir_lookup_register(builder, operand->name, &index);
    if (!name) {
        // `[sym]` and plain symbols may come as names without a '%': try variables, functions.
        struct ptx_operand symbol = *operand;
        symbol.kind = PTX_OPERAND_SYMBOL;
        *out = ir_translate_operand(builder, ptx, &symbol, position);
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
                                  const struct ptx_operand *operand, struct ir_operand *out) {
    out->element_count = (uint32_t)operand->element_count;
    out->elements = ARENA_ARRAY(builder->module->arena, struct ir_operand, operand->element_count);
    for (size_t i = 0; i < operand->element_count; i++) {
        const struct ptx_operand *element = &operand->elements[i];
        out->elements[i] = ir_translate_operand(builder, ptx, element, IR_COORDINATE + 1);
        enum ptx_modifier shape = ptx_modifier_of(ptx, PTX_GROUP_shape);
        bool has_layer = shape == PTX_MOD_a1d || shape == PTX_MOD_a2d || shape == PTX_MOD_acube;
        if (has_layer && element->kind == PTX_OPERAND_VECTOR && element->element_count)
            out->elements[i].elements[0] =
                ir_translate_operand(builder, ptx, &element->elements[0], IR_COORDINATE);
    }
}

static void translate_address(struct ir_builder *builder, const struct ptx_instruction *ptx,
                              const struct ptx_operand *operand, struct ir_operand *out) {
    const struct ptx_operand *base = operand->base;
    out->kind = IR_OPERAND_ADDRESS;
    out->value = (uint64_t)operand->offset;
    if (operand->element_count)
        translate_coordinates(builder, ptx, operand, out);
    if (!base)
        return;
    if (base->kind == PTX_OPERAND_INTEGER) {
        out->value += base->integer;
        return;
    }
    struct ir_operand inner = ir_translate_operand(builder, ptx, base, 0);
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
                             const struct ptx_operand *operand, unsigned position,
                             struct ir_operand *out) {
    out->kind = IR_OPERAND_VECTOR;
    out->element_count = (uint32_t)operand->element_count;
    out->elements = ARENA_ARRAY(builder->module->arena, struct ir_operand, operand->element_count);
    for (size_t i = 0; i < operand->element_count; i++) {
        out->elements[i] = ir_translate_operand(builder, ptx, &operand->elements[i], position);
        if (out->elements[i].kind == IR_OPERAND_VECTOR)
            ir_error(builder, operand->elements[i].range,
                     "a vector or a 128-bit register cannot be an element");
    }
}

struct ir_operand ir_translate_operand(struct ir_builder *builder,
                                       const struct ptx_instruction *ptx,
                                       const struct ptx_operand *operand, unsigned position) {
    struct ir_operand out = {.reg = IR_NONE, .pair = IR_NONE, .is_negated = operand->is_negated};
    switch (operand->kind) {
    case PTX_OPERAND_NONE:
        break;
    case PTX_OPERAND_REGISTER:
        translate_register(builder, ptx, operand, position, &out);
        break;
    case PTX_OPERAND_SREG:
        out.kind = IR_OPERAND_SREG;
        out.sreg = operand->sreg;
        immediate_type(ptx, position, &out.bytes);
        break;
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        translate_immediate(ptx, operand, position, &out);
        break;
    case PTX_OPERAND_SYMBOL:
        translate_symbol(builder, operand, &out);
        immediate_type(ptx, position, &out.bytes);
        break;
    case PTX_OPERAND_ADDRESS:
        translate_address(builder, ptx, operand, &out);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST:
        translate_vector(builder, ptx, operand, position, &out);
        break;
    case PTX_OPERAND_SINK:
        out.kind = IR_OPERAND_SINK;
        break;
    }
    if (operand->pair) {
        struct ir_operand second = ir_translate_operand(builder, ptx, operand->pair, position);
        if (second.kind == IR_OPERAND_REGISTER)
            out.pair = second.reg;
    }
    return out;
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
        out->operands[i] = ir_translate_operand(builder, ptx, &ptx->operands[i], (unsigned)i);
}
