// Instructions through which the lanes of a warp see each other: shuffles, votes and their kin.
#include "prove/walk.h"

#include "ir/shuffle.h"
#include "ptx/facts.h"

// ---- Shuffles -------------------------------------------------------------------------------

static void shuffle(const struct reader *reader, const struct ir_instruction *instruction,
                    uint32_t lanes, bool is_exact, struct exchanged *results) {
    struct form_table *table = &reader->walker->table;
    const enum ptx_modifier way = ptx_modifier_of(instruction->ptx, PTX_GROUP_op);
    const struct form *value = read_operand(reader, &instruction->operands[1]);
    const struct form *by = read_operand(reader, &instruction->operands[2]);
    const struct form *limit = read_operand(reader, &instruction->operands[3]);
    if (!is_exact || !form_is_concrete(by) || !form_is_concrete(limit))
        return;
    uint8_t from[FORM_LANES] = {0};
    uint64_t is_inside[FORM_LANES] = {0};
    bool are_there = true;
    for (int l = 0; l < FORM_LANES; l++) {
        int32_t source = l;
        if (lanes >> l & 1) {
            is_inside[l] =
                ir_shuffle_source(way, l, (uint32_t)by->base[l], (uint32_t)limit->base[l], &source);
            are_there &= source >= 0 && source < FORM_LANES && (lanes >> source & 1);
        }
        from[l] = (uint8_t)(source & 31);
    }
    results->second = form_concrete(table, 64, is_inside);
    for (unsigned t = 0; t < value->count; t++)
        are_there &= form_symbol_of(table, value->terms[t].symbol)->is_uniform;
    if (are_there)
        results->first = form_gather(table, value, from);
}

// ---- What all lanes get alike ---------------------------------------------------------------

static const struct form *same_for_all(const struct reader *reader, bool is_exact,
                                       const struct ir_operand *to) {
    struct walker *walker = reader->walker;
    if (!is_exact || to->kind != IR_OPERAND_REGISTER)
        return NULL;
    return state_unknown(walker, &reader->code->function->registers[to->reg], true, ORIGIN_OTHER,
                         reader->instruction);
}

static void vote(const struct reader *reader, const struct ir_instruction *instruction,
                 uint32_t lanes, bool is_exact, struct exchanged *results) {
    struct form_table *table = &reader->walker->table;
    const struct ir_operand *to = &instruction->operands[0];
    results->first = same_for_all(reader, is_exact, to);
    const struct truth truth =
        truth_of(reader->walker, read_operand(reader, &instruction->operands[1]), lanes);
    if (!is_exact || truth.open || to->kind != IR_OPERAND_REGISTER)
        return;
    const unsigned bits = state_bits(&reader->code->function->registers[to->reg]);
    switch (ptx_modifier_of(instruction->ptx, PTX_GROUP_op)) {
    case PTX_MOD_ballot:
        results->first = form_constant(table, bits, truth.yes);
        break;
    case PTX_MOD_all:
        results->first = form_constant(table, bits, !truth.no);
        break;
    case PTX_MOD_any:
        results->first = form_constant(table, bits, truth.yes != 0);
        break;
    default:
        results->first = form_constant(table, bits, !truth.yes || !truth.no);
    }
}

// A test of one mbarrier by all lanes at once.
static bool is_test_of_one(const struct reader *reader, const struct ir_instruction *instruction) {
    enum ptx_space space;
    if (instruction->ptx->isa != PTX_ISA_mbarrier_wait &&
        instruction->ptx->isa != PTX_ISA_mbarrier_wait_parity)
        return false;
    const struct form *place = read_address(reader, &instruction->operands[1], &space);
    const struct form *phase = read_operand(reader, &instruction->operands[2]);
    return place && form_is_uniform(&reader->walker->table, place) &&
           form_is_uniform(&reader->walker->table, phase);
}

bool walk_across_lanes(const struct reader *reader, uint32_t lanes, bool is_exact,
                       struct exchanged *results) {
    const struct ir_instruction *instruction =
        &reader->code->function->instructions[reader->instruction];
    *results = (struct exchanged){0};
    switch (instruction->ptx->isa) {
    case PTX_ISA_shfl_sync:
    case PTX_ISA_shfl_legacy:
        shuffle(reader, instruction, lanes, is_exact, results);
        return true;
    case PTX_ISA_vote_sync:
    case PTX_ISA_vote_ballot_sync:
    case PTX_ISA_vote_legacy:
    case PTX_ISA_vote_ballot_legacy:
        vote(reader, instruction, lanes, is_exact, results);
        return true;
    case PTX_ISA_activemask_any:
        if (is_exact && instruction->operands[0].kind == IR_OPERAND_REGISTER)
            results->first = form_constant(&reader->walker->table, 32, lanes);
        return true;
    case PTX_ISA_redux_int:
    case PTX_ISA_redux_bits:
    case PTX_ISA_bar_red_pred:
    case PTX_ISA_bar_red_pred_count:
    case PTX_ISA_bar_red_popc:
    case PTX_ISA_bar_red_popc_count:
    case PTX_ISA_barrier_red_pred:
    case PTX_ISA_barrier_red_pred_count:
    case PTX_ISA_barrier_red_popc:
    case PTX_ISA_barrier_red_popc_count:
        results->first = same_for_all(reader, is_exact, &instruction->operands[0]);
        return true;
    default:
        if (!is_test_of_one(reader, instruction))
            return false;
        results->first = same_for_all(reader, is_exact, &instruction->operands[0]);
        return true;
    }
}
