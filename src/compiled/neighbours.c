// Which accesses the code generator can know to be neighbours: those whose addresses are constants
// away from one base.
#include <stdlib.h>

#include "base/alloc.h"
#include "compiled/plan.h"
#include "ptx/facts.h"

enum { NEVER };
#define SEVERAL UINT32_MAX

// What is asked of a function once for all of its accesses.
struct neighbours {
    const struct ir_function *function;
    uint32_t *setter;   // of each register: 1 + the instruction that sets it; NEVER, SEVERAL
    uint32_t *barriers; // before each instruction
};

struct neighbours *neighbours_create(void) {
    return base_alloc(sizeof(struct neighbours));
}

static void forget(struct neighbours *n) {
    free(n->setter);
    free(n->barriers);
    *n = (struct neighbours){0};
}

void neighbours_free(struct neighbours *neighbours) {
    forget(neighbours);
    free(neighbours);
}

static void note_set(struct neighbours *n, uint32_t reg, uint32_t instruction) {
    if (reg != IR_NONE && n->setter[reg] != instruction + 1)
        n->setter[reg] = n->setter[reg] == NEVER ? instruction + 1 : SEVERAL;
}

static void note_result(struct neighbours *n, const struct ir_operand *result, uint32_t number) {
    if (result->kind == IR_OPERAND_VECTOR)
        for (uint32_t e = 0; e < result->element_count; e++)
            note_result(n, &result->elements[e], number);
    if (result->kind != IR_OPERAND_REGISTER)
        return;
    note_set(n, result->reg, number);
    note_set(n, result->pair, number);
}

static void look_at(struct neighbours *n, const struct ir_function *function) {
    if (n->function == function)
        return;
    forget(n);
    n->function = function;
    n->setter = base_alloc((function->register_count + 1) * sizeof *n->setter);
    n->barriers = base_alloc((function->instruction_count + 1) * sizeof *n->barriers);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ir_instruction *instruction = &function->instructions[i];
        n->barriers[i + 1] = n->barriers[i] + ptx_is(instruction->ptx, PTX_FACT_SYNCS);
        if (instruction->operand_count)
            note_result(n, &instruction->operands[0], i);
    }
}

// The only instruction that sets the register; NULL: there are none or several.
static const struct ir_instruction *definition(const struct neighbours *n, uint32_t reg) {
    const uint32_t setter = n->setter[reg];
    return setter == NEVER || setter == SEVERAL ? NULL : &n->function->instructions[setter - 1];
}

static bool sets(const struct ir_operand *result, uint32_t reg) {
    if (result->kind == IR_OPERAND_VECTOR)
        for (uint32_t e = 0; e < result->element_count; e++)
            if (sets(&result->elements[e], reg))
                return true;
    return result->kind == IR_OPERAND_REGISTER && (result->reg == reg || result->pair == reg);
}

// The base of addresses that are known when the code is made.
#define SYMBOLS (IR_NONE - 1)

// What an address is a constant away from; *distance tells addresses of one base apart.
static uint32_t base_of(const struct neighbours *n, const struct ir_operand *address,
                        uint64_t *distance) {
    uint32_t reg = address->reg;
    *distance = address->value + (reg == IR_NONE ? (uintptr_t)address->variable : 0);
    for (int steps = 0; reg != IR_NONE && steps < 8; steps++) {
        const struct ir_instruction *set = definition(n, reg);
        if (set && ptx_is(set->ptx, PTX_FACT_COPY) && set->operands[1].kind == IR_OPERAND_SYMBOL) {
            *distance += set->operands[1].value + (uintptr_t)set->operands[1].variable;
            return SYMBOLS;
        }
        bool is_sum = set && set->ptx->isa == PTX_ISA_add_int &&
                      set->operands[1].kind == IR_OPERAND_REGISTER &&
                      set->operands[2].kind == IR_OPERAND_IMMEDIATE;
        if (!is_sum)
            return reg;
        reg = set->operands[1].reg;
        *distance += set->operands[2].value;
    }
    return reg == IR_NONE ? SYMBOLS : reg;
}

// How often the block has set the register before.
static uint64_t sets_before(const struct neighbours *n, uint32_t reg, uint32_t instruction) {
    const struct ir_block *block = &n->function->blocks[ir_block_of(n->function, instruction)];
    uint64_t count = 0;
    for (uint32_t i = block->first; i < instruction; i++)
        count += n->function->instructions[i].operand_count &&
                 sets(&n->function->instructions[i].operands[0], reg);
    return count;
}

uint64_t neighbours_group(struct neighbours *n, const struct ir_kernel_site *site,
                          uint64_t *distance) {
    const uint32_t number = site->site->instruction;
    look_at(n, site->function);
    const struct ir_instruction *access = &n->function->instructions[number];
    const struct ir_operand *address = NULL;
    for (uint32_t o = 0; o < access->operand_count; o++)
        if (access->operands[o].kind == IR_OPERAND_ADDRESS)
            address = &access->operands[o];
    if (!address)
        return 0;
    uint32_t base = base_of(n, address, distance);
    bool is_one = base == SYMBOLS || definition(n, base);
    uint64_t part = is_one ? n->barriers[number] : 1u << 20 | ir_block_of(n->function, number);
    uint64_t times = is_one ? 0 : sets_before(n, base, number);
    return 1 + (part << 42 | (uint64_t)site->site->op << 41 | (times & 0x1ff) << 32 | base);
}
