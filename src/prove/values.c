// What operands hold: registers, special registers, parameters, addresses.
#include "prove/walk.h"

#include "ptx/facts.h"

// ---- Special registers ----------------------------------------------------------------------

static const struct form *uniform_symbol(struct walker *walker, unsigned bits, uint64_t low,
                                         uint64_t high, enum symbol_origin origin) {
    if (low == high)
        return form_constant(&walker->table, bits, low);
    const struct symbol symbol = {
        .is_uniform = true, .low = low, .high = high, .origin = origin, .instruction = IR_NONE};
    return form_of_symbol(&walker->table, bits, symbol_add(&walker->table, &symbol));
}

uint32_t walk_thread_index(const struct walker *walker, unsigned lane, unsigned axis) {
    const uint32_t *block = walker->launch->block;
    const uint32_t thread = walker->warp * FORM_LANES + lane;
    return axis == 0   ? thread % block[0]
           : axis == 1 ? thread / block[0] % block[1]
                       : thread / block[0] / block[1];
}

static uint64_t of_lane(const struct walker *walker, enum ptx_sreg sreg, unsigned lane) {
    switch (sreg) {
    case PTX_SREG_tid_x:
    case PTX_SREG_tid_y:
    case PTX_SREG_tid_z:
        return walk_thread_index(walker, lane, sreg - PTX_SREG_tid_x);
    case PTX_SREG_lanemask_eq:
        return 1u << lane;
    case PTX_SREG_lanemask_le:
        return (2ull << lane) - 1;
    case PTX_SREG_lanemask_lt:
        return (1u << lane) - 1;
    case PTX_SREG_lanemask_ge:
        return UINT32_MAX << lane;
    case PTX_SREG_lanemask_gt:
        return UINT32_MAX & (0xfffffffeull << lane);
    default:
        return lane;
    }
}

// Of all warps at once: rows of threads are whole warps, so that lanes differ in x alone.
static const struct form *any_thread_index(struct walker *walker, unsigned axis) {
    const uint32_t extent = walker->launch->block[axis];
    struct form_table *table = &walker->table;
    if (axis > 0)
        return uniform_symbol(walker, 32, 0, extent - 1, ORIGIN_WARP);
    uint64_t lanes[FORM_LANES];
    for (unsigned l = 0; l < FORM_LANES; l++)
        lanes[l] = l;
    const struct form *warp = uniform_symbol(walker, 32, 0, extent / FORM_LANES - 1, ORIGIN_WARP);
    return form_add(table, form_concrete(table, 32, lanes),
                    form_scale(table, warp, form_same_lanes(table, FORM_LANES)));
}

enum { MOST_WIDTH = 1024 }; // threads of a block

static const struct form *make_special(struct walker *walker, enum ptx_sreg sreg) {
    static const uint64_t most[] = {INT32_MAX, 65535, 65535};
    const struct prove_launch *launch = walker->launch;
    const unsigned bits = ptx_type_bytes(ptx_sreg_type(sreg)) == 8 ? 64 : 32;
    uint64_t numbers[FORM_LANES];
    switch (sreg) {
    case PTX_SREG_tid_x:
    case PTX_SREG_tid_y:
    case PTX_SREG_tid_z:
        if (walker->is_any_warp)
            return any_thread_index(walker, sreg - PTX_SREG_tid_x);
        // fall through
    case PTX_SREG_laneid:
    case PTX_SREG_lanemask_eq:
    case PTX_SREG_lanemask_le:
    case PTX_SREG_lanemask_lt:
    case PTX_SREG_lanemask_ge:
    case PTX_SREG_lanemask_gt:
        for (unsigned l = 0; l < FORM_LANES; l++)
            numbers[l] = of_lane(walker, sreg, l);
        return form_spread(&walker->table, form_concrete(&walker->table, bits, numbers),
                           walker->lanes);
    case PTX_SREG_ntid_x:
        if (launch->is_width_open)
            return uniform_symbol(walker, bits, 1, MOST_WIDTH, ORIGIN_OTHER);
        // fall through
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
        return form_constant(&walker->table, bits, launch->block[sreg - PTX_SREG_ntid_x]);
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z: {
        const unsigned axis = sreg - PTX_SREG_ctaid_x;
        const uint64_t high = launch->has_grid ? launch->grid[axis] - 1 : most[axis] - 1;
        if (launch->asks_blocks)
            return uniform_symbol(walker, bits, launch->first[axis], launch->last[axis],
                                  ORIGIN_BLOCK);
        return uniform_symbol(walker, bits, 0, high, ORIGIN_BLOCK);
    }
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z: {
        const unsigned axis = sreg - PTX_SREG_nctaid_x;
        return launch->has_grid ? form_constant(&walker->table, bits, launch->grid[axis])
                                : uniform_symbol(walker, bits, 1, most[axis], ORIGIN_GRID);
    }
    case PTX_SREG_clock:
    case PTX_SREG_clock_hi:
    case PTX_SREG_clock64:
    case PTX_SREG_globaltimer:
    case PTX_SREG_globaltimer_lo:
    case PTX_SREG_globaltimer_hi:
        return NULL; // another number each time
    default:
        return uniform_symbol(walker, bits, 0, form_mask(bits), ORIGIN_OTHER);
    }
}

static const struct form *read_special(const struct reader *reader, enum ptx_sreg sreg) {
    struct walker *walker = reader->walker;
    if (!walker->special[sreg])
        walker->special[sreg] = make_special(walker, sreg);
    if (walker->special[sreg])
        return walker->special[sreg];
    const unsigned bits = ptx_type_bytes(ptx_sreg_type(sreg)) == 8 ? 64 : 32;
    return form_of_symbol(
        &walker->table, bits,
        symbol_unknown(&walker->table, false, form_mask(bits), ORIGIN_OTHER, reader->instruction));
}

// ---- Parameters and variables ---------------------------------------------------------------

static bool known_parameter(const struct walker *walker, uint64_t offset, unsigned bytes,
                            uint64_t *number) {
    const struct prove_launch *launch = walker->launch;
    *number = 0;
    if (!launch->parameters || offset + bytes > launch->parameter_bytes)
        return false;
    for (unsigned i = 0; i < bytes; i++)
        *number |= (uint64_t)launch->parameters[offset + i] << 8 * i;
    return true;
}

// NULL: nothing is assumed of this parameter.
static const struct form *assumed_parameter(struct walker *walker, uint64_t offset, unsigned bytes,
                                            unsigned bits) {
    const struct prove_assumption *assumption = walker->assumption;
    if (!assumption || assumption->offset != offset || assumption->bytes != bytes ||
        bits != 8 * bytes)
        return NULL;
    if (!assumption->may_be_negative)
        return uniform_symbol(walker, bits, 0, assumption->most, ORIGIN_PARAMETER);
    const uint64_t least = 1ull << (bits - 1); // its distance from 0
    return form_subtract(
        &walker->table, uniform_symbol(walker, bits, 0, least + assumption->most, ORIGIN_PARAMETER),
        form_constant(&walker->table, bits, least));
}

const struct form *read_parameter(struct walker *walker, uint64_t offset, unsigned bytes,
                                  bool is_signed, unsigned bits) {
    for (size_t i = 0; i < walker->parameters.length; i++) {
        const struct parameter *known = &walker->parameters.data[i];
        if (known->offset == offset && known->bytes == bytes && known->is_signed == is_signed &&
            known->form->bits == bits)
            return known->form;
    }
    uint64_t number;
    struct parameter made = {.offset = offset, .bytes = bytes, .is_signed = is_signed};
    const bool is_extended = is_signed && 8 * bytes < bits;
    made.form = assumed_parameter(walker, offset, bytes, bits);
    if (made.form) {
        vec_push(&walker->parameters, made);
        return made.form;
    }
    if (known_parameter(walker, offset, bytes, &number))
        made.form = form_constant(
            &walker->table, bits,
            is_extended ? (uint64_t)((int64_t)(number << (64 - 8 * bytes)) >> (64 - 8 * bytes))
                        : number);
    else
        made.form = uniform_symbol(walker, bits, 0, form_mask(is_extended ? bits : 8 * bytes),
                                   ORIGIN_PARAMETER);
    vec_push(&walker->parameters, made);
    return made.form;
}

// One symbol for each thing that stays where it is. A multiple of `align`.
static const struct form *address_of(struct walker *walker, const void *thing, unsigned align,
                                     enum symbol_origin origin) {
    for (size_t i = 0; i < walker->addresses.length; i++)
        if (walker->addresses.data[i].of == thing)
            return walker->addresses.data[i].form;
    const struct symbol symbol = {.is_uniform = true,
                                  .zeros = (unsigned)__builtin_ctz(align),
                                  .high = (1ull << 47) - 1,
                                  .origin = origin,
                                  .instruction = IR_NONE};
    const struct address made = {
        thing, form_of_symbol(&walker->table, 64, symbol_add(&walker->table, &symbol))};
    vec_push(&walker->addresses, made);
    return made.form;
}

static const struct form *variable_address(struct walker *walker,
                                           const struct ir_variable *variable) {
    const unsigned natural =
        ptx_type_bytes(variable->ptx->type) * (variable->ptx->vector ? variable->ptx->vector : 1);
    const unsigned align = variable->ptx->align ? variable->ptx->align : natural ? natural : 1;
    return address_of(walker, variable, align, ORIGIN_VARIABLE);
}

// What a place adds to its offset, when the program runs. NULL: nobody knows.
static const struct form *place_base(const struct reader *reader, const struct ir_place *place) {
    struct walker *walker = reader->walker;
    switch (place->base) {
    case IR_BASE_NONE:
        return form_constant(&walker->table, 64, 0);
    case IR_BASE_REGISTER:
        return read_register(reader, place->reg);
    case IR_BASE_VARIABLE:
        return variable_address(walker, place->variable);
    case IR_BASE_PARAMETERS:
        return address_of(walker, walker->layout, 4, ORIGIN_OTHER);
    default:
        return NULL;
    }
}

static const struct form *symbol_address(const struct reader *reader,
                                         const struct ir_operand *operand) {
    struct walker *walker = reader->walker;
    const struct ir_place place = ir_symbol_place(reader->code->function, walker->layout, operand);
    const struct form *base = place_base(reader, &place);
    const unsigned bits = operand->bytes == 4 ? 32 : 64;
    if (!base)
        return form_of_symbol(&walker->table, bits,
                              symbol_unknown(&walker->table, true, form_mask(bits), ORIGIN_OTHER,
                                             reader->instruction));
    return form_cut(
        &walker->table,
        form_add(&walker->table, base, form_constant(&walker->table, base->bits, place.offset)),
        bits);
}

const struct form *read_address(const struct reader *reader, const struct ir_operand *operand,
                                enum ptx_space *space) {
    struct walker *walker = reader->walker;
    const struct ir_place place =
        ir_access_place(reader->code->function, walker->layout,
                        &reader->code->function->instructions[reader->instruction], operand);
    const struct form *base = place_base(reader, &place);
    *space = place.space;
    return base ? form_add(&walker->table, base,
                           form_constant(&walker->table, base->bits, place.offset))
                : NULL;
}

// ---- Operands -------------------------------------------------------------------------------

unsigned state_bits(const struct ir_register *reg) {
    return reg->class == IR_CLASS_32 ? 32 : 64;
}

const struct form *state_unknown(struct walker *walker, const struct ir_register *reg,
                                 bool is_uniform, enum symbol_origin origin, uint32_t instruction) {
    const unsigned bits = state_bits(reg);
    const uint64_t high = reg->class == IR_CLASS_PREDICATE ? 1 : form_mask(bits);
    return form_of_symbol(&walker->table, bits,
                          symbol_unknown(&walker->table, is_uniform, high, origin, instruction));
}

const struct form *read_register(const struct reader *reader, uint32_t reg) {
    struct walker *walker = reader->walker;
    const struct form *form = reader->state->registers[reg];
    if (!form)
        return state_unknown(walker, &reader->code->function->registers[reg], false, ORIGIN_OTHER,
                             reader->instruction);
    return reader->state->may == walker->lanes
               ? form
               : form_spread(&walker->table, form, reader->state->may);
}

const struct form *read_operand(const struct reader *reader, const struct ir_operand *operand) {
    struct walker *walker = reader->walker;
    const unsigned bits = operand->bytes == 4 ? 32 : 64;
    const struct form *form;
    switch (operand->kind) {
    case IR_OPERAND_REGISTER:
        form = read_register(reader, operand->reg);
        return operand->is_negated &&
                       reader->code->function->registers[operand->reg].class == IR_CLASS_PREDICATE
                   ? form_complement(&walker->table, form)
                   : form;
    case IR_OPERAND_IMMEDIATE:
        return form_constant(&walker->table, bits,
                             operand->bytes == 0 && operand->is_negated ? !operand->value
                                                                        : operand->value);
    case IR_OPERAND_SREG:
        form = read_special(reader, operand->sreg);
        if (form->bits == bits || operand->bytes == 0)
            return form;
        return transfer_extend(&walker->table, reader->instruction, form, form->bits, false, bits);
    case IR_OPERAND_SYMBOL:
        return symbol_address(reader, operand);
    default:
        return form_of_symbol(&walker->table, bits,
                              symbol_unknown(&walker->table, false, form_mask(bits), ORIGIN_OTHER,
                                             reader->instruction));
    }
}

const struct form *read_guard(const struct reader *reader) {
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    if (instruction->guard == IR_NONE)
        return NULL;
    const struct form *guard = read_register(reader, instruction->guard);
    return instruction->guard_negated ? form_complement(&reader->walker->table, guard) : guard;
}

// ---- Conditions -----------------------------------------------------------------------------

// Lanes whose value is one symbol that is the same for all, or its complement in all of them.
static bool is_one_condition(const struct walker *walker, const struct form *a, uint32_t open) {
    const unsigned first = (unsigned)__builtin_ctz(open);
    for (unsigned t = 0; t < a->count; t++) {
        const bool is_uniform = form_symbol_of(&walker->table, a->terms[t].symbol)->is_uniform;
        for (unsigned l = 0; l < FORM_LANES; l++)
            if ((open >> l & 1) &&
                (a->terms[t].by[l] != a->terms[t].by[first] || (!is_uniform && a->terms[t].by[l])))
                return false;
    }
    for (unsigned l = 0; l < FORM_LANES; l++)
        if ((open >> l & 1) && a->base[l] != a->base[first])
            return false;
    return true;
}

struct truth truth_of(const struct walker *walker, const struct form *a, uint32_t lanes) {
    struct truth truth = {0};
    for (unsigned l = 0; l < FORM_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint64_t factors = 0;
        for (unsigned t = 0; t < a->count; t++)
            factors |= a->terms[t].by[l];
        if (factors)
            truth.open |= 1u << l;
        else if (a->base[l] & 1)
            truth.yes |= 1u << l;
        else
            truth.no |= 1u << l;
    }
    const bool is_lane = (truth.open & (truth.open - 1)) == 0;
    truth.is_one = truth.open && (is_lane || is_one_condition(walker, a, truth.open));
    return truth;
}
