// Memory that every thread has of its own: local memory, and the parameters and results of calls.
// What a thread stored is what it loads, as long as it is known which bytes both are; a cell is as
// good as a register. Local cells are those of the kernel's own frame, whoever accesses them.
#include <string.h>

#include "ir/address.h"
#include "prove/race.h"

enum { MOST_CELLS = 256 };

// ---- Cells ----------------------------------------------------------------------------------

struct memory memory_copy(const struct memory *memory) {
    struct memory copy = {0};
    if (!memory->length)
        return copy;
    vec_reserve(&copy, memory->length);
    memcpy(copy.data, memory->data, memory->length * sizeof *copy.data);
    copy.length = memory->length;
    return copy;
}

static void remove_cell(struct memory *memory, size_t at) {
    memory->data[at] = memory->data[--memory->length];
}

struct cell *memory_find(const struct memory *memory, enum ptx_space space, uint64_t offset,
                         unsigned bytes) {
    for (size_t i = 0; i < memory->length; i++) {
        struct cell *cell = &memory->data[i];
        if (cell->offset == offset && cell->space == space && cell->bytes == bytes)
            return cell;
    }
    return NULL;
}

// Those that have bytes from `begin` to before `end`; but one of the same place, if it is to stay.
static void forget_range(struct memory *memory, enum ptx_space space, uint64_t begin, uint64_t end,
                         const struct cell *kept) {
    const uint64_t place = kept ? kept->offset : 0, bytes = kept ? kept->bytes : 0;
    for (size_t i = memory->length; i-- > 0;) {
        const struct cell *cell = &memory->data[i];
        if (cell->space == space && cell->offset < end && begin < cell->offset + cell->bytes &&
            !(kept && cell->offset == place && cell->bytes == bytes))
            remove_cell(memory, i);
    }
}

void memory_forget(struct memory *memory, enum ptx_space space) {
    forget_range(memory, space, 0, UINT64_MAX, NULL);
}

// These lanes hold the value there, others what they did.
static void put(struct walker *walker, struct memory *memory, const struct cell *cell,
                uint32_t lanes, uint32_t may) {
    struct form_table *table = &walker->table;
    struct cell *old = memory_find(memory, cell->space, cell->offset, cell->bytes);
    const struct form *value = cell->value;
    if (old || may & ~lanes) {
        const struct form *before =
            old ? old->value
                : form_of_symbol(
                      table, value->bits,
                      symbol_unknown(table, false, form_mask(value->bits), ORIGIN_LOAD, IR_NONE));
        value = form_select(table, lanes, value, before);
    }
    forget_range(memory, cell->space, cell->offset, cell->offset + cell->bytes, value ? old : NULL);
    if (!value)
        return;
    old = memory_find(memory, cell->space, cell->offset, cell->bytes);
    if (old)
        old->value = value;
    else if (memory->length < MOST_CELLS)
        vec_push(memory, ((struct cell){cell->space, (uint8_t)cell->bytes, cell->offset, value}));
}

// ---- Places ---------------------------------------------------------------------------------

static bool is_of_kernel(const struct reader *reader) {
    return reader->code->function->ptx->is_entry;
}

// A named parameter of a call, or of the function itself.
static bool is_passed(const struct reader *reader, const struct ir_operand *address) {
    const struct ir_variable *variable = address->variable;
    return address->reg == IR_NONE && variable && variable->space == PTX_SPACE_PARAM &&
           !variable->is_copied && !(variable->is_formal && is_of_kernel(reader));
}

struct memory_place memory_place_of(const struct reader *reader, const struct ir_operand *address) {
    struct walker *walker = reader->walker;
    enum ptx_space space;
    const struct form *offset = read_address(reader, address, &space);
    struct memory_place place = {.space = space, .offset = offset};
    switch (space) {
    case PTX_SPACE_PARAM:
        place.is_own = is_passed(reader, address);
        return place;
    case PTX_SPACE_LOCAL:
        // What a function names is of its own frame, which nobody asks for by number.
        place.is_own = is_of_kernel(reader) || address->reg != IR_NONE;
        return place;
    case PTX_SPACE_GENERIC:
        break;
    default:
        return place;
    }
    place.space = PTX_SPACE_LOCAL;
    place.is_own = !offset || !walk_is_given(&walker->table, offset);
    const struct range range = place.is_own && offset
                                   ? range_of(&walker->table, offset, 64, false, reader->state->may)
                                   : (struct range){0};
    if (!range.is_known) {
        place.offset = NULL;
        return place;
    }
    const wide_int begin = (wide_int)IR_LOCAL_WINDOW, end = begin + (wide_int)IR_WINDOW_BYTES;
    place.is_own = range.high >= begin && range.low < end;
    place.offset = range.low < begin || range.high >= end
                       ? NULL
                       : form_subtract(&walker->table, offset,
                                       form_constant(&walker->table, 64, IR_LOCAL_WINDOW));
    return place;
}

// Numbers in all lanes.
static bool is_known(const struct memory_place *place) {
    return place->is_own && place->offset && form_is_concrete(place->offset) &&
           place->offset->bits >= 32;
}

static uint64_t offset_of(const struct memory_place *place, unsigned lane, unsigned at) {
    return (uint32_t)place->offset->base[lane] + (uint64_t)at;
}

// Those of these lanes whose bytes begin there.
static uint32_t lanes_at(const struct memory_place *place, unsigned at, uint64_t offset,
                         uint32_t lanes) {
    uint32_t there = 0;
    for (unsigned l = 0; l < FORM_LANES; l++)
        there |= (uint32_t)((lanes >> l & 1) && offset_of(place, l, at) == offset) << l;
    return there;
}

// ---- Loads and stores -----------------------------------------------------------------------

const struct form *memory_load(const struct reader *reader, const struct memory_place *place,
                               unsigned at, unsigned bytes, uint32_t lanes) {
    const struct form *value = NULL;
    if (!is_known(place))
        return NULL;
    for (uint32_t rest = lanes; rest;) {
        const uint64_t offset = offset_of(place, (unsigned)__builtin_ctz(rest), at);
        const struct cell *cell = memory_find(&reader->state->memory, place->space, offset, bytes);
        const uint32_t alike = lanes_at(place, at, offset, rest);
        if (!cell)
            return NULL;
        value = value ? form_select(&reader->walker->table, alike, cell->value, value)
                      : form_spread(&reader->walker->table, cell->value, lanes);
        if (!value)
            return NULL;
        rest &= ~alike;
    }
    return value;
}

static void forget_place(const struct reader *reader, struct memory *memory,
                         const struct memory_place *place, unsigned at, unsigned bytes,
                         uint32_t lanes) {
    const struct range range = place->offset ? range_of(&reader->walker->table, place->offset,
                                                        place->offset->bits, false, lanes)
                                             : (struct range){0};
    if (!place->is_own)
        return;
    if (range.is_known && place->offset->bits >= 32 && range.high < (wide_int)UINT32_MAX)
        forget_range(memory, place->space, (uint64_t)range.low + at,
                     (uint64_t)range.high + at + bytes, NULL);
    else
        memory_forget(memory, place->space);
}

void memory_store(const struct reader *reader, struct state *state,
                  const struct memory_place *place, unsigned at, unsigned bytes,
                  const struct form *value, const struct truth *truth) {
    struct walker *walker = reader->walker;
    if (!is_known(place) || truth->open || !value) {
        forget_place(reader, &state->memory, place, at, bytes, truth->yes | truth->open);
        return;
    }
    for (uint32_t rest = truth->yes; rest;) {
        const uint64_t offset = offset_of(place, (unsigned)__builtin_ctz(rest), at);
        const uint32_t alike = lanes_at(place, at, offset, rest);
        const struct cell cell = {place->space, (uint8_t)bytes, offset,
                                  form_cut(&walker->table, value, 8 * bytes)};
        put(walker, &state->memory, &cell, alike, state->may);
        rest &= ~alike;
    }
}

// ---- Loops ----------------------------------------------------------------------------------

bool memory_weaken(struct walker *walker, struct memory *any, const struct state *back) {
    struct form_table *table = &walker->table;
    bool has_changed = false;
    for (size_t i = any->length; i-- > 0;) {
        const struct cell *cell = &any->data[i];
        const struct cell *came =
            memory_find(&back->memory, cell->space, cell->offset, cell->bytes);
        if (came && form_spread(table, came->value, back->may) ==
                        form_spread(table, cell->value, back->may))
            continue;
        remove_cell(any, i);
        has_changed = true;
    }
    return has_changed;
}

void memory_part_rounds(struct walker *walker, struct memory *memory, size_t first) {
    for (size_t i = memory->length; i-- > 0;) {
        const struct form *value = memory->data[i].value;
        bool is_of_round = false;
        for (unsigned t = 0; t < value->count; t++)
            is_of_round |= value->terms[t].symbol >= first ||
                           race_counts_rounds(walker, value->terms[t].symbol);
        if (is_of_round)
            remove_cell(memory, i);
    }
}

// ---- Calls ----------------------------------------------------------------------------------

static const struct ir_variable *formal(const struct ir_function *callee, size_t index) {
    const struct ir_variable *variable =
        index < callee->variable_count ? callee->variables[index] : NULL;
    return variable && variable->is_formal && variable->space == PTX_SPACE_PARAM &&
                   !variable->is_copied
               ? variable
               : NULL;
}

static bool is_variable(const struct ir_operand *operand) {
    return operand->kind == IR_OPERAND_SYMBOL && operand->variable &&
           operand->variable->space == PTX_SPACE_PARAM;
}

// Cells of parameters from one place become some of another.
static void pass(struct walker *walker, const struct memory *from, uint64_t at, uint64_t bytes,
                 struct memory *to, uint64_t to_at, const struct truth *truth, uint32_t may) {
    for (size_t i = 0; i < from->length; i++) {
        const struct cell *cell = &from->data[i];
        if (cell->space != PTX_SPACE_PARAM || cell->offset < at ||
            cell->offset + cell->bytes > at + bytes)
            continue;
        const struct cell made = {PTX_SPACE_PARAM, cell->bytes, cell->offset - at + to_at,
                                  cell->value};
        put(walker, to, &made, truth->yes, may);
    }
}

static void pass_local(const struct memory *from, struct memory *to) {
    for (size_t i = 0; i < from->length; i++)
        if (from->data[i].space == PTX_SPACE_LOCAL)
            vec_push(to, from->data[i]);
}

struct memory memory_enter(struct walker *walker, const struct state *caller,
                           const struct ir_call *call, const struct ir_function *callee,
                           const struct truth *truth) {
    struct memory memory = {0};
    pass_local(&caller->memory, &memory);
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ir_variable *to = formal(callee, callee->ptx->return_count + i);
        const struct ir_operand *from = &call->arguments[i];
        if (to && is_variable(from))
            pass(walker, &caller->memory, from->variable->offset + from->value,
                 to->ptx->bytes < from->variable->ptx->bytes ? to->ptx->bytes
                                                             : from->variable->ptx->bytes,
                 &memory, to->offset, truth, truth->yes);
    }
    return memory;
}

// What lanes that did not call hold stays, where it is known which.
static void take_local(struct walker *walker, struct state *caller, const struct memory *from,
                       const struct truth *truth) {
    struct memory kept = memory_copy(&caller->memory);
    memory_forget(&caller->memory, PTX_SPACE_LOCAL);
    for (size_t i = 0; from && !truth->open && i < from->length; i++) {
        struct cell cell = from->data[i];
        const struct cell *old = memory_find(&kept, cell.space, cell.offset, cell.bytes);
        const bool is_whole = !(caller->may & ~truth->yes);
        if (cell.space != PTX_SPACE_LOCAL || (!old && !is_whole))
            continue;
        cell.value =
            old ? form_select(&walker->table, truth->yes, cell.value, old->value) : cell.value;
        if (cell.value)
            vec_push(&caller->memory, cell);
    }
    vec_free(&kept);
}

void memory_leave(struct walker *walker, struct state *caller, const struct ir_call *call,
                  const struct ir_function *callee, const struct returns *returns,
                  const struct truth *truth) {
    const bool is_known = returns && returns->is_any && !returns->is_lost;
    take_local(walker, caller, is_known ? &returns->state.memory : NULL, truth);
    for (uint32_t i = 0; i < call->result_count; i++) {
        const struct ir_operand *to = &call->results[i];
        const struct ir_variable *from =
            callee && i < callee->ptx->return_count ? formal(callee, i) : NULL;
        if (!is_variable(to))
            continue;
        const uint64_t at = to->variable->offset + to->value, bytes = to->variable->ptx->bytes;
        struct memory old = memory_copy(&caller->memory);
        forget_range(&caller->memory, PTX_SPACE_PARAM, at, at + bytes, NULL);
        if (is_known && from && !truth->open) {
            if (caller->may & ~truth->yes) // the others keep theirs
                pass(walker, &old, at, bytes, &caller->memory, at,
                     &(struct truth){.yes = caller->may}, caller->may);
            pass(walker, &returns->state.memory, from->offset,
                 bytes < from->ptx->bytes ? bytes : from->ptx->bytes, &caller->memory, at, truth,
                 caller->may);
        }
        vec_free(&old);
    }
}

void memory_return(struct walker *walker, const struct state *state) {
    struct returns *returns = walker->returns;
    if (!returns)
        return;
    returns->is_lost |= walker->free_rounds > 0;
    if (!returns->is_any) {
        returns->is_any = true;
        returns->state = *state;
        returns->state.registers = NULL;
        returns->state.varying = NULL;
        returns->state.memory = memory_copy(&state->memory);
        return;
    }
    state_merge_memory(walker, &returns->state, state);
    returns->state.is_exact &= state->is_exact;
    returns->state.way |= state->way;
    returns->state.may |= state->may;
}
