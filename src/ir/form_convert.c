// Conversions: reads rounding, clamping and formats.
#include "ir/form.h"

static bool is_float(enum ptx_type type) {
    return ptx_type_class(type) == PTX_CLASS_FLOAT;
}

// What .rn, .rni, ... mean; false when there is none of that name.
static bool read_round(enum ptx_modifier round, struct num_conversion *n) {
    static const struct {
        enum ptx_modifier modifier;
        enum num_round round;
        bool to_integer;
    } table[] = {
        {PTX_MOD_rn, NUM_NEAREST, false}, {PTX_MOD_rna, NUM_NEAREST_AWAY, false},
        {PTX_MOD_rz, NUM_ZERO, false},    {PTX_MOD_rm, NUM_DOWN, false},
        {PTX_MOD_rp, NUM_UP, false},      {PTX_MOD_rni, NUM_NEAREST, true},
        {PTX_MOD_rzi, NUM_ZERO, true},    {PTX_MOD_rmi, NUM_DOWN, true},
        {PTX_MOD_rpi, NUM_UP, true},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].modifier == round) {
            n->round = table[i].round;
            n->to_integer = table[i].to_integer;
            return true;
        }
    }
    return false;
}

static int precision(enum ptx_type type) {
    switch (type) {
    case PTX_F16:
        return 11;
    case PTX_BF16:
        return 8;
    case PTX_F64:
        return 53;
    default:
        return 24;
    }
}

// Which roundings the types need, and which they allow.
static bool round_fits(const struct num_conversion *n, enum ptx_modifier round) {
    const bool from_float = is_float(n->from), to_float = is_float(n->to);
    if (!from_float && !to_float)
        return round == PTX_MOD_NONE;
    if (from_float && !to_float)
        return n->to_integer;
    if (!from_float)
        return round != PTX_MOD_NONE && round != PTX_MOD_rna && !n->to_integer;
    if (n->to_integer)
        return n->from == n->to;
    if (round == PTX_MOD_NONE) // only where nothing is rounded
        return precision(n->from) <= precision(n->to) || n->to == PTX_BF16;
    return round != PTX_MOD_rna && n->from != n->to;
}

static bool modifiers_fit(const struct num_conversion *n) {
    const bool singles = n->from == PTX_F32 || n->to == PTX_F32;
    const bool narrows = n->from == PTX_F32 && (n->to == PTX_F16 || n->to == PTX_BF16) &&
                         (n->round == NUM_NEAREST || n->round == NUM_ZERO);
    return (!n->ftz || singles) && (!(n->relu || n->satfinite) || narrows) &&
           !(n->sat && n->to == PTX_BF16);
}

static unsigned register_bytes(const struct ir_function *function, const struct ir_operand *operand,
                               enum ptx_type type) {
    const enum ptx_type held =
        operand->kind == IR_OPERAND_REGISTER ? function->registers[operand->reg].type : type;
    return ptx_type_bytes(held);
}

bool ir_read_conversion(const struct ir_function *function, const struct ir_instruction *ir,
                        struct ir_form *out) {
    const struct ptx_instruction *ptx = ir->ptx;
    const enum ptx_modifier round = ptx_modifier_of(ptx, PTX_GROUP_round);
    const enum ptx_type to = (enum ptx_type)ptx->types[0];
    struct num_conversion *n = &out->conversion;
    *n = (struct num_conversion){
        .from = (enum ptx_type)ptx->types[1],
        .to = to,
        .ftz = PTX_HAS(ptx, ftz),
        .sat = PTX_HAS(ptx, sat),
        .relu = PTX_HAS(ptx, relu),
        .satfinite = PTX_HAS(ptx, mode),
        .register_bytes = register_bytes(function, &ir->operands[0], to),
    };
    return to != PTX_TF32 && (round == PTX_MOD_NONE || read_round(round, n)) &&
           n->register_bytes >= ptx_type_bytes(to) && round_fits(n, round) && modifiers_fit(n);
}

bool ir_read_pack_half(const struct ir_function *function, const struct ir_instruction *ir,
                       struct ir_form *out) {
    const struct ptx_instruction *ptx = ir->ptx;
    (void)function;
    out->conversion = (struct num_conversion){
        .from = PTX_F32,
        .to = ptx->types[0] == PTX_F16X2 ? PTX_F16 : PTX_BF16,
        .round = ptx_modifier_of(ptx, PTX_GROUP_round) == PTX_MOD_rn ? NUM_NEAREST : NUM_ZERO,
        .relu = PTX_HAS(ptx, relu),
        .satfinite = PTX_HAS(ptx, mode),
        .register_bytes = 2,
    };
    return true;
}

// ---- Formats of 8, 6 and 4 bits -------------------------------------------------------------

static bool read_narrow(const struct ptx_instruction *ptx, unsigned type, struct ir_form *out) {
    out->narrow.format = num_narrow_format((enum ptx_type)type);
    out->narrow.bits = type == PTX_E2M1X2 ? 4 : 8;
    out->narrow.relu = PTX_HAS(ptx, relu);
    return out->narrow.format != NULL;
}

bool ir_read_narrow_to(const struct ir_function *function, const struct ir_instruction *ir,
                       struct ir_form *out) {
    (void)function;
    return read_narrow(ir->ptx, ir->ptx->types[0], out);
}

bool ir_read_narrow_from(const struct ir_function *function, const struct ir_instruction *ir,
                         struct ir_form *out) {
    (void)function;
    return read_narrow(ir->ptx, ir->ptx->types[1], out);
}

static bool is_four(const struct ir_function *function, const struct ir_operand *vector) {
    if (vector->kind != IR_OPERAND_VECTOR || vector->element_count != 4)
        return false;
    for (unsigned i = 0; i < 4; i++) {
        const struct ir_operand *element = &vector->elements[i];
        const bool is_wide = element->kind == IR_OPERAND_REGISTER
                                 ? function->registers[element->reg].class != IR_CLASS_32
                                 : element->bytes != 4;
        if (is_wide)
            return false;
    }
    return true;
}

bool ir_read_narrow_four(const struct ir_function *function, const struct ir_instruction *ir,
                         struct ir_form *out) {
    static const enum ptx_type pair[PTX_TYPE_COUNT] = {[PTX_E4M3X4] = PTX_E4M3X2,
                                                       [PTX_E5M2X4] = PTX_E5M2X2,
                                                       [PTX_E2M3X4] = PTX_E2M3X2,
                                                       [PTX_E3M2X4] = PTX_E3M2X2,
                                                       [PTX_E2M1X4] = PTX_E2M1X2};
    return is_four(function, &ir->operands[1]) &&
           read_narrow(ir->ptx, pair[ir->ptx->types[0]], out);
}

// ---- What fits into imm ---------------------------------------------------------------------

bool ir_read_flags(const struct ir_function *function, const struct ir_instruction *ir,
                   struct ir_form *out) {
    const struct ptx_instruction *ptx = ir->ptx;
    const bool is_up = ptx_modifier_of(ptx, PTX_GROUP_round) == PTX_MOD_rp;
    (void)function;
    out->immediate = (PTX_HAS(ptx, relu) ? IR_FORM_RELU : 0) | (is_up ? IR_FORM_UP : 0) |
                     (PTX_HAS(ptx, mode) ? IR_FORM_FINITE : 0);
    return true;
}

bool ir_read_pack_int(const struct ir_function *function, const struct ir_instruction *ir,
                      struct ir_form *out) {
    static const uint8_t bits[PTX_TYPE_COUNT] = {
        [PTX_U2] = 2, [PTX_S2] = 2, [PTX_U4] = 4, [PTX_S4] = 4, [PTX_U8] = 8, [PTX_S8] = 8};
    const enum ptx_type type = (enum ptx_type)ir->ptx->types[0];
    const bool is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    (void)function;
    out->immediate = (bits[type] - 1u) | (is_signed ? IR_FORM_SIGNED : 0);
    return bits[type] != 0;
}
