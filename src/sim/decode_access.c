// Memory operands of decoded instructions.
#include <string.h>

#include "sim/decode.h"

static enum ptx_space space_of(const struct ptx_instruction *ptx) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_space)) {
    case PTX_MOD_const:
        return PTX_SPACE_CONST;
    case PTX_MOD_global:
        return PTX_SPACE_GLOBAL;
    case PTX_MOD_local:
        return PTX_SPACE_LOCAL;
    case PTX_MOD_param:
    case PTX_MOD_param_entry:
    case PTX_MOD_param_func:
        return PTX_SPACE_PARAM;
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
        return PTX_SPACE_SHARED;
    default:
        break;
    }
    // Matrix loads and stores without a space are generic in name only.
    const char *opcode = ptx_isa_row(ptx->isa)->opcode;
    if (strcmp(opcode, "ldmatrix") == 0 || strcmp(opcode, "stmatrix") == 0)
        return PTX_SPACE_GENERIC;
    return strcmp(opcode, "ldu") == 0 ? PTX_SPACE_GLOBAL : PTX_SPACE_GENERIC;
}

static void decode_base(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        const struct ir_operand *operand, struct sim_access *access, sim_ref *base,
                        bool *has_base, uint64_t *offset) {
    *offset = operand->value;
    if (operand->reg != IR_NONE) {
        *base = sim_register_ref(decoder, operand->reg);
        *has_base = true;
        // The second operand's base is a global address, which has 64 bits.
        if (base == &access->base)
            access->base_is_32 = decoder->function->registers[operand->reg].class == IR_CLASS_32;
        return;
    }
    if (!operand->variable)
        return;
    uint64_t address = 0;
    const struct ir_variable *variable = operand->variable;
    sim_symbol_address(decoder, ir, variable, &address);
    // A generic access that names a variable means the variable's place.
    if (access->space == PTX_SPACE_GENERIC && variable->space == PTX_SPACE_SHARED)
        address += SIM_SHARED_WINDOW;
    if (access->space == PTX_SPACE_GENERIC && variable->space == PTX_SPACE_LOCAL)
        access->space = PTX_SPACE_LOCAL;
    *offset += address;
}

static const struct ir_operand *data_operand(const struct ir_instruction *ir) {
    for (uint32_t i = 0; i < ir->operand_count; i++)
        if (ir->operands[i].kind != IR_OPERAND_ADDRESS)
            return &ir->operands[i];
    return NULL;
}

static void decode_elements(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_access *access) {
    const struct ir_operand *data = data_operand(ir);
    if (!data)
        return;
    const struct ir_operand *elements = data;
    uint32_t count = 1;
    if (data->kind == IR_OPERAND_VECTOR) {
        elements = data->elements;
        count = data->element_count;
    }
    uint32_t limit = sizeof access->element / sizeof access->element[0];
    if (count > limit) {
        sim_decode_error(decoder, ir, "more than %u elements", limit);
        count = limit;
    }
    access->count = count;
    for (uint32_t i = 0; i < count; i++) {
        access->element[i] = sim_operand_ref(decoder, ir, &elements[i]);
        unsigned bytes = sim_decoder_operand_bytes(decoder, &elements[i]);
        access->element_bytes[i] = bytes ? bytes : access->bytes > 4 ? 8 : 4;
    }
}

const struct sim_access *sim_decode_access(struct sim_decoder *decoder,
                                           const struct ir_instruction *ir) {
    struct sim_access *access = ARENA_NEW(decoder->kernel->arena, struct sim_access);
    enum ptx_type type = ir->ptx->type_count ? (enum ptx_type)ir->ptx->types[0] : PTX_B32;
    access->space = space_of(ir->ptx);
    access->bytes = ptx_type_bytes(type);
    access->is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    access->site = ir->site == IR_NONE ? (uint32_t)IR_NONE : ir->site + decoder->code->site_base;
    bool first = true;
    for (uint32_t i = 0; i < ir->operand_count; i++) {
        const struct ir_operand *operand = &ir->operands[i];
        if (operand->kind != IR_OPERAND_ADDRESS)
            continue;
        if (first)
            decode_base(decoder, ir, operand, access, &access->base, &access->has_base,
                        &access->offset);
        else
            decode_base(decoder, ir, operand, access, &access->base2, &access->has_base2,
                        &access->offset2);
        first = false;
    }
    decode_elements(decoder, ir, access);
    return access;
}

// ld.param of a kernel with a constant address: the value is the same for all lanes of a launch, so
// it becomes a constant. One copy for each element; the last one is left in *instr.
bool sim_decode_kernel_parameter(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                 struct sim_instr *instr) {
    const struct ir_operand *address = &ir->operands[1];
    if (!decoder->function->ptx->is_entry || address->kind != IR_OPERAND_ADDRESS ||
        !address->variable || address->variable->space != PTX_SPACE_PARAM)
        return false;
    const struct ir_function *function = decoder->function;
    enum ptx_type type = (enum ptx_type)ir->ptx->types[0];
    unsigned bytes = ptx_type_bytes(type);
    const struct ir_operand *to = &ir->operands[0];
    uint32_t count = to->kind == IR_OPERAND_VECTOR ? to->element_count : 1;
    uint64_t offset = address->variable->offset + address->value;
    // Parameters of calls that this kernel makes are in its frame, not in its parameter block.
    bool is_formal = false;
    for (size_t i = 0; i < function->ptx->parameter_count; i++)
        is_formal |= address->variable->ptx == &function->ptx->parameters[i];
    if (!is_formal)
        return false;
    if (offset + (uint64_t)bytes * count > function->parameter_bytes) {
        sim_decode_error(decoder, ir, "reads %u bytes at offset %llu of %u bytes of parameters",
                         bytes * count, (unsigned long long)offset, function->parameter_bytes);
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_operand *element = to->kind == IR_OPERAND_VECTOR ? &to->elements[i] : to;
        unsigned width = sim_decoder_operand_bytes(decoder, element);
        if (!width)
            width = bytes > 4 ? 8 : 4;
        struct sim_constant constant = {.kind = SIM_CONSTANT_PARAMETER,
                                        .width = width,
                                        .bytes = bytes,
                                        .held = sim_decoder_register_bytes(decoder, element),
                                        .is_signed =
                                            ptx_type_class(type) == PTX_CLASS_SIGNED &&
                                            sim_decoder_register_bytes(decoder, element) > bytes,
                                        .value = offset + (uint64_t)i * bytes};
        const sim_handler *copy = width == 8 ? decoder->target->copy64 : decoder->target->copy32;
        instr->run[0] = copy[0];
        instr->run[1] = copy[1];
        instr->operand[0] = sim_operand_ref(decoder, ir, element);
        instr->operand[1] = sim_constant_ref(decoder, constant);
        if (i + 1 < count)
            vec_push(&decoder->instrs, *instr);
    }
    return true;
}
