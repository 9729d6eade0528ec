// Matrices that are read from shared memory by their descriptors.
#include <string.h>

#include "ir/ir.h"
#include "ptx/facts.h"

bool ir_is_like(const struct ir_instruction *instruction, enum ptx_isa isa) {
    return !strcmp(ptx_isa_row(instruction->ptx->isa)->opcode, ptx_isa_row(isa)->opcode);
}

bool ir_is_async_product(const struct ir_instruction *instruction) {
    return ir_is_like(instruction, PTX_ISA_wgmma_half) ||
           ir_is_like(instruction, PTX_ISA_tcgen05_any);
}

bool ir_has_async_products(const struct ir_function *function) {
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (ir_is_async_product(&function->instructions[i]))
            return true;
    return false;
}
