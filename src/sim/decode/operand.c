// Operands of decoded instructions: registers, constants, special registers, addresses of symbols.
#include <assert.h>
#include <string.h>
#include <time.h>

#include "sim/decode/decode.h"
#include "sim/flow/special.h"

enum { VECTOR_32 = 4 * LANES, VECTOR_64 = 8 * LANES };

sim_ref sim_register_ref(const struct sim_decoder *decoder, uint32_t reg) {
    const struct ir_function *function = decoder->function;
    const struct ir_register *r = &function->registers[reg];
    assert(reg < function->register_count && r->slot < function->slots[r->class]);
    uint32_t at32 = decoder->code->predicate_bytes;
    uint32_t at64 = at32 + function->slots[IR_CLASS_32] * VECTOR_32;
    switch (r->class) {
    case IR_CLASS_PREDICATE:
        return r->slot * 4 | SIM_BASE_REGISTERS;
    case IR_CLASS_32:
        return (at32 + r->slot * VECTOR_32) | SIM_BASE_REGISTERS;
    default:
        return (at64 + r->slot * VECTOR_64) | SIM_BASE_REGISTERS;
    }
}

static bool same_constant(const struct sim_constant *a, const struct sim_constant *b) {
    return a->kind == b->kind && a->width == b->width && a->bytes == b->bytes &&
           a->held == b->held && a->is_signed == b->is_signed && a->value == b->value &&
           a->sreg == b->sreg && a->is_address == b->is_address;
}

sim_ref sim_constant_ref(struct sim_decoder *decoder, struct sim_constant constant) {
    struct sim_kernel *kernel = decoder->kernel;
    assert(constant.width == 4 || constant.width == 8);
    for (size_t i = 0; i < kernel->constants.length; i++)
        if (same_constant(&kernel->constants.data[i], &constant))
            return kernel->constants.data[i].offset | SIM_BASE_CONSTANTS;
    constant.offset = kernel->constant_bytes;
    kernel->constant_bytes += constant.width == 8 ? VECTOR_64 : VECTOR_32;
    vec_push(&kernel->constants, constant);
    return constant.offset | SIM_BASE_CONSTANTS;
}

static sim_ref immediate_ref(struct sim_decoder *decoder, uint64_t value, unsigned width) {
    return sim_constant_ref(decoder,
                            (struct sim_constant){.kind = SIM_CONSTANT_VALUE,
                                                  .width = width,
                                                  .value = width == 8 ? value : (uint32_t)value});
}

static sim_ref address_ref(struct sim_decoder *decoder, uint64_t value, unsigned width) {
    return sim_constant_ref(decoder,
                            (struct sim_constant){.kind = SIM_CONSTANT_VALUE,
                                                  .width = width,
                                                  .is_address = true,
                                                  .value = width == 8 ? value : (uint32_t)value});
}

uint64_t sim_place_offset(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          const struct ir_place *place) {
    if (place->base != IR_BASE_VARIABLE && place->base != IR_BASE_MISSING)
        return place->offset;
    const void *address = place->base == IR_BASE_VARIABLE
                              ? sim_variable_address(decoder->kernel->module, place->variable)
                              : NULL;
    if (!address)
        sim_decode_error(decoder, ir, "'%s' has no address: it is declared elsewhere",
                         place->variable->name);
    return place->offset + (uintptr_t)address;
}

// Writes the address of a local variable: its place in the frame, and where the frame lies now.
static const struct sim_instr *run_local_address(struct sim_warp *warp,
                                                 const struct sim_instr *instr) {
    uint64_t address = sim_frame_local(warp) + instr->value;
    uint32_t *narrow = sim_at(warp, instr->operand[0]);
    uint64_t *wide = sim_at(warp, instr->operand[0]);
    for (int l = 0; l < LANES; l++) {
        if (instr->immediate == 8)
            wide[l] = address;
        else
            narrow[l] = (uint32_t)address;
    }
    return instr + 1;
}

// In front of the instruction that wants the value goes one that computes it.
static sim_ref computed_ref(struct sim_decoder *decoder, struct sim_instr compute) {
    compute.ordinal = decoder->ordinal;
    compute.operand[0] = decoder->code->scratch + VECTOR_64;
    vec_push(&decoder->instrs, compute);
    return compute.operand[0];
}

static sim_ref symbol_ref(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          const struct ir_operand *operand) {
    const unsigned width = operand->bytes ? operand->bytes : 8;
    const struct ir_place place =
        ir_symbol_place(decoder->function, decoder->kernel->layout, operand);
    if (place.base == IR_BASE_MISSING && place.variable->space == PTX_SPACE_PARAM) {
        sim_decode_error(decoder, ir, "the call's parameter '%s' has no address",
                         place.variable->name);
        return decoder->code->scratch;
    }
    if (place.base == IR_BASE_PARAMETERS)
        return sim_constant_ref(decoder, (struct sim_constant){.kind = SIM_CONSTANT_ADDRESS,
                                                               .width = width,
                                                               .value = place.offset});
    if (place.base == IR_BASE_FRAME) {
        struct sim_instr compute = {.immediate = width, .value = place.offset};
        compute.run[0] = compute.run[1] = run_local_address;
        return computed_ref(decoder, compute);
    }
    const uint64_t at = sim_place_offset(decoder, ir, &place);
    return place.base == IR_BASE_VARIABLE ? address_ref(decoder, at, width)
                                          : immediate_ref(decoder, at, width);
}

// ---- Special registers --------------------------------------------------------------------

static bool fixed_sreg(enum ptx_sreg sreg, sim_ref *ref) {
    static const struct {
        enum ptx_sreg sreg;
        sim_ref ref;
    } table[] = {
        {PTX_SREG_tid_x, SIM_WARP_TID_X | SIM_BASE_WARP},
        {PTX_SREG_tid_y, SIM_WARP_TID_Y | SIM_BASE_WARP},
        {PTX_SREG_tid_z, SIM_WARP_TID_Z | SIM_BASE_WARP},
        {PTX_SREG_warpid, SIM_WARP_INDEX | SIM_BASE_WARP},
        {PTX_SREG_ctaid_x, SIM_BLOCK_CTAID_X | SIM_BASE_BLOCK},
        {PTX_SREG_ctaid_y, SIM_BLOCK_CTAID_Y | SIM_BASE_BLOCK},
        {PTX_SREG_ctaid_z, SIM_BLOCK_CTAID_Z | SIM_BASE_BLOCK},
        {PTX_SREG_clusterid_x, SIM_BLOCK_CLUSTER_X | SIM_BASE_BLOCK},
        {PTX_SREG_clusterid_y, SIM_BLOCK_CLUSTER_Y | SIM_BASE_BLOCK},
        {PTX_SREG_clusterid_z, SIM_BLOCK_CLUSTER_Z | SIM_BASE_BLOCK},
        {PTX_SREG_cluster_ctaid_x, SIM_BLOCK_INSIDE_X | SIM_BASE_BLOCK},
        {PTX_SREG_cluster_ctaid_y, SIM_BLOCK_INSIDE_Y | SIM_BASE_BLOCK},
        {PTX_SREG_cluster_ctaid_z, SIM_BLOCK_INSIDE_Z | SIM_BASE_BLOCK},
        {PTX_SREG_cluster_ctarank, SIM_BLOCK_RANK | SIM_BASE_BLOCK},
        {PTX_SREG_smid, SIM_BLOCK_SMID | SIM_BASE_BLOCK},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].sreg == sreg) {
            *ref = table[i].ref;
            return true;
        }
    return false;
}

static sim_ref changing_sreg_ref(struct sim_decoder *decoder, const struct ir_operand *operand) {
    struct sim_instr read = {.immediate = operand->sreg, .value = operand->bytes};
    decoder->kernel->reads_clock = true;
    read.run[0] = read.run[1] = decoder->target->store_sreg;
    return computed_ref(decoder, read);
}

static sim_ref sreg_ref(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        const struct ir_operand *operand) {
    sim_ref ref;
    if (sim_is_changing_sreg(operand->sreg))
        return changing_sreg_ref(decoder, operand);
    unsigned width = ptx_type_bytes(ptx_sreg_type(operand->sreg)) > 4 ? 8 : 4;
    if (operand->bytes && operand->bytes != width) {
        sim_decode_error(decoder, ir, "%%%s has %u bits, which does not fit the instruction",
                         ptx_sreg_text(operand->sreg), width * 8);
        return decoder->code->scratch;
    }
    if (fixed_sreg(operand->sreg, &ref)) {
        if ((ref & 3) == SIM_BASE_BLOCK && (ref & ~3u) >= SIM_BLOCK_CLUSTER_X)
            decoder->kernel->uses_cluster = true;
        return ref;
    }
    return sim_constant_ref(
        decoder,
        (struct sim_constant){.kind = SIM_CONSTANT_SREG, .width = width, .sreg = operand->sreg});
}

// ---- All kinds ----------------------------------------------------------------------------

sim_ref sim_operand_ref(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        const struct ir_operand *operand) {
    switch (operand->kind) {
    case IR_OPERAND_REGISTER:
        return sim_register_ref(decoder, operand->reg);
    case IR_OPERAND_IMMEDIATE: {
        // A predicate constant is all lanes or none.
        bool predicate = operand->bytes == 0;
        uint64_t value = predicate ? (operand->value ? FULL_MASK : 0) : operand->value;
        return immediate_ref(decoder, value, operand->bytes == 8 ? 8 : 4);
    }
    case IR_OPERAND_SREG:
        return sreg_ref(decoder, ir, operand);
    case IR_OPERAND_SYMBOL:
        return symbol_ref(decoder, ir, operand);
    case IR_OPERAND_FUNCTION: {
        const struct ir_function *function =
            operand->function ? ir_find_function(decoder->function->module, operand->function->name)
                              : NULL;
        if (!function)
            sim_decode_error(decoder, ir, "the function '%s' has no body here",
                             operand->function ? operand->function->name : "?");
        return address_ref(decoder, (uint64_t)(uintptr_t)function, 8);
    }
    default:
        return decoder->code->scratch;
    }
}

unsigned sim_decoder_operand_bytes(const struct sim_decoder *decoder,
                                   const struct ir_operand *operand) {
    if (operand->kind == IR_OPERAND_IMMEDIATE || operand->kind == IR_OPERAND_SREG ||
        operand->kind == IR_OPERAND_SYMBOL)
        return operand->bytes;
    if (operand->kind != IR_OPERAND_REGISTER)
        return 0;
    enum ir_class class = decoder->function->registers[operand->reg].class;
    return class == IR_CLASS_64 ? 8 : class == IR_CLASS_32 ? 4 : 0;
}

unsigned sim_decoder_register_bytes(const struct sim_decoder *decoder,
                                    const struct ir_operand *operand) {
    if (operand->kind != IR_OPERAND_REGISTER)
        return 0;
    return ptx_type_bytes(decoder->function->registers[operand->reg].type);
}
