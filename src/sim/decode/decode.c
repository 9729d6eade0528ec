// Decoding: an IR function becomes an array of handlers with references to lanes.
#include "sim/decode/decode.h"
#include "sim/contention.h"
#include "sim/native.h"
#include "sim/shadow/shadow.h"
#include "sim/texture/access.h"
#include "sim/turns.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void sim_decode_error(struct sim_decoder *decoder, const struct ir_instruction *ir,
                      const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    decoder->failed = true;
    diag_add(decoder->diags, DIAG_ERROR, decoder->function->module->ptx->source, ir->ptx->range,
             "%s", text);
}

void *sim_decoder_alloc(struct sim_decoder *decoder, size_t bytes) {
    return arena_alloc(decoder->kernel->arena, bytes);
}

const struct sim_code *sim_find_code(const struct sim_kernel *kernel, const void *function) {
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (kernel->codes[i].ir == function)
            return &kernel->codes[i];
    return NULL;
}

// ---- One instruction ----------------------------------------------------------------------

static bool has_address(const struct ir_instruction *ir) {
    for (uint32_t i = 0; i < ir->operand_count; i++)
        if (ir->operands[i].kind == IR_OPERAND_ADDRESS)
            return true;
    return false;
}

static void decode_vector(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          const struct ir_operand *vector, struct sim_instr *out) {
    sim_ref *elements = ARENA_ARRAY(decoder->kernel->arena, sim_ref, vector->element_count + 1);
    for (uint32_t i = 0; i < vector->element_count; i++)
        elements[i] = sim_operand_ref(decoder, ir, &vector->elements[i]);
    out->elements = elements;
}

static void decode_operands(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_instr *out) {
    out->pair = decoder->code->scratch;
    for (uint32_t i = 0; i < ir->operand_count; i++) {
        const struct ir_operand *operand = &ir->operands[i];
        if (operand->kind == IR_OPERAND_ADDRESS)
            continue;
        if (operand->kind == IR_OPERAND_VECTOR) {
            if (!has_address(ir))
                decode_vector(decoder, ir, operand, out);
            continue;
        }
        if (i == sizeof out->operand / sizeof out->operand[0])
            return; // wgmma looks after its operands itself
        out->operand[i] = sim_operand_ref(decoder, ir, operand);
        out->negate |= (uint32_t)operand->is_negated << i;
        if (operand->pair != IR_NONE)
            out->pair = sim_register_ref(decoder, operand->pair);
    }
}

// `atomicAdd(flag, 0)` is a way to read.
static bool changes_nothing(const struct ir_instruction *ir) {
    const enum ptx_modifier op = ptx_modifier_of(ir->ptx, PTX_GROUP_op);
    return ptx_access_of(ir->ptx) == PTX_ACCESS_ATOMIC &&
           (op == PTX_MOD_add || op == PTX_MOD_or || op == PTX_MOD_xor) &&
           ir->operands[2].kind == IR_OPERAND_IMMEDIATE && ir->operands[2].value == 0;
}

// Instructions that wait for what other threads write: a loop with one of them may be spinning.
static bool polls(const struct ir_instruction *ir) {
    const struct ptx_instruction *ptx = ir->ptx;
    const enum ptx_access access = ptx_access_of(ptx);
    if (!ptx_is(ptx, PTX_FACT_POLLS))
        return false;
    if (access != PTX_ACCESS_LOAD && access != PTX_ACCESS_ATOMIC)
        return true;
    const enum ptx_modifier op = ptx_modifier_of(ptx, PTX_GROUP_op);
    return PTX_HAS(ptx, volatile) || PTX_HAS(ptx, sem) || op == PTX_MOD_cas || op == PTX_MOD_exch ||
           changes_nothing(ir);
}

// Memory that only the own block, or its cluster, writes.
static bool is_inside_block(const struct ptx_instruction *ptx) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_space)) {
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
    case PTX_MOD_shared_cluster:
    case PTX_MOD_local:
        return true;
    default:
        return ptx_access_of(ptx) == PTX_ACCESS_MBARRIER;
    }
}

struct polling {
    bool any, other_blocks;
};

static void add_polling(struct polling *found, const struct ir_instruction *ir) {
    if (!polls(ir))
        return;
    found->any = true;
    found->other_blocks |= !is_inside_block(ir->ptx);
}

static struct polling loop_polls(const struct ir_function *function, uint32_t from, uint32_t to) {
    struct polling found = {0};
    for (uint32_t i = from; i <= to; i++) {
        const struct ir_call *call = function->instructions[i].call;
        const struct ir_function *callee =
            call && call->callee ? ir_find_function(function->module, call->callee->name) : NULL;
        add_polling(&found, &function->instructions[i]);
        for (uint32_t k = 0; callee && k < callee->instruction_count; k++)
            add_polling(&found, &callee->instructions[k]);
    }
    return found;
}

static void decode_branch(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          struct sim_instr *out) {
    const struct ir_function *function = decoder->function;
    uint32_t index = (uint32_t)(ir - function->instructions);
    if (ir->guard != IR_NONE) {
        out->operand[0] = sim_register_ref(decoder, ir->guard);
        out->negate = ir->guard_negated;
    }
    uint32_t first = function->blocks[ir->target].first;
    if (first > index)
        return;
    struct polling found = loop_polls(function, first, index);
    out->immediate = found.any;
    decoder->kernel->waits_for_blocks |= found.other_blocks;
}

static void decode_jump_table(struct sim_decoder *decoder, const struct ir_instruction *ir,
                              struct sim_instr *out) {
    struct sim_jump_table *table = arena_alloc(
        decoder->kernel->arena, sizeof *table + ir->target_count * sizeof table->target[0]);
    table->count = ir->target_count;
    for (uint32_t i = 0; i < ir->target_count; i++)
        table->target[i] = (int32_t)ir->targets[i]; // blocks; made relative by link()
    out->extra = table;
}

static bool is_branch(const struct ir_instruction *ir) {
    return ir->ptx->isa == PTX_ISA_bra_any;
}

void sim_append_guard(struct sim_decoder *decoder, const struct ir_instruction *ir,
                      const struct sim_instr *like) {
    if (ir->guard == IR_NONE || is_branch(ir))
        return;
    struct sim_instr guard = {.ir = like->ir, .ordinal = like->ordinal};
    guard.run[0] = guard.run[1] = decoder->target->guard;
    guard.operand[0] = sim_register_ref(decoder, ir->guard);
    guard.negate = ir->guard_negated;
    vec_push(&decoder->instrs, guard);
}

// An instruction of the decoder's own that looks at the access behind it.
static void append_look(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        const struct sim_instr *like, sim_handler handler) {
    struct sim_instr look = {.ir = like->ir, .number = like->number, .ordinal = like->ordinal};
    look.run[0] = look.run[1] = handler;
    look.access = has_address(ir) ? like->access : NULL;
    look.immediate = ir->guard != IR_NONE;
    if (look.immediate)
        look.operand[0] = sim_register_ref(decoder, ir->guard);
    look.negate = ir->guard_negated;
    vec_push(&decoder->instrs, look);
}

static bool is_retried(const struct sim_decoder *decoder, const struct ir_instruction *ir) {
    return ir->site != IR_NONE && decoder->function->sites[ir->site].is_retried &&
           ir_access_space(ir) != PTX_SPACE_GLOBAL;
}

static void append_looks(struct sim_decoder *decoder, const struct ir_instruction *ir,
                         const struct sim_instr *like) {
    if (decoder->ordered && decoder->ordered[like->number])
        append_look(decoder, ir, like, sim_run_turn);
    if (is_retried(decoder, ir)) {
        append_look(decoder, ir, like, sim_run_contention);
        decoder->kernel->retries = true;
    }
}

// Everything but the handler. True: the handler was set, too.
static bool decode_body(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct sim_instr *out) {
    if (ir->ptx->isa == PTX_ISA_ld_param && sim_decode_kernel_parameter(decoder, ir, out))
        return true;
    decode_operands(decoder, ir, out);
    if (is_branch(ir))
        decode_branch(decoder, ir, out);
    else if (ir->ptx->isa == PTX_ISA_brx_idx)
        decode_jump_table(decoder, ir, out);
    else if (ir->call)
        out->call = sim_decode_call(decoder, ir);
    else if (sim_is_texture(ir))
        out->extra = sim_decode_texture(decoder, ir);
    else if (has_address(ir))
        out->access = sim_decode_access(decoder, ir);
    return false;
}

static void decode_instruction(struct sim_decoder *decoder, const struct ir_instruction *ir) {
    const uint32_t index = (uint32_t)(ir - decoder->function->instructions);
    struct sim_instr out = {.ir = index,
                            .number = decoder->code->number_base + index,
                            .ordinal = decoder->ordinal,
                            .reconverge = IR_NONE};
    bool has_handler = decode_body(decoder, ir, &out);
    append_looks(decoder, ir, &out);
    struct sim_shadow *shadow = sim_append_shadow(decoder, ir, &out);
    sim_append_guard(decoder, ir, &out);
    if (!decoder->failed && !has_handler &&
        !decoder->target->select[ir->ptx->isa](decoder, ir, &out)) {
        struct strbuf text = {0};
        ptx_print_mnemonic(ir->ptx, &text);
        sim_decode_error(decoder, ir, "instruction '%s' is not supported", text.data);
        strbuf_free(&text);
    }
    vec_push(&decoder->instrs, out);
    sim_finish_shadow(decoder, shadow, &out);
    // Jumps that stand for a guard are no instructions of the program's.
    if (!is_branch(ir) || ir->ptx->operand_count)
        decoder->ordinal++;
}

// ---- One function -------------------------------------------------------------------------

static void decode_block(struct sim_decoder *decoder, uint32_t b) {
    const struct ir_block *block = &decoder->function->blocks[b];
    assert(block->first + block->count <= decoder->function->instruction_count);
    const uint32_t number = decoder->code->number_base + block->first;
    decoder->code->block_start[b] = (uint32_t)decoder->instrs.length;
    if (block->is_reconvergence) {
        struct sim_instr here = {.ir = block->first, .number = number, .ordinal = decoder->ordinal};
        here.run[0] = here.run[1] = sim_run_reconverge;
        vec_push(&decoder->instrs, here);
    }
    if (block->is_join) {
        struct sim_instr here = {.ir = block->first, .number = number, .ordinal = decoder->ordinal};
        here.run[0] = here.run[1] = sim_run_join;
        vec_push(&decoder->instrs, here);
    }
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        decode_instruction(decoder, &decoder->function->instructions[i]);
}

// Blocks become distances between decoded instructions.
static void link_branch(struct sim_decoder *decoder, uint32_t at) {
    struct sim_instr *instr = &decoder->instrs.data[at];
    const struct ir_function *function = decoder->function;
    const struct ir_instruction *ir = &function->instructions[instr->ir];
    const uint32_t *start = decoder->code->block_start;
    if (instr->run[0] == decoder->target->guard || instr->run[0] == sim_run_reconverge ||
        instr->run[0] == sim_run_join || instr->run[0] == sim_shadow_run_decide)
        return;
    if (is_branch(ir)) {
        assert(ir->target < function->block_count);
        instr->target = start[ir->target] - at;
    }
    if (ir->ptx->isa == PTX_ISA_brx_idx) {
        struct sim_jump_table *table = (struct sim_jump_table *)instr->extra;
        for (uint32_t t = 0; t < table->count; t++) {
            assert((uint32_t)table->target[t] < function->block_count);
            table->target[t] = (int32_t)(start[table->target[t]] - at);
        }
    }
    if (!is_branch(ir) && ir->ptx->isa != PTX_ISA_brx_idx)
        return;
    uint32_t meet = function->blocks[ir_block_of(function, instr->ir)].post_dominator;
    if (meet != IR_NONE)
        instr->reconverge = start[meet] - at;
}

static void layout_frame(struct sim_code *code) {
    const struct ir_function *ir = code->ir;
    code->predicate_bytes = (ir->slots[IR_CLASS_PREDICATE] * 4 + 63) / 64 * 64;
    code->scratch = code->predicate_bytes + ir->slots[IR_CLASS_32] * 4 * LANES +
                    ir->slots[IR_CLASS_64] * 8 * LANES;
    code->frame_bytes = code->scratch + 2 * 8 * LANES; // results; changing special registers
    code->local_bytes = ir->local_bytes;
}

__attribute__((unused)) static bool have_handlers(const struct sim_code *code) {
    for (uint32_t i = 0; i < code->instr_count; i++)
        if (!code->instrs[i].run[0] || !code->instrs[i].run[1])
            return false;
    return true;
}

static bool decode_function(struct sim_decoder *decoder, struct sim_code *code) {
    decoder->code = code;
    decoder->function = code->ir;
    decoder->instrs.length = 0;
    decoder->ordinal = 0;
    code->block_start = ARENA_ARRAY(decoder->kernel->arena, uint32_t, code->ir->block_count + 1);
    if (decoder->kernel->module->sim->config.tracks_undefined)
        decoder->undefined = sim_find_undefined(code->ir);
    for (uint32_t b = 0; b < code->ir->block_count; b++)
        decode_block(decoder, b);
    free(decoder->undefined);
    decoder->undefined = NULL;
    for (uint32_t i = 0; !decoder->failed && i < decoder->instrs.length; i++)
        link_branch(decoder, i);
    code->instr_count = (uint32_t)decoder->instrs.length;
    code->instrs = ARENA_ARRAY(decoder->kernel->arena, struct sim_instr, decoder->instrs.length);
    memcpy(code->instrs, decoder->instrs.data,
           decoder->instrs.length * sizeof *decoder->instrs.data);
    assert(decoder->failed || have_handlers(code));
    return !decoder->failed;
}

// ---- One kernel ---------------------------------------------------------------------------

static void list_codes(struct sim_kernel *kernel) {
    uint32_t count = 0, instructions = 0;
    const struct ir_function **functions = ir_reachable(kernel->ir, &count);
    kernel->codes = ARENA_ARRAY(kernel->arena, struct sim_code, count);
    kernel->code_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct sim_code *code = &kernel->codes[i];
        code->kernel = kernel;
        code->ir = functions[i];
        code->site_base = kernel->site_count;
        kernel->site_count += functions[i]->site_count;
        code->number_base = instructions;
        instructions += functions[i]->instruction_count;
        layout_frame(code);
    }
    free(functions);
}

struct sim_kernel *sim_decode(struct sim_module *module, const struct ir_function *ir,
                              struct diag_list *diags) {
    struct arena *arena = arena_create();
    struct sim_kernel *kernel = ARENA_NEW(arena, struct sim_kernel);
    kernel->arena = arena;
    kernel->block_instructions = UINT64_MAX;
    kernel->module = module;
    kernel->ir = ir;
    kernel->layout = ir_shared_layout(ir);
    list_codes(kernel);
    bool *ordered = ir_block_ordered(ir);
    kernel->is_ordered = ordered != NULL;
    struct sim_decoder decoder = {
        .kernel = kernel, .target = module->sim->target, .diags = diags, .ordered = ordered};
    bool ok = true;
    for (uint32_t i = 0; i < kernel->code_count; i++)
        ok &= decode_function(&decoder, &kernel->codes[i]);
    vec_free(&decoder.instrs);
    free(ordered);
    ok = ok && sim_decode_local(kernel, diags);
    if (!ok) {
        sim_kernel_free(kernel);
        return NULL;
    }
    return kernel;
}

void sim_kernel_free(struct sim_kernel *kernel) {
    sim_native_free(kernel);
    vec_free(&kernel->constants);
    arena_destroy(kernel->arena);
}
