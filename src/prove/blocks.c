// Whether all blocks of a grid do the same: what differs from block to block is followed beside the
// forms. A register differs where it is made of the index of the block, of what memory holds, or of
// anything else that is not known to be the same; and where the way that its value came by differs.
// What a form knows as numbers is the same in every block, however it was made.
#include <string.h>

#include "prove/walk.h"
#include "ptx/facts.h"

uint8_t *varying_copy(const struct code *code, const uint8_t *varying) {
    if (!varying)
        return NULL;
    uint8_t *copy = base_alloc(code->function->register_count + 1);
    memcpy(copy, varying, code->function->register_count);
    return copy;
}

static bool is_number(const struct form *form, const struct ir_register *reg) {
    return form && form_is_concrete(form) && form->bits >= state_bits(reg);
}

static unsigned of_register(const struct state *state, uint32_t r) {
    return state->registers[r] ? state->varying[r] : PROVE_BY_OTHERS;
}

// ---- Ways -----------------------------------------------------------------------------------

static void go(struct state *state, unsigned varies, uint32_t instruction) {
    if (varies & ~state->way)
        state->way_at = instruction;
    state->way |= varies;
}

void varying_part(struct walker *walker, uint32_t condition, uint32_t instruction,
                  struct state *side) {
    if (!side->varying)
        return;
    const unsigned varies = condition == IR_NONE ? PROVE_BY_OTHERS : of_register(side, condition);
    if (!varies)
        return;
    go(side, varies, instruction);
    walker->blocks->has_other_work = true;
}

void varying_merge(struct state *into, const struct state *from, const struct ir_register *reg,
                   uint32_t r, const struct form *a, const struct form *b) {
    if (!into->varying)
        return;
    const unsigned ways = a != b ? into->way | from->way : 0;
    const unsigned both = (a ? into->varying[r] : 0) | (b ? from->varying[r] : 0) | ways;
    into->varying[r] = is_number(into->registers[r], reg) ? 0 : (uint8_t)both;
}

void varying_lose(struct losses *losses, unsigned way, uint32_t way_at) {
    if (way & ~losses->way)
        losses->way_at = way_at;
    losses->way |= way;
}

void varying_meet(struct state *state, const struct state *before, const struct losses *deaths,
                  const struct losses *leavers) {
    state->way = before->way;
    state->way_at = before->way_at;
    go(state, deaths->way, deaths->way_at);
    go(state, leavers->way, leavers->way_at);
}

bool varying_weaken(struct state *any, const struct state *entry, const struct state *back,
                    uint32_t register_count) {
    bool has_changed = false;
    if (!any->varying)
        return false;
    for (uint32_t r = 0; r < register_count; r++) {
        if (!back->registers[r])
            continue;
        const unsigned unset = entry->registers[r] ? 0 : PROVE_BY_OTHERS;
        const unsigned varies = any->varying[r] | back->varying[r] | unset;
        has_changed |= varies != any->varying[r];
        any->varying[r] = (uint8_t)varies;
    }
    has_changed |= (back->way & ~any->way) != 0;
    go(any, back->way, back->way_at);
    return has_changed;
}

// ---- Symbols --------------------------------------------------------------------------------

enum { MOST_DEPTH = 6 };

static bool is_steady(const struct form_table *table, uint32_t number, unsigned depth);

static bool is_steady_form(const struct form_table *table, const struct form *form,
                           unsigned depth) {
    for (unsigned t = 0; t < form->count; t++)
        if (!is_steady(table, form->terms[t].symbol, depth))
            return false;
    return true;
}

// Whether a symbol is the same number in every block.
static bool is_steady(const struct form_table *table, uint32_t number, unsigned depth) {
    const struct symbol *symbol = form_symbol_of(table, number);
    if (depth == MOST_DEPTH)
        return false;
    if (symbol->kind == SYMBOL_PRODUCT)
        return is_steady(table, symbol->factors[0], depth + 1) &&
               is_steady(table, symbol->factors[1], depth + 1);
    for (unsigned o = 0; symbol->kind == SYMBOL_ROW && o < symbol->operand_count; o++)
        if (!is_steady_form(table, symbol->operands[o], depth + 1))
            return false;
    return symbol->kind == SYMBOL_ROW || symbol->is_steady || symbol->origin == ORIGIN_WARP ||
           symbol->origin == ORIGIN_GRID || symbol->origin == ORIGIN_PARAMETER ||
           symbol->origin == ORIGIN_VARIABLE;
}

// From round to round the register grows by the same in every block, and the loop goes round as
// often.
static bool is_steady_step(struct walker *walker, const struct state *any, const struct state *back,
                           uint32_t r) {
    struct form_table *table = &walker->table;
    if (any->way || !back->registers[r] || !any->registers[r])
        return false;
    const struct form *step =
        form_subtract(table, form_spread(table, back->registers[r], back->may),
                      form_spread(table, any->registers[r], back->may));
    return step && step->bits >= any->registers[r]->bits && is_steady_form(table, step, 0);
}

bool varying_steps(struct walker *walker, const struct state *any, const struct state *back,
                   const uint32_t *counters, uint32_t register_count) {
    bool has_changed = false;
    for (uint32_t r = 0; any->varying && r < register_count; r++) {
        if (!counters[r] || !walker->table.symbols.data[counters[r] - 1].is_steady ||
            is_steady_step(walker, any, back, r))
            continue;
        walker->table.symbols.data[counters[r] - 1].is_steady = false;
        has_changed = true;
    }
    return has_changed;
}

// ---- Instructions ---------------------------------------------------------------------------

static unsigned of_special(enum ptx_sreg sreg) {
    switch (sreg) {
    case PTX_SREG_tid_x:
    case PTX_SREG_tid_y:
    case PTX_SREG_tid_z:
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
    case PTX_SREG_laneid:
    case PTX_SREG_lanemask_eq:
    case PTX_SREG_lanemask_le:
    case PTX_SREG_lanemask_lt:
    case PTX_SREG_lanemask_ge:
    case PTX_SREG_lanemask_gt:
    case PTX_SREG_total_smem_size:
    case PTX_SREG_dynamic_smem_size:
        return 0;
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z:
        return PROVE_BY_BLOCK;
    default:
        return PROVE_BY_OTHERS;
    }
}

struct look {
    const struct state *state;
    unsigned varies;
};

static void look(void *context, uint32_t r, bool is_written) {
    struct look *look = context;
    if (!is_written)
        look->varies |= of_register(look->state, r);
}

static unsigned of_specials(const struct ir_operand *operand) {
    unsigned varies = operand->kind == IR_OPERAND_SREG ? of_special(operand->sreg) : 0;
    for (uint32_t e = 0; e < operand->element_count; e++)
        varies |= of_specials(&operand->elements[e]);
    return varies;
}

// All that the instruction reads, but for memory.
static unsigned of_operands(const struct ir_instruction *instruction, const struct state *state) {
    struct look read = {.state = state};
    ir_visit_registers(instruction, look, &read);
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        read.varies |= of_specials(&instruction->operands[o]);
    return read.varies;
}

// What the result is made of beside the operands of the lanes that are here.
static unsigned of_source(const struct reader *reader, const struct ir_instruction *instruction,
                          const struct state *state) {
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    if (instruction->call)
        return PROVE_BY_OTHERS;
    if (access != PTX_ACCESS_NONE)
        return walk_is_parameter(reader->code, instruction) ? 0 : PROVE_BY_MEMORY;
    if (ir_reads_carry(instruction->ptx))
        return PROVE_BY_OTHERS;
    switch (instruction->ptx->isa) {
    case PTX_ISA_mov_any:
    case PTX_ISA_vote_sync:
    case PTX_ISA_vote_ballot_sync:
    case PTX_ISA_vote_legacy:
    case PTX_ISA_vote_ballot_legacy:
    case PTX_ISA_activemask_any:
    case PTX_ISA_redux_int:
    case PTX_ISA_redux_bits:
        return 0;
    case PTX_ISA_shfl_sync:
    case PTX_ISA_shfl_legacy: // from lanes that are elsewhere it reads what they hold there
        return state->may == reader->walker->lanes && state->is_exact ? 0 : PROVE_BY_OTHERS;
    default: {
        const struct ir_meaning *meaning = &reader->code->meanings[reader->instruction];
        return meaning->value != IR_VALUE_NONE ? 0 : PROVE_BY_OTHERS;
    }
    }
}

struct made {
    const struct code *code;
    struct state *state;
    unsigned varies;
    bool is_guarded; // registers may keep what they hold
};

static void make(void *context, uint32_t r, bool is_written) {
    const struct made *made = context;
    if (!is_written)
        return;
    const unsigned kept = made->is_guarded ? made->state->varying[r] : 0;
    const bool is_known = is_number(made->state->registers[r], &made->code->function->registers[r]);
    made->state->varying[r] = is_known ? 0 : (uint8_t)(made->varies | kept);
}

unsigned varying_read(const struct reader *reader) {
    if (!reader->state->varying)
        return 0;
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    return of_operands(instruction, reader->state) | of_source(reader, instruction, reader->state) |
           reader->state->way | (reader->walker->has_parted ? PROVE_BY_OTHERS : 0);
}

void varying_write(const struct reader *reader, struct state *state, unsigned varies,
                   size_t first) {
    struct form_table *table = &reader->walker->table;
    if (!state->varying)
        return;
    for (size_t s = first; !varies && s < table->symbols.length; s++)
        table->symbols.data[s].is_steady = table->symbols.data[s].kind == SYMBOL_UNKNOWN;
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    struct made made = {reader->code, state, varies, instruction->guard != IR_NONE};
    ir_visit_registers(instruction, make, &made);
}

// ---- Accesses -------------------------------------------------------------------------------

static const char *words_of(unsigned varies, bool is_way) {
    if (varies & PROVE_BY_MEMORY)
        return is_way ? "a condition depends on what memory holds"
                      : "an address depends on what memory holds";
    if (varies & PROVE_BY_OTHERS)
        return is_way ? "a condition depends on something that is not followed"
                      : "an address depends on something that is not followed";
    return is_way ? "a condition depends on the index of the block"
                  : "an address depends on the index of the block";
}

static void note(const struct reader *reader, unsigned varies, const char *why, uint32_t at) {
    struct prove_blocks *blocks = reader->walker->blocks;
    // What no choice of blocks makes better is the reason to give.
    if (!blocks->why || (varies > PROVE_BY_BLOCK && blocks->varies <= PROVE_BY_BLOCK)) {
        blocks->why = why;
        blocks->instruction = at;
        blocks->function = reader->code->function;
    }
    blocks->varies |= varies;
}

// Only addresses, and other operands that may decide which bytes are meant; not what is stored.
static unsigned of_place(const struct ir_instruction *instruction, const struct state *state) {
    unsigned varies = 0;
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    switch (access) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
    case PTX_ACCESS_MATRIX_LOAD:
    case PTX_ACCESS_MATRIX_STORE:
        break;
    default:
        return of_operands(instruction, state);
    }
    const struct ir_operand *address = walk_address_of(instruction);
    if (!address)
        return PROVE_BY_OTHERS;
    if (address->reg != IR_NONE)
        varies |= of_register(state, address->reg);
    for (uint32_t e = 0; e < address->element_count; e++)
        if (address->elements[e].reg != IR_NONE)
            varies |= of_register(state, address->elements[e].reg);
    return varies;
}

// Whether the array is all that shared memory holds.
static bool is_alone(const struct walker *walker) {
    const struct ir_shared_layout *layout = walker->layout;
    return layout->variable_count <= 1 && walker->launch->has_dynamic &&
           (!walker->launch->dynamic_bytes || !layout->variable_count ||
            layout->variables[0]->ptx->is_unsized);
}

// Whether all that the address may be is of one array, and no other one.
static bool is_in_one_array(const struct reader *reader, uint32_t may) {
    struct walker *walker = reader->walker;
    const struct ir_shared_layout *layout = walker->layout;
    enum ptx_space space;
    bool is_other;
    if (is_alone(walker))
        return true;
    const struct ir_operand *operand =
        walk_address_of(&reader->code->function->instructions[reader->instruction]);
    const struct form *place = read_address(reader, operand, &space);
    const struct form *offset = walk_shared_offset(walker, place, space, &is_other);
    if (!offset)
        return false;
    const struct range range = range_of(&walker->table, offset, offset->bits, false, may);
    for (uint32_t v = 0; range.is_known && v < layout->variable_count; v++) {
        const struct ir_variable *array = layout->variables[v];
        const wide_int begin = (wide_int)array->offset;
        if (!array->ptx->is_unsized && range.low >= begin &&
            range.high < begin + (wide_int)array->ptx->bytes)
            return true;
    }
    return false;
}

enum { SECTOR = 32 };

// Blocks move all lanes alike, by whole sectors: each takes as many.
static bool moves_by_sectors(const struct reader *reader, const struct ir_operand *operand,
                             uint32_t may) {
    const struct form_table *table = &reader->walker->table;
    enum ptx_space space;
    const struct form *place = read_address(reader, operand, &space);
    if (!place || place->bits < 64)
        return false;
    for (unsigned t = 0; t < place->count; t++) {
        const struct symbol *symbol = form_symbol_of(table, place->terms[t].symbol);
        const uint64_t *by = place->terms[t].by;
        const unsigned first = (unsigned)__builtin_ctz(may);
        if (is_steady(table, place->terms[t].symbol, 0))
            continue;
        if (symbol->kind != SYMBOL_UNKNOWN || symbol->origin != ORIGIN_BLOCK ||
            !symbol->is_uniform || by[first] % SECTOR)
            return false;
        for (unsigned l = first; l < FORM_LANES; l++)
            if ((may >> l & 1) && by[l] != by[first])
                return false;
    }
    return true;
}

static bool is_shared_alone(const struct ir_instruction *instruction) {
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    return access != PTX_ACCESS_ASYNC_COPY && access != PTX_ACCESS_BULK_COPY &&
           ir_access_space(instruction) == PTX_SPACE_SHARED;
}

// Whether the access takes as many sectors of global memory in every block that makes it.
static bool has_same_sectors(const struct reader *reader, const struct ir_instruction *instruction,
                             unsigned place, uint32_t may) {
    const struct ir_operand *operand = walk_address_of(instruction);
    switch (ptx_access_of(instruction->ptx)) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
        return !place || moves_by_sectors(reader, operand, may);
    case PTX_ACCESS_ASYNC_COPY:
        for (uint32_t o = 2; o < instruction->operand_count; o++)
            if (instruction->operands[o].kind == IR_OPERAND_REGISTER &&
                of_register(reader->state, instruction->operands[o].reg))
                return false;
        return !place || moves_by_sectors(reader, &instruction->operands[1], may);
    default:
        return !place;
    }
}

static unsigned of_guard(const struct reader *reader, bool is_open) {
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    return is_open ? of_register(reader->state, instruction->guard) : 0;
}

void varying_access(const struct reader *reader, uint32_t may, bool guard_open,
                    enum access_cost cost) {
    const struct walker *walker = reader->walker;
    const struct state *state = reader->state;
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    if (!state->varying)
        return;
    const unsigned place = of_place(instruction, state), guard = of_guard(reader, guard_open);
    const unsigned parted = walker->has_parted || (walker->is_joined && may != walker->lanes &&
                                                   walker->blocks->has_other_work)
                                ? PROVE_BY_OTHERS
                                : 0;
    if (!is_shared_alone(instruction) &&
        (guard || parted || state->way || !has_same_sectors(reader, instruction, place, may)))
        walker->blocks->has_other_sectors[reader->code->first_site + instruction->site] = true;
    if (cost == ACCESS_ELSEWHERE)
        return;
    if (state->way)
        note(reader, state->way, words_of(state->way, true), state->way_at);
    if (guard)
        note(reader, guard, words_of(guard, true), reader->instruction);
    if (parted)
        note(reader, parted, "which lanes are together depends on who was quicker",
             reader->instruction);
    if (place && !(cost == ACCESS_ONE && is_in_one_array(reader, may)))
        note(reader, place, words_of(place, false), reader->instruction);
}
