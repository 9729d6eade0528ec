// Which instructions get one of sim/shadow in front, where it is tracked what is undefined: those
// of registers that may be, whatever a kernel does, and all that read or write memory.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/decode/decode.h"
#include "sim/shadow/shadow.h"

enum kind { PLAIN, VALUE, OPAQUE, LOAD, STORE, ATOMIC, COPY, WRITTEN, SHUFFLE, MATRIX, PRODUCT };

static bool is_tracked_space(enum ptx_space space) {
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL || space == PTX_SPACE_GLOBAL ||
           space == PTX_SPACE_GENERIC;
}

static bool has_memory(const struct ir_instruction *ir) {
    for (uint32_t i = 0; i < ir->operand_count; i++)
        if (ir->operands[i].kind == IR_OPERAND_ADDRESS)
            return true;
    return false;
}

// Each lane computes for itself, with its own operands alone.
static bool is_own_value(const struct ir_instruction *ir) {
    enum { OTHERS = PTX_FACT_GATHERS | PTX_FACT_SYNCS | PTX_FACT_SPLITS };
    if (ptx_isa_row(ir->ptx->isa)->facts & OTHERS || ir->call || has_memory(ir))
        return false;
    for (unsigned i = 0; i < ir->operand_count; i++) {
        const struct ptx_operand_rule *rule = ptx_operand_rule(ir->ptx->isa, i);
        if (rule && rule->letter && strchr("RVUt", rule->letter)) // fragments of matrices
            return false;
    }
    return true;
}

static enum kind kind_without_memory(const struct ir_function *function,
                                     const struct ir_instruction *ir) {
    switch (ir->ptx->isa) {
    case PTX_ISA_shfl_sync:
    case PTX_ISA_shfl_legacy:
        return SHUFFLE;
    case PTX_ISA_mma_float:
    case PTX_ISA_mma_f64:
    case PTX_ISA_mma_int:
    case PTX_ISA_mma_bits:
        return PRODUCT;
    default:
        break;
    }
    if (ir_meaning_of(function, ir).value != IR_VALUE_NONE)
        return VALUE;
    return is_own_value(ir) ? OPAQUE : PLAIN;
}

static enum kind kind_of(const struct ir_function *function, const struct ir_instruction *ir) {
    switch (ptx_access_of(ir->ptx)) {
    case PTX_ACCESS_LOAD:
        return is_tracked_space(ir_access_space(ir)) ? LOAD : PLAIN;
    case PTX_ACCESS_STORE:
        return is_tracked_space(ir_access_space(ir)) ? STORE : PLAIN;
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
        return ATOMIC;
    case PTX_ACCESS_MATRIX_LOAD:
    case PTX_ACCESS_MATRIX_STORE:
        return MATRIX;
    case PTX_ACCESS_ASYNC_COPY:
        return COPY;
    case PTX_ACCESS_FRAGMENT_STORE:
    case PTX_ACCESS_ASYNC_STORE:
    case PTX_ACCESS_ASYNC_REDUCTION:
    case PTX_ACCESS_BULK_COPY:
    case PTX_ACCESS_MBARRIER:
        return WRITTEN;
    case PTX_ACCESS_NONE:
        return has_memory(ir) ? WRITTEN : kind_without_memory(function, ir);
    default:
        return PLAIN;
    }
}

// ---- Registers that may be undefined ------------------------------------------------------

struct taint {
    bool *registers;
    bool any, changed; // of what is visited
};

static void visit_source(void *context, uint32_t reg, bool is_written) {
    struct taint *taint = context;
    taint->any = taint->any || (!is_written && taint->registers[reg]);
}

static void visit_result(void *context, uint32_t reg, bool is_written) {
    struct taint *taint = context;
    if (!is_written || taint->registers[reg])
        return;
    taint->registers[reg] = taint->changed = true;
}

static bool gives_undefined(const struct ir_function *function, const struct ir_instruction *ir,
                            struct taint *taint) {
    switch (kind_of(function, ir)) {
    case LOAD:
        return true;
    case ATOMIC:
        return ptx_modifier_of(ir->ptx, PTX_GROUP_op) == PTX_MOD_exch;
    case MATRIX:
        return ptx_access_of(ir->ptx) == PTX_ACCESS_MATRIX_LOAD;
    case VALUE:
    case OPAQUE:
    case SHUFFLE:
    case PRODUCT:
        taint->any = false;
        ir_visit_registers(ir, visit_source, taint);
        return taint->any;
    default:
        return false;
    }
}

bool *sim_find_undefined(const struct ir_function *function) {
    struct taint taint = {.registers = base_alloc(function->register_count + 1), .changed = true};
    while (taint.changed) {
        taint.changed = false;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            if (gives_undefined(function, &function->instructions[i], &taint))
                ir_visit_registers(&function->instructions[i], visit_result, &taint);
    }
    return taint.registers;
}

// ---- Operands -----------------------------------------------------------------------------

static struct sim_shadow_operand register_operand(struct sim_decoder *decoder, uint32_t reg) {
    const struct ir_register *r = &decoder->function->registers[reg];
    const bool is_predicate = r->class == IR_CLASS_PREDICATE;
    return (struct sim_shadow_operand){
        .ref = sim_register_ref(decoder, reg),
        .has_ref = true,
        .may_be_undefined = decoder->undefined[reg],
        .bytes = is_predicate              ? 0
                 : r->class == IR_CLASS_32 ? 4
                                           : 8,
        .held = is_predicate ? 0 : (uint8_t)ptx_type_bytes(r->type),
    };
}

static struct sim_shadow_operand operand_of(struct sim_decoder *decoder,
                                            const struct ir_instruction *ir,
                                            const struct ir_operand *operand) {
    struct sim_shadow_operand result = {.value = operand->value, .bytes = (uint8_t)operand->bytes};
    if (operand->kind == IR_OPERAND_REGISTER) {
        result = register_operand(decoder, operand->reg);
        result.is_negated = operand->is_negated;
    } else if (operand->kind == IR_OPERAND_SREG || operand->kind == IR_OPERAND_SYMBOL) {
        result.ref = sim_operand_ref(decoder, ir, operand);
        result.has_ref = true;
        result.bytes = operand->bytes == 8 ? 8 : operand->bytes == 4 ? 4 : 8;
    }
    return result;
}

static unsigned count_of(const struct ir_operand *operand) {
    return operand->kind == IR_OPERAND_VECTOR    ? operand->element_count
           : operand->kind == IR_OPERAND_ADDRESS ? 0
                                                 : 1;
}

static void append(struct sim_decoder *decoder, const struct ir_instruction *ir,
                   const struct ir_operand *operand, struct sim_shadow_operand *list,
                   unsigned *count) {
    const bool is_vector = operand->kind == IR_OPERAND_VECTOR;
    for (unsigned i = 0; i < count_of(operand); i++)
        list[(*count)++] = operand_of(decoder, ir, is_vector ? &operand->elements[i] : operand);
}

static void find_operands(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct sim_shadow *shadow) {
    unsigned count = ir->call ? ir->call->result_count : 0;
    for (uint32_t i = 0; i < ir->operand_count; i++)
        count += count_of(&ir->operands[i]);
    shadow->sources = ARENA_ARRAY(decoder->kernel->arena, struct sim_shadow_operand, count + 1);
    shadow->results = ARENA_ARRAY(decoder->kernel->arena, struct sim_shadow_operand, count + 1);
    for (uint32_t i = 0; ir->call && i < ir->call->result_count; i++)
        if (ir->call->results[i].kind == IR_OPERAND_REGISTER)
            append(decoder, ir, &ir->call->results[i], shadow->results, &shadow->result_count);
    for (uint32_t i = 0; !ir->call && i < ir->operand_count; i++) {
        const struct ir_operand *operand = &ir->operands[i];
        if (!ir_is_destination(ir, i)) {
            append(decoder, ir, operand, shadow->sources, &shadow->source_count);
            continue;
        }
        append(decoder, ir, operand, shadow->results, &shadow->result_count);
        if (operand->pair != IR_NONE)
            shadow->second = register_operand(decoder, operand->pair);
    }
}

// ---- Plans --------------------------------------------------------------------------------

static bool any_undefined(const struct sim_shadow_operand *list, unsigned count) {
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any = any || list[i].may_be_undefined;
    return any;
}

static bool results_may_be(const struct sim_shadow *shadow) {
    return any_undefined(shadow->results, shadow->result_count) || shadow->second.may_be_undefined;
}

// Instructions that may do nothing look at the flags of these.
static bool add_flag(struct sim_decoder *decoder, const struct sim_shadow_operand *operand,
                     struct sim_instr *look, unsigned *count) {
    if (!operand->may_be_undefined)
        return true;
    if (*count == 5)
        return false;
    look->operand[(*count)++] = sim_shadow_flag(decoder->code, operand->ref);
    return true;
}

static bool add_flags(struct sim_decoder *decoder, const struct sim_shadow *shadow,
                      struct sim_instr *look) {
    bool fits = true;
    unsigned count = 0;
    for (int i = 0; i < 5; i++)
        look->operand[i] = sim_shadow_no_flag(decoder->code);
    for (unsigned i = 0; i < shadow->source_count; i++)
        fits = fits && add_flag(decoder, &shadow->sources[i], look, &count);
    for (unsigned i = 0; i < shadow->result_count; i++)
        fits = fits && add_flag(decoder, &shadow->results[i], look, &count);
    return fits && add_flag(decoder, &shadow->second, look, &count);
}

static sim_handler handler_of(enum kind kind, const struct sim_shadow *shadow, bool has_flags) {
    static const sim_handler handlers[] = {
        [LOAD] = sim_shadow_run_load,       [STORE] = sim_shadow_run_store,
        [ATOMIC] = sim_shadow_run_atomic,   [COPY] = sim_shadow_run_copy,
        [WRITTEN] = sim_shadow_run_written, [MATRIX] = sim_shadow_run_matrix,
    };
    if (kind >= LOAD && kind != SHUFFLE && kind != PRODUCT)
        return handlers[kind];
    if (!results_may_be(shadow))
        return NULL;
    if (kind == PRODUCT)
        return sim_shadow_run_product;
    return has_flags ? sim_shadow_run_value : sim_shadow_run_parts;
}

static void choose_handlers(struct sim_decoder *decoder, enum kind kind,
                            const struct sim_shadow *shadow, struct sim_instr *look) {
    const bool has_flags = add_flags(decoder, shadow, look);
    look->run[0] = look->run[1] = handler_of(kind, shadow, has_flags);
    if (has_flags && (kind == LOAD || kind == STORE))
        decoder->target->shadow_quick(shadow, kind == STORE, look);
}

static void keep_memory(struct sim_decoder *decoder, enum kind kind, const struct sim_instr *like,
                        struct sim_shadow *shadow) {
    const struct ir_instruction *ir = shadow->ir;
    shadow->access = has_memory(ir) ? like->access : NULL;
    for (uint32_t i = 0; i < ir->operand_count && shadow->access; i++) {
        const struct ir_operand *operand = &ir->operands[i];
        if (operand->kind != IR_OPERAND_ADDRESS || operand->reg == IR_NONE)
            continue;
        shadow->base = register_operand(decoder, operand->reg);
        break;
    }
    // What follows the addresses and the size of cp.async, and the elements of st and atom.
    if (kind == COPY) {
        shadow->sources += 1;
        shadow->source_count = ir->operand_count > 3 && !PTX_HAS(ir->ptx, hint) ? 1 : 0;
    }
    if ((kind == STORE || kind == ATOMIC) && shadow->source_count > shadow->access->count &&
        kind == STORE)
        shadow->source_count = shadow->access->count;
}

static struct sim_shadow *new_shadow(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                     const struct sim_instr *like, enum kind kind) {
    struct sim_shadow *shadow = ARENA_NEW(decoder->kernel->arena, struct sim_shadow);
    shadow->code = decoder->code;
    shadow->ir = ir;
    shadow->number = like->number;
    shadow->is_opaque = kind == OPAQUE;
    shadow->has_guard = ir->guard != IR_NONE;
    if (shadow->has_guard) {
        shadow->guard = register_operand(decoder, ir->guard);
        shadow->guard.is_negated = ir->guard_negated;
    }
    if (kind == VALUE)
        shadow->meaning = ir_meaning_of(decoder->function, ir);
    find_operands(decoder, ir, shadow);
    keep_memory(decoder, kind, like, shadow);
    return shadow;
}

static struct sim_instr look_of(const struct sim_instr *like, const struct sim_shadow *shadow,
                                sim_handler handler) {
    struct sim_instr look = {.ir = like->ir, .number = like->number, .ordinal = like->ordinal};
    look.run[0] = look.run[1] = handler;
    look.extra = shadow;
    return look;
}

static bool decides(const struct ir_instruction *ir) {
    return ir->ptx->isa == PTX_ISA_brx_idx ||
           (ir->ptx->isa == PTX_ISA_bra_any && ir->guard != IR_NONE);
}

static void append_decision(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            const struct sim_instr *like) {
    struct sim_shadow *shadow = new_shadow(decoder, ir, like, PLAIN);
    if (ir->guard != IR_NONE) {
        shadow->sources = &shadow->guard;
        shadow->source_count = 1;
    }
    shadow->has_guard = false;
    if (any_undefined(shadow->sources, shadow->source_count))
        vec_push(&decoder->instrs, look_of(like, shadow, sim_shadow_run_decide));
}

struct sim_shadow *sim_append_shadow(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                     const struct sim_instr *like) {
    if (!decoder->undefined || decoder->failed)
        return NULL;
    if (decides(ir)) {
        append_decision(decoder, ir, like);
        return NULL;
    }
    const enum kind kind = kind_of(decoder->function, ir);
    struct sim_shadow *shadow = new_shadow(decoder, ir, like, kind);
    const bool may_be = any_undefined(shadow->sources, shadow->source_count);
    if (kind == SHUFFLE && may_be && shadow->sources[0].may_be_undefined)
        return shadow;
    struct sim_instr look = look_of(like, shadow, NULL);
    choose_handlers(decoder, kind, shadow, &look);
    if (look.run[0])
        vec_push(&decoder->instrs, look);
    return kind == MATRIX ? shadow : NULL;
}

// ---- The instruction itself, on shadows ---------------------------------------------------

static struct sim_instr *new_moved(struct sim_decoder *decoder, const struct sim_instr *like) {
    struct sim_instr *moved = ARENA_NEW(decoder->kernel->arena, struct sim_instr);
    *moved = *like;
    moved->pair = decoder->code->scratch;
    return moved;
}

static void append_shuffle(struct sim_decoder *decoder, struct sim_shadow *shadow,
                           const struct sim_instr *like) {
    const struct sim_code *code = decoder->code;
    const sim_ref to = shadow->results[0].ref, from = shadow->sources[0].ref;
    const sim_ref places[3][2] = {
        {to + code->frame_bytes, from + code->frame_bytes},
        {sim_shadow_origin(code, to), sim_shadow_origin(code, from)},
        {sim_shadow_origin(code, to) + 4 * LANES, sim_shadow_origin(code, from) + 4 * LANES},
    };
    if (!shadow->results[0].has_ref)
        return;
    for (int i = 0; i < 3; i++) {
        struct sim_instr *moved = new_moved(decoder, like);
        moved->operand[0] = places[i][0];
        moved->operand[1] = places[i][1];
        shadow->moved[i] = moved;
    }
    sim_append_guard(decoder, shadow->ir, like);
    vec_push(&decoder->instrs, look_of(like, shadow, sim_shadow_run_shuffle));
}

static void keep_matrix(struct sim_decoder *decoder, struct sim_shadow *shadow,
                        const struct sim_instr *like) {
    struct sim_instr *moved = new_moved(decoder, like);
    struct sim_access *access = ARENA_NEW(decoder->kernel->arena, struct sim_access);
    const bool is_load = ptx_access_of(shadow->ir->ptx) == PTX_ACCESS_MATRIX_LOAD;
    const struct sim_shadow_operand *elements = is_load ? shadow->results : shadow->sources;
    *access = *like->access;
    access->site = IR_NONE;
    for (unsigned i = 0; i < access->count; i++)
        access->element[i] =
            elements[i].may_be_undefined
                ? elements[i].ref + decoder->code->frame_bytes
                : sim_constant_ref(decoder,
                                   (struct sim_constant){.kind = SIM_CONSTANT_VALUE, .width = 4});
    moved->access = access;
    shadow->moved[0] = moved;
}

void sim_finish_shadow(struct sim_decoder *decoder, struct sim_shadow *shadow,
                       const struct sim_instr *like) {
    if (!shadow)
        return;
    if (kind_of(decoder->function, shadow->ir) == MATRIX)
        keep_matrix(decoder, shadow, like);
    else
        append_shuffle(decoder, shadow, like);
}
