// One instruction on a state.
#include "prove/race.h"

#include "ptx/facts.h"

struct step {
    struct walker *walker;
    const struct code *code;
    const struct ir_instruction *instruction;
    uint32_t number;
    struct state *state;
    struct reader reader;
    const struct form *guard; // 0 or 1; NULL: there is none
    struct truth truth;       // of it
};

// ---- Writing --------------------------------------------------------------------------------

// Lanes that are there and whose guard holds get the new value.
static void write_register(const struct step *step, uint32_t r, const struct form *value) {
    struct form_table *table = &step->walker->table;
    const struct ir_register *reg = &step->code->function->registers[r];
    const struct form *old = step->state->registers[r], *result = value;
    if (old && step->truth.open) {
        const struct form *difference = form_subtract(table, value, old);
        const struct form *part = difference ? form_multiply(table, step->guard, difference) : NULL;
        result = part ? form_add(table, old, part) : NULL;
    } else if (old && step->truth.no) {
        result = form_select(table, step->truth.yes, value, old);
    }
    if (!result)
        result = state_unknown(step->walker, reg, false, ORIGIN_PATH, step->number);
    if (old && step->state->may != step->walker->lanes) {
        const struct form *merged = form_select(table, step->state->may, result, old);
        result =
            merged ? merged : state_unknown(step->walker, reg, false, ORIGIN_PATH, step->number);
    }
    step->state->registers[r] = result;
}

static void write_operand(const struct step *step, const struct ir_operand *operand,
                          const struct form *value) {
    if (operand->kind == IR_OPERAND_REGISTER)
        write_register(step, operand->reg, value);
}

static void forget_register(void *context, uint32_t r, bool is_written) {
    const struct step *step = context;
    if (is_written)
        write_register(step, r,
                       state_unknown(step->walker, &step->code->function->registers[r], false,
                                     ORIGIN_OTHER, step->number));
}

static void forget(struct step *step) {
    ir_visit_registers(step->instruction, forget_register, step);
}

// ---- Rows of value.def ----------------------------------------------------------------------

static unsigned operands_of(const struct ir_value_row *row) {
    unsigned count = 0;
    while (count < FORM_OPERANDS && row->operands[count] != IR_KIND_none)
        count++;
    return count;
}

static bool is_packed_or_odd(const struct step *step, const struct ir_meaning *meaning) {
    const struct ir_value_row *row = ir_value_row(meaning->value);
    if (meaning->value == IR_VALUE_NONE || row->is_formed)
        return true;
    for (uint32_t o = 0; o < step->instruction->operand_count; o++)
        if (step->instruction->operands[o].kind == IR_OPERAND_VECTOR)
            return true;
    return false;
}

static bool has_carry(const struct ir_instruction *instruction) {
    return PTX_HAS(instruction->ptx, cc) || ir_reads_carry(instruction->ptx);
}

// What setp and set make of the row's 0 or 1; see ir_evaluate.
static void write_comparison(const struct step *step, const struct ir_meaning *meaning,
                             const struct form *holds) {
    struct form_table *table = &step->walker->table;
    const struct ir_instruction *instruction = step->instruction;
    const bool is_set = instruction->ptx->type_count > 1;
    const struct form *with = instruction->operand_count > 3
                                  ? read_operand(&step->reader, &instruction->operands[3])
                                  : form_constant(table, 64, 0);
    const struct form *low =
        meaning->immediate & IR_COMPARE_NOT ? form_complement(table, holds) : holds;
    const struct form *first = transfer_combine(table, meaning->immediate, low, with);
    const struct form *second =
        transfer_combine(table, meaning->immediate, form_complement(table, low), with);
    const struct ir_operand *to = &instruction->operands[0];
    if (to->kind == IR_OPERAND_REGISTER && first && is_set) {
        const unsigned bits = state_bits(&step->code->function->registers[to->reg]);
        const struct form *yes = form_scale(table, form_cut(table, first, bits),
                                            form_same_lanes(table, ir_true_of(instruction->ptx)));
        write_operand(step, to, yes);
    } else if (to->kind == IR_OPERAND_REGISTER) {
        write_operand(step, to,
                      first ? first
                            : state_unknown(step->walker, &step->code->function->registers[to->reg],
                                            false, ORIGIN_OTHER, step->number));
    }
    if (to->pair != IR_NONE)
        write_register(step, to->pair,
                       second
                           ? second
                           : state_unknown(step->walker, &step->code->function->registers[to->pair],
                                           false, ORIGIN_OTHER, step->number));
}

static void run_row(struct step *step, const struct ir_meaning *meaning) {
    const struct ir_instruction *instruction = step->instruction;
    struct transfer transfer = {.table = &step->walker->table,
                                .instruction = step->number,
                                .value = meaning->value,
                                .row = ir_value_row(meaning->value),
                                .immediate = meaning->immediate};
    transfer.count = operands_of(transfer.row);
    for (unsigned i = 0; i < transfer.count; i++)
        transfer.in[i] = read_operand(&step->reader, &instruction->operands[i + 1]);
    if (meaning->swaps) {
        const struct form *first = transfer.in[0];
        transfer.in[0] = transfer.in[1];
        transfer.in[1] = first;
    }
    const bool is_comparison =
        transfer.row->result == IR_KIND_pred && PTX_HAS(instruction->ptx, cmp);
    if (is_comparison && (meaning->immediate & IR_COMPARE_PACKED)) {
        forget(step);
        return;
    }
    const struct form *result = transfer_row(&transfer);
    if (is_comparison) {
        write_comparison(step, meaning, result);
        return;
    }
    if (instruction->operands[0].pair != IR_NONE)
        forget(step); // the second destination
    write_operand(step, &instruction->operands[0], result);
}

// ---- Moves between a register and its parts -------------------------------------------------

static const struct form *shifted(const struct step *step, const struct form *a, unsigned by) {
    const struct transfer shift = {.table = &step->walker->table,
                                   .instruction = step->number,
                                   .value = IR_VALUE_shr_u64,
                                   .row = ir_value_row(IR_VALUE_shr_u64),
                                   .count = 2,
                                   .in = {a, form_constant(&step->walker->table, 32, by)}};
    return by ? transfer_row(&shift) : a;
}

// mov.b64 {%r1, %r2}, %rd1, and back.
static bool move_words(struct step *step) {
    struct form_table *table = &step->walker->table;
    const struct ir_instruction *instruction = step->instruction;
    const struct ir_operand *to = &instruction->operands[0], *from = &instruction->operands[1];
    if (instruction->ptx->isa != PTX_ISA_mov_any || instruction->operand_count != 2 ||
        ptx_type_bytes((enum ptx_type)instruction->ptx->types[0]) != 8)
        return false;
    if (to->kind == IR_OPERAND_VECTOR && to->element_count == 2 &&
        from->kind == IR_OPERAND_REGISTER) {
        const struct form *whole = read_operand(&step->reader, from);
        for (unsigned i = 0; i < 2; i++) {
            const struct form *word = form_cut(table, shifted(step, whole, 32 * i), 32);
            write_operand(step, &to->elements[i], word);
        }
        return true;
    }
    if (from->kind != IR_OPERAND_VECTOR || from->element_count != 2 ||
        to->kind != IR_OPERAND_REGISTER)
        return false;
    const struct form *low = transfer_extend(
        table, step->number, read_operand(&step->reader, &from->elements[0]), 32, false, 64);
    const struct form *high =
        form_widen(table, form_cut(table, read_operand(&step->reader, &from->elements[1]), 32), 64);
    high = high ? form_scale(table, high, form_same_lanes(table, 1ull << 32)) : NULL;
    const struct form *sum = high ? form_add(table, low, high) : NULL;
    if (!sum)
        return false;
    write_operand(step, to, sum);
    return true;
}

// ---- Loads ----------------------------------------------------------------------------------

static bool is_signed_type(enum ptx_type type) {
    return ptx_type_class(type) == PTX_CLASS_SIGNED;
}

bool walk_is_parameter(const struct code *code, const struct ir_instruction *instruction) {
    const struct ir_operand *address = &instruction->operands[1];
    return ptx_access_of(instruction->ptx) == PTX_ACCESS_LOAD && code->function->ptx->is_entry &&
           address->reg == IR_NONE && address->variable && address->variable->is_formal &&
           ir_access_space(instruction) == PTX_SPACE_PARAM;
}

// Memory that threads have of their own: what they load from one address need not be the same.
// Generic addresses may be of local memory, unless they come from the host.
static bool is_private(const struct step *step, enum ptx_space space, const struct form *place) {
    switch (space) {
    case PTX_SPACE_LOCAL:
        return true;
    case PTX_SPACE_PARAM:
        return !walk_is_parameter(step->code, step->instruction);
    case PTX_SPACE_GENERIC:
        return !walk_is_given(&step->walker->table, place);
    default:
        return false;
    }
}

// What an element of a load is, that lies `at` bytes behind its address.
static const struct form *loaded(const struct step *step, const struct memory_place *own,
                                 unsigned at, const struct ir_register *reg, bool is_uniform) {
    struct walker *walker = step->walker;
    const struct ir_operand *address = &step->instruction->operands[1];
    const enum ptx_type type = (enum ptx_type)step->instruction->ptx->types[0];
    const unsigned bytes = ptx_type_bytes(type), bits = state_bits(reg);
    if (bytes <= 8 && walk_is_parameter(step->code, step->instruction) && 8 * bytes <= bits)
        return read_parameter(walker, address->variable->offset + address->value + at, bytes,
                              is_signed_type(type), bits);
    const struct form *stored =
        own->is_own ? memory_load(&step->reader, own, at, bytes, step->truth.yes | step->truth.open)
                    : NULL;
    if (stored)
        return transfer_extend(&walker->table, step->number, stored, 8 * bytes,
                               is_signed_type(type), bits);
    const bool is_narrow = 8 * bytes < bits && !is_signed_type(type);
    const uint64_t high = form_mask(is_narrow ? 8 * bytes : bits);
    uint32_t symbol = race_scalar_symbol(walker, step->code, step->number, at, high);
    if (symbol == IR_NONE)
        symbol = symbol_unknown(&walker->table, is_uniform, high, ORIGIN_LOAD, step->number);
    return form_of_symbol(&walker->table, bits, symbol);
}

static const struct ir_operand *element_of(const struct ir_operand *operand, unsigned i) {
    return operand->kind == IR_OPERAND_VECTOR ? &operand->elements[i] : operand;
}

static void load(struct step *step) {
    struct walker *walker = step->walker;
    const struct ir_operand *to = &step->instruction->operands[0];
    const struct ir_operand *address = &step->instruction->operands[1];
    const unsigned bytes = ptx_type_bytes((enum ptx_type)step->instruction->ptx->types[0]),
                   count = to->kind == IR_OPERAND_VECTOR ? to->element_count : 1;
    enum ptx_space space;
    const struct form *place = read_address(&step->reader, address, &space);
    const struct memory_place own = memory_place_of(&step->reader, address);
    const bool is_uniform = place && place->bits >= 32 && form_is_uniform(&walker->table, place) &&
                            step->state->is_exact && !walker->has_parted &&
                            !is_private(step, space, place);
    const struct form *values[8];
    // A register that the address is in is not written before all is read.
    for (unsigned i = 0; i < count && i < 8; i++)
        values[i] =
            element_of(to, i)->kind == IR_OPERAND_REGISTER
                ? loaded(step, &own, i * bytes,
                         &step->code->function->registers[element_of(to, i)->reg], is_uniform)
                : NULL;
    for (unsigned i = 0; i < count && i < 8; i++)
        if (values[i])
            write_operand(step, element_of(to, i), values[i]);
}

// ---- Stores ---------------------------------------------------------------------------------

// To memory that threads have of their own.
static void store(struct step *step) {
    const struct ir_operand *address = &step->instruction->operands[0];
    const struct ir_operand *from = &step->instruction->operands[1];
    const unsigned bytes = ptx_type_bytes((enum ptx_type)step->instruction->ptx->types[0]),
                   count = from->kind == IR_OPERAND_VECTOR ? from->element_count : 1;
    const struct memory_place place = memory_place_of(&step->reader, address);
    for (unsigned i = 0; place.is_own && i < count; i++)
        memory_store(&step->reader, step->state, &place, i * bytes, bytes,
                     bytes <= 8 ? read_operand(&step->reader, element_of(from, i)) : NULL,
                     &step->truth);
}

// Other accesses that may write to local memory.
static void overwrite(struct step *step) {
    const struct ir_operand *address = walk_address_of(step->instruction);
    if (address && !memory_place_of(&step->reader, address).is_own)
        return;
    memory_forget(&step->state->memory, PTX_SPACE_LOCAL);
}

// ---- Calls ----------------------------------------------------------------------------------

enum { MOST_CALLS = 6 };

// The function is followed where it is called, with what is known of its parameters.
static void call(struct step *step) {
    struct walker *walker = step->walker;
    const struct ir_call *what = step->instruction->call;
    const struct ir_function *callee =
        what->callee ? ir_find_function(step->code->function->module, what->callee->name) : NULL;
    forget(step);
    if (!what->callee) {
        walker->trouble = "it calls functions through pointers";
        return;
    }
    if (!callee) { // of the device's library: it makes no accesses of its own to shared memory
        memory_leave(walker, step->state, what, NULL, NULL, &step->truth);
        return;
    }
    if (walker->calls == MOST_CALLS) {
        walker->trouble = "its functions call each other too deep";
        return;
    }
    const struct code *code = walk_code(walker, callee);
    if (code->is_irreducible) {
        walker->trouble = "a function that it calls jumps into a loop";
        return;
    }
    struct state state = *step->state;
    state.registers = base_alloc((callee->register_count + 1) * sizeof *state.registers);
    state.varying = state.varying ? base_alloc(callee->register_count + 1) : NULL;
    if (step->truth.open)
        varying_part(walker, step->instruction->guard, step->number, &state);
    state.may &= step->truth.yes | step->truth.open;
    state.is_exact &= !step->truth.open && !walker->is_joined;
    if (walker->is_joined) { // others may have come, too
        state.may = walker->lanes;
        state.facts = NULL;
    }
    state.memory = walker->is_joined
                       ? (struct memory){0}
                       : memory_enter(walker, step->state, what, callee, &step->truth);
    struct region region = {.meets = IR_NONE};
    struct returns returns = {0}, *const outer = walker->returns;
    const unsigned rounds = walker->free_rounds;
    walker->returns = &returns;
    walker->free_rounds = 0;
    walker->calls++;
    walk_run(walker, code, 0, state, &region, false);
    walker->calls--;
    walker->free_rounds = rounds;
    walker->returns = outer;
    memory_leave(walker, step->state, what, callee, &returns, &step->truth);
    vec_free(&returns.state.memory);
}

// ---- Other lanes ----------------------------------------------------------------------------

static void exchange(struct step *step, const struct exchanged *results) {
    const struct ir_operand *to = &step->instruction->operands[0];
    forget(step);
    if (results->first)
        write_operand(step, to, results->first);
    if (results->second && to->pair != IR_NONE)
        write_register(step, to->pair, results->second);
}

// ---- Any ------------------------------------------------------------------------------------

void walk_step(struct walker *walker, const struct code *code, uint32_t number,
               struct state *state) {
    struct step step = {.walker = walker,
                        .code = code,
                        .instruction = &code->function->instructions[number],
                        .number = number,
                        .state = state,
                        .reader = {walker, code, number, state}};
    const struct ir_instruction *instruction = step.instruction;
    walker->table.function = code->function;
    step.guard = read_guard(&step.reader);
    step.truth = (struct truth){.yes = state->may};
    if (step.guard)
        step.truth = truth_of(walker, step.guard, state->may);
    const uint32_t may = step.truth.yes | step.truth.open;
    if (!may)
        return;
    const bool is_exact = state->is_exact && !walker->has_parted &&
                          (!step.truth.open || (step.truth.is_one && !step.truth.yes));
    struct exchanged results;
    if (walker->races)
        race_step(walker, code, number, state, &step.truth);
    if (instruction->site != IR_NONE && walker->records) {
        const enum access_cost cost = walk_access(walker, code, number, state, may, is_exact);
        varying_access(&step.reader, may, step.truth.open, cost);
    }
    if (walker->races)
        race_begin_copy(walker, code, number, state, may);
    const unsigned varies = varying_read(&step.reader);
    const size_t first = walker->table.symbols.length;
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    const struct ir_meaning *meaning = &code->meanings[number];
    if (instruction->call)
        call(&step);
    else if (access == PTX_ACCESS_LOAD)
        load(&step);
    else if (access == PTX_ACCESS_STORE)
        store(&step);
    else if (walk_across_lanes(&step.reader, may, is_exact, &results))
        exchange(&step, &results);
    else if (has_carry(instruction) || access != PTX_ACCESS_NONE)
        forget(&step);
    else if (!is_packed_or_odd(&step, meaning))
        run_row(&step, meaning);
    else if (!move_words(&step))
        forget(&step);
    if (access != PTX_ACCESS_NONE && access != PTX_ACCESS_LOAD && access != PTX_ACCESS_STORE)
        overwrite(&step);
    varying_write(&step.reader, state, varies, first);
}
