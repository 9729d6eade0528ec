// A load is behind a branch where the branch, forwards and conditional, goes past it. One whose
// value is used behind a branch alone may be put there: then the machine code has all loads of its
// place behind a branch of that one's place, of which PTX has none before it.
#include "compiled/moved.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compiled/plan.h"
#include "ptx/facts.h"

struct range {
    uint32_t first, end; // instructions of the function
};

// ---- Where a value goes --------------------------------------------------------------------

struct flow {
    const struct ir_function *function;
    bool *is_tainted; // by register: made of the value
    bool reads, has_grown;
};

static void see_read(void *context, uint32_t reg, bool is_written) {
    struct flow *flow = context;
    flow->reads |= !is_written && flow->is_tainted[reg];
}

static void taint_written(void *context, uint32_t reg, bool is_written) {
    struct flow *flow = context;
    flow->has_grown |= is_written && !flow->is_tainted[reg];
    flow->is_tainted[reg] |= is_written;
}

// It computes a value of its own lane's, and does nothing else.
static bool only_computes(const struct ir_instruction *instruction) {
    return instruction->site == IR_NONE && !instruction->call && instruction->operand_count &&
           ptx_access_of(instruction->ptx) == PTX_ACCESS_NONE &&
           !(ptx_isa_row(instruction->ptx->isa)->facts &
             (PTX_FACT_SPLITS | PTX_FACT_SYNCS | PTX_FACT_GATHERS | PTX_FACT_POLLS)) &&
           ir_is_destination(instruction, 0) && instruction->operands[0].kind != IR_OPERAND_ADDRESS;
}

static bool reads_value(struct flow *flow, const struct ir_instruction *instruction) {
    flow->reads = instruction->guard != IR_NONE && flow->is_tainted[instruction->guard];
    ir_visit_registers(instruction, see_read, flow);
    return flow->reads;
}

// From the first to the last instruction that does something with the value, beside computing.
static struct range uses_of(const struct ir_function *function, uint32_t load) {
    struct flow flow = {function, base_alloc(function->register_count + 1), false, true};
    struct range uses = {UINT32_MAX, 0};
    ir_visit_registers(&function->instructions[load], taint_written, &flow);
    while (flow.has_grown) {
        flow.has_grown = false;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            if (only_computes(&function->instructions[i]) &&
                reads_value(&flow, &function->instructions[i]))
                ir_visit_registers(&function->instructions[i], taint_written, &flow);
    }
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (i != load && !only_computes(&function->instructions[i]) &&
            reads_value(&flow, &function->instructions[i])) {
            uses.first = uses.first < i ? uses.first : i;
            uses.end = i + 1;
        }
    free(flow.is_tainted);
    return uses;
}

// ---- Branches -------------------------------------------------------------------------------

// What the instruction goes past, if it is a forward branch on a condition.
static struct range past(const struct ir_function *function, uint32_t branch) {
    const struct ir_instruction *instruction = &function->instructions[branch];
    if (instruction->ptx->isa != PTX_ISA_bra_any || instruction->guard == IR_NONE)
        return (struct range){0};
    const uint32_t target = function->blocks[instruction->target].first;
    return target > branch ? (struct range){branch + 1, target} : (struct range){0};
}

static bool is_in(struct range range, uint32_t instruction) {
    return instruction >= range.first && instruction < range.end;
}

static uint64_t place_of(const struct ir_function *function, uint32_t instruction) {
    return combine_place(function, function->instructions[instruction].location);
}

static bool is_skipped_in_ptx(const struct ir_function *function, uint32_t load, uint64_t place) {
    for (uint32_t i = 0; i < load; i++)
        if (is_in(past(function, i), load) && place_of(function, i) == place)
            return true;
    return false;
}

static bool is_skipped_in_code(const struct compiled_branch *branches, uint32_t count,
                               uint32_t access, uint64_t place) {
    for (uint32_t b = 0; b < count; b++)
        if (branches[b].place == place && access >= branches[b].first && access < branches[b].end)
            return true;
    return false;
}

// All loads of the place are, and there are some.
static bool is_behind(const struct compiled_code *code, const char *kernel, uint64_t load,
                      uint64_t branch) {
    uint32_t access_count, branch_count;
    const struct compiled_access *accesses = compiled_code_accesses(code, kernel, &access_count);
    const struct compiled_branch *branches = compiled_code_branches(code, kernel, &branch_count);
    bool is_any = false;
    for (uint32_t a = 0; a < access_count; a++) {
        if (accesses[a].op != SITE_LOAD || accesses[a].place != load)
            continue;
        if (!is_skipped_in_code(branches, branch_count, a, branch))
            return false;
        is_any = true;
    }
    return is_any;
}

// The line of a branch at this place that PTX has behind the load, and that goes past all that
// becomes of it; 0: there is none.
static uint32_t find_branch(const struct ir_function *function, uint32_t load, uint64_t place) {
    struct range uses = {0};
    for (uint32_t i = load + 1; i < function->instruction_count; i++) {
        const struct range range = past(function, i);
        const struct ptx_location *at = ir_location(function, function->instructions[i].location);
        if (!range.end || !at || !at->line || place_of(function, i) != place)
            continue;
        if (!uses.end)
            uses = uses_of(function, load);
        if (uses.end && uses.first >= range.first && uses.end <= range.end)
            return is_skipped_in_ptx(function, load, place) ? 0 : at->line;
    }
    return 0;
}

static uint32_t moved_behind(const struct compiled_code *code, const char *kernel,
                             const struct ir_kernel_site *site) {
    const uint32_t load = site->site->instruction;
    const uint64_t place = place_of(site->function, load);
    uint32_t access_count, branch_count, first = 0, line = 0;
    const struct compiled_access *accesses = compiled_code_accesses(code, kernel, &access_count);
    const struct compiled_branch *branches = compiled_code_branches(code, kernel, &branch_count);
    while (first < access_count &&
           (accesses[first].op != SITE_LOAD || accesses[first].place != place))
        first++;
    for (uint32_t b = 0; first < access_count && b < branch_count && !line; b++)
        if (first >= branches[b].first && first < branches[b].end && branches[b].place != place &&
            is_behind(code, kernel, place, branches[b].place))
            line = find_branch(site->function, load, branches[b].place);
    return line;
}

uint32_t *compiled_moved(const struct compiled_code *code, const struct ir_function *kernel) {
    uint32_t count;
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &count);
    uint32_t *moved = base_alloc((count + 1) * sizeof *moved);
    for (uint32_t s = 0; s < count; s++)
        if (combine_may(&sites[s]) && sites[s].site->op == SITE_LOAD)
            moved[s] = moved_behind(code, kernel->name, &sites[s]);
    free(sites);
    return moved;
}
