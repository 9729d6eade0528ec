// Arithmetic that rounds towards zero, minus or plus infinity: select functions for the files that
// hold the same operations rounded to nearest.
#ifndef BANKRUN_SIM_LANES_OP_FLOAT_ROUND_H
#define BANKRUN_SIM_LANES_OP_FLOAT_ROUND_H

#include "sim/exec.h"

#define OP_ROUND(name)                                                                             \
    bool SIM_NAME(op_round_##name)(const struct ir_instruction *ir, struct sim_instr *out);
OP_ROUND(add_f32)
OP_ROUND(sub_f32)
OP_ROUND(mul_f32)
OP_ROUND(fma_f32)
OP_ROUND(div_f32)
OP_ROUND(rcp_f32)
OP_ROUND(sqrt_f32)
OP_ROUND(add_f64)
OP_ROUND(sub_f64)
OP_ROUND(mul_f64)
OP_ROUND(fma_f64)
OP_ROUND(div_f64)
OP_ROUND(rcp_f64)
OP_ROUND(sqrt_f64)
#undef OP_ROUND

#endif
