// Which shared variable the addresses of an access are made of: the address of one variable, to
// which numbers were added. Registers are looked at as a whole, whatever the order of their
// settings: what several settings disagree on is not known.
#include <stdlib.h>

#include "ir/build.h"
#include "ir/value.h"

// What a register holds. NULL: nothing was seen yet; else the variable whose address it is, with
// some number added, or one of these.
static const struct ir_variable number;  // made of no address that is known
static const struct ir_variable unknown; // made of an address, one of several, or in another way

struct survey {
    const struct ir_function *function;
    const struct ir_variable **held; // of each register
    const struct ir_variable *result;
    bool has_changed;
};

static const struct ir_variable *join(const struct ir_variable *a, const struct ir_variable *b) {
    return !a || a == b ? b : !b ? a : &unknown;
}

static const struct ir_variable *held_by(const struct survey *survey,
                                         const struct ir_operand *operand) {
    switch (operand->kind) {
    case IR_OPERAND_REGISTER:
        return survey->function->registers[operand->reg].class == IR_CLASS_PREDICATE
                   ? &number
                   : survey->held[operand->reg];
    case IR_OPERAND_SYMBOL:
        return operand->variable->space == PTX_SPACE_SHARED ? operand->variable : &unknown;
    case IR_OPERAND_IMMEDIATE:
    case IR_OPERAND_SREG:
    case IR_OPERAND_SINK:
        return &number;
    default:
        return &unknown;
    }
}

// ---- Instructions that compute --------------------------------------------------------------

struct sources {
    const struct ir_variable *held[IR_VALUE_PARTS];
    unsigned count;
    unsigned addresses, place; // how many are made of an address, and where the last one is
    bool is_early;             // nothing is known of one yet
    bool is_odd;               // vectors, or too many
};

static struct sources sources_of(const struct survey *survey,
                                 const struct ir_instruction *instruction) {
    struct sources s = {0};
    for (uint32_t o = 1; o < instruction->operand_count; o++) {
        const struct ir_operand *operand = &instruction->operands[o];
        if (operand->kind == IR_OPERAND_VECTOR || s.count == IR_VALUE_PARTS) {
            s.is_odd = true;
            for (uint32_t e = 0; e < operand->element_count; e++)
                s.addresses += held_by(survey, &operand->elements[e]) != &number;
            continue;
        }
        const struct ir_variable *held = held_by(survey, operand);
        s.is_early |= !held;
        if (held && held != &number) {
            s.addresses++;
            s.place = s.count;
        }
        s.held[s.count++] = held;
    }
    return s;
}

static bool is_wide(enum ir_kind kind) {
    return kind == IR_KIND_u32 || kind == IR_KIND_s32 || kind == IR_KIND_u64 || kind == IR_KIND_s64;
}

// By how much the result grows with one of the sources, the others being 0.
static uint64_t growth(const struct survey *survey, const struct ir_instruction *instruction,
                       unsigned place) {
    struct ir_lane zero = {0}, one = {0};
    one.in[place] = 1;
    if (!ir_evaluate(survey->function, instruction, &zero) ||
        !ir_evaluate(survey->function, instruction, &one))
        return 0;
    return one.out[0] - zero.out[0];
}

// One source is an address: is the result that address with a number added?
static bool keeps_address(const struct survey *survey, const struct ir_instruction *instruction,
                          const struct ir_value_row *row, const struct sources *s) {
    switch (row->law) {
    case IR_LAW_COPY:
    case IR_LAW_LINEAR:
        return growth(survey, instruction, s->place) == 1;
    case IR_LAW_PRODUCT:
        return s->place == 2 && growth(survey, instruction, 2) == 1;
    default:
        return false;
    }
}

static const struct ir_variable *computed(const struct survey *survey,
                                          const struct ir_instruction *instruction) {
    const struct sources s = sources_of(survey, instruction);
    if (!s.addresses)
        return s.is_early ? NULL : &number;
    const struct ir_value_row *row =
        ir_value_row(ir_meaning_of(survey->function, instruction).value);
    if (s.is_odd || !is_wide(row->result))
        return &unknown;
    if (s.addresses == 1 && keeps_address(survey, instruction, row, &s))
        return s.held[s.place];
    const bool chooses =
        row->law == IR_LAW_CHOICE || row->law == IR_LAW_MINIMUM || row->law == IR_LAW_MAXIMUM;
    return chooses && s.count >= 2 ? join(s.held[0], s.held[1]) : &unknown;
}

// ---- Functions ------------------------------------------------------------------------------

static void note_setting(void *context, uint32_t reg, bool is_written) {
    struct survey *survey = context;
    if (!is_written)
        return;
    const struct ir_variable *joined = join(survey->held[reg], survey->result);
    survey->has_changed |= joined != survey->held[reg];
    survey->held[reg] = joined;
}

// What is loaded, or handed over, is a number: an address among them is none that is known.
static void survey_function(struct survey *survey) {
    const struct ir_function *function = survey->function;
    do {
        survey->has_changed = false;
        for (uint32_t i = 0; i < function->instruction_count; i++) {
            const struct ir_instruction *instruction = &function->instructions[i];
            const bool computes =
                ptx_access_of(instruction->ptx) == PTX_ACCESS_NONE && !instruction->call;
            survey->result = computes ? computed(survey, instruction) : &number;
            ir_visit_registers(instruction, note_setting, survey);
        }
    } while (survey->has_changed);
}

// The one whose address names the memory that the site accesses; of copies from one memory into
// another the only one that does.
static const struct ir_variable *origin_of(const struct survey *survey,
                                           const struct ir_instruction *instruction) {
    const struct ir_variable *found = NULL;
    unsigned addresses = 0;
    for (uint32_t o = 0; o < instruction->operand_count && addresses < 2; o++) {
        const struct ir_operand *operand = &instruction->operands[o];
        if (operand->kind != IR_OPERAND_ADDRESS)
            continue;
        const struct ir_variable *held =
            operand->reg != IR_NONE ? survey->held[operand->reg] : operand->variable;
        addresses++;
        if (!held || held == &number || held == &unknown || held->space != PTX_SPACE_SHARED)
            continue;
        if (found)
            return NULL;
        found = held;
    }
    return found;
}

const struct ir_variable **ir_shared_origins(const struct ir_function *kernel) {
    uint32_t sites, count, number_base = 0;
    free(ir_kernel_sites(kernel, &sites));
    const struct ir_variable **origins = base_alloc((sites + 1) * sizeof *origins);
    const struct ir_function **functions = ir_reachable(kernel, &count);
    for (uint32_t f = 0; f < count; f++) {
        const struct ir_function *function = functions[f];
        struct survey survey = {
            .function = function,
            .held = base_alloc((function->register_count + 1) * sizeof *survey.held)};
        survey_function(&survey);
        for (uint32_t s = 0; s < function->site_count; s++)
            origins[number_base + s] =
                origin_of(&survey, &function->instructions[function->sites[s].instruction]);
        number_base += function->site_count;
        free(survey.held);
    }
    free(functions);
    return origins;
}
