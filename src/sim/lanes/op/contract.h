// Additions and subtractions that became fused multiply-adds (ir/contract.c): select functions for
// the files that hold the plain ones.
#ifndef BANKRUN_SIM_LANES_OP_CONTRACT_H
#define BANKRUN_SIM_LANES_OP_CONTRACT_H

#include "sim/exec.h"

// 0: a * b + c, 1: c - a * b, 2: a * b - c, 3: -(a * b) - c
static inline unsigned contract_signs(const struct ir_instruction *ir) {
    return ir->negates_product + 2u * ir->negates_addend;
}

bool SIM_NAME(op_contract_f32)(const struct ir_instruction *ir, struct sim_instr *out);
bool SIM_NAME(op_contract_f64)(const struct ir_instruction *ir, struct sim_instr *out);

#endif
