// Memory operands of decoded instructions.
#include "sim/decode/decode.h"
#include "sim/order.h"

struct place {
    sim_ref base;
    bool has_base, is_32;
    uint64_t offset;
};

static struct place decode_place(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                 const struct ir_operand *operand, struct sim_access *access) {
    const struct ir_place at =
        ir_access_place(decoder->function, decoder->kernel->layout, ir, operand);
    struct place place = {.offset = sim_place_offset(decoder, ir, &at)};
    if (at.base == IR_BASE_REGISTER) {
        place.base = sim_register_ref(decoder, at.reg);
        place.has_base = true;
        place.is_32 = decoder->function->registers[at.reg].class == IR_CLASS_32;
    }
    if (at.base == IR_BASE_VARIABLE)
        decoder->kernel->names_addresses = true;
    access->space = at.space;
    return place;
}

static void decode_places(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct sim_access *access) {
    struct place places[3] = {{0}};
    unsigned count = 0;
    for (uint32_t i = 0; i < ir->operand_count && count < 3; i++)
        if (ir->operands[i].kind == IR_OPERAND_ADDRESS)
            places[count++] = decode_place(decoder, ir, &ir->operands[i], access);
    access->base = places[0].base;
    access->has_base = places[0].has_base;
    access->base_is_32 = places[0].is_32;
    access->offset = places[0].offset;
    access->base2 = places[1].base;
    access->has_base2 = places[1].has_base;
    access->base2_is_32 = places[1].is_32;
    access->offset2 = places[1].offset;
    access->base3 = places[2].base;
    access->has_base3 = places[2].has_base;
    access->base3_is_32 = places[2].is_32;
    access->offset3 = places[2].offset;
}

// What the instruction moves; of a tensor's box its coordinates.
static const struct ir_operand *data_operand(const struct ir_instruction *ir) {
    for (uint32_t i = 0; i < ir->operand_count; i++)
        if (ir->operands[i].kind == IR_OPERAND_ADDRESS && ir->operands[i].element_count)
            return &ir->operands[i].elements[0];
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

// ---- For observers ------------------------------------------------------------------------

static bool is_async_store(const struct ptx_instruction *ptx) {
    return ptx->isa == PTX_ISA_st_async || ptx->isa == PTX_ISA_red_async;
}

static enum event_completion completion_of(const struct ptx_instruction *ptx) {
    if (ptx->isa == PTX_ISA_cp_async)
        return EVENT_BY_GROUP;
    if (is_async_store(ptx))
        return EVENT_BY_MBARRIER;
    switch (ptx_modifier_of(ptx, PTX_GROUP_variant2)) {
    case PTX_MOD_mbarrier_complete_tx_bytes:
        return EVENT_BY_MBARRIER;
    case PTX_MOD_bulk_group:
        return EVENT_BY_BULK_GROUP;
    default:
        return EVENT_AT_ONCE;
    }
}

static enum event_proxy proxy_of(const struct ptx_instruction *ptx) {
    const enum event_completion completion = completion_of(ptx);
    const bool is_bulk = completion == EVENT_BY_BULK_GROUP || completion == EVENT_BY_MBARRIER;
    return is_bulk && !is_async_store(ptx) ? EVENT_ASYNC_PROXY : EVENT_NO_PROXY;
}

static void decode_order(const struct sim_decoder *decoder, const struct ir_instruction *ir,
                         struct sim_access *access) {
    const struct ir_site *site = ir->site == IR_NONE ? NULL : &decoder->function->sites[ir->site];
    const bool is_atomic = site && (site->op == SITE_ATOMIC || site->op == SITE_REDUCTION);
    const bool is_volatile = PTX_HAS(ir->ptx, volatile);
    const enum ptx_isa row = ir->ptx->isa;
    if (row == PTX_ISA_mbarrier_arrive || row == PTX_ISA_mbarrier_wait ||
        row == PTX_ISA_mbarrier_tx) {
        access->order = sim_order_of(ir->ptx, row == PTX_ISA_mbarrier_arrive ? EVENT_RELEASE
                                              : row == PTX_ISA_mbarrier_wait ? EVENT_ACQUIRE
                                                                             : EVENT_RELAXED);
        access->scope = sim_scope_of(ir->ptx, EVENT_CTA);
        return;
    }
    access->order = sim_order_of(ir->ptx, is_volatile ? EVENT_VOLATILE
                                          : is_atomic ? EVENT_RELAXED
                                                      : EVENT_WEAK);
    access->scope = sim_scope_of(ir->ptx, is_volatile ? EVENT_SYS : EVENT_GPU);
    access->completion = completion_of(ir->ptx);
    access->proxy = proxy_of(ir->ptx);
}

const struct sim_access *sim_decode_access(struct sim_decoder *decoder,
                                           const struct ir_instruction *ir) {
    struct sim_access *access = ARENA_NEW(decoder->kernel->arena, struct sim_access);
    enum ptx_type type = ir->ptx->type_count ? (enum ptx_type)ir->ptx->types[0] : PTX_B32;
    access->space = ir_access_space(ir);
    access->bytes = type == PTX_B128 ? 8 : ptx_type_bytes(type); // of 128 bits: two elements
    access->is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    access->is_by_window = ir_is_by_window(ir);
    access->site = ir->site == IR_NONE ? (uint32_t)IR_NONE : ir->site + decoder->code->site_base;
    access->used_bytes = ir->ptx->used_bytes;
    decode_order(decoder, ir, access);
    decode_places(decoder, ir, access);
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
    unsigned bytes = type == PTX_B128 ? 8 : ptx_type_bytes(type);
    const struct ir_operand *to = &ir->operands[0];
    uint32_t count = to->kind == IR_OPERAND_VECTOR ? to->element_count : 1;
    uint64_t offset = address->variable->offset + address->value;
    // Parameters of calls that this kernel makes are in its frame, not in its parameter block.
    bool is_formal = false;
    for (size_t i = 0; i < function->ptx->parameter_count; i++)
        is_formal |= address->variable->ptx == &function->ptx->parameters[i];
    if (!is_formal)
        return false;
    const uint64_t all = function->parameter_bytes, read = (uint64_t)bytes * count;
    if (read > all || offset > all - read) {
        sim_decode_error(decoder, ir, "reads %llu bytes at offset %lld of %llu bytes of parameters",
                         (unsigned long long)read, (long long)offset, (unsigned long long)all);
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
