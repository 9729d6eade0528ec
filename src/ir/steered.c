// Whether what a kernel reads decides what it does: which memory it accesses, or which way it goes.
// If not, it makes the same accesses however quick other blocks are, even where it races with them.
//
// What was read is followed through registers, and through shared and local memory as a whole.
#include <stdlib.h>

#include "ir/address.h"
#include "ir/build.h"
#include "ptx/facts.h"

struct steering {
    const struct ir_function *function;
    bool *read;      // registers made of what was read from memory that other blocks may write
    bool block_read; // so is what the block's own memory holds
    bool grows, is_steered, writes;
    bool reads_some, sets_some; // of the instruction: registers made of it; any register
};

static void look(void *context, uint32_t reg, bool is_written) {
    struct steering *s = context;
    s->sets_some |= is_written;
    s->reads_some |= !is_written && s->read[reg];
}

static void mark(void *context, uint32_t reg, bool is_written) {
    struct steering *s = context;
    s->grows |= is_written && !s->read[reg];
    s->read[reg] |= is_written;
}

static bool is_own(enum ptx_space space) {
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
}

// Memory that no kernel writes, or not while this one runs.
static bool is_constant(const struct ir_instruction *instruction, enum ptx_space space) {
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    return space == PTX_SPACE_PARAM || space == PTX_SPACE_CONST || PTX_HAS(instruction->ptx, nc) ||
           access == PTX_ACCESS_TEXTURE || access == PTX_ACCESS_TEXTURE_GATHER;
}

static bool has_read_address(const struct steering *s, const struct ir_instruction *instruction) {
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        const struct ir_operand *operand = &instruction->operands[o];
        if (operand->kind == IR_OPERAND_ADDRESS && operand->reg != IR_NONE && s->read[operand->reg])
            return true;
    }
    return false;
}

static bool is_guarded_by_read(const struct steering *s, const struct ir_instruction *instruction) {
    return instruction->guard != IR_NONE && s->read[instruction->guard];
}

static void follow_access(struct steering *s, const struct ir_instruction *instruction) {
    const enum ptx_space space = ir_access_space(instruction);
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    s->is_steered |= has_read_address(s, instruction) || is_guarded_by_read(s, instruction);
    s->writes |= !s->sets_some && !is_own(space);
    const bool is_copy = access == PTX_ACCESS_ASYNC_COPY || access == PTX_ACCESS_BULK_COPY;
    if ((is_copy || (!s->sets_some && s->reads_some && space != PTX_SPACE_GLOBAL)) &&
        !s->block_read)
        s->block_read = s->grows = true;
    if (!is_constant(instruction, space) && (!is_own(space) || s->block_read))
        ir_visit_registers(instruction, mark, s);
}

static void follow(struct steering *s, const struct ir_instruction *instruction) {
    s->reads_some = s->sets_some = false;
    ir_visit_registers(instruction, look, s);
    if (ptx_access_of(instruction->ptx) != PTX_ACCESS_NONE)
        follow_access(s, instruction);
    else if (s->reads_some && s->sets_some)
        ir_visit_registers(instruction, mark, s);
    else
        s->is_steered |= s->reads_some;
}

bool ir_is_steered(const struct ir_function *kernel) {
    uint32_t functions;
    free(ir_reachable(kernel, &functions));
    if (functions > 1)
        return true; // it is not followed through calls
    struct steering s = {.function = kernel, .grows = true};
    s.read = base_alloc((kernel->register_count + 1) * sizeof *s.read);
    while (s.grows && !s.is_steered) {
        s.grows = false;
        for (uint32_t i = 0; i < kernel->instruction_count; i++)
            follow(&s, &kernel->instructions[i]);
    }
    free(s.read);
    return s.is_steered && s.writes;
}
