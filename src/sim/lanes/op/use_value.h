// For select functions that look at more than value.def does.
#ifndef BANKRUN_SIM_LANES_OP_USE_VALUE_H
#define BANKRUN_SIM_LANES_OP_USE_VALUE_H

#include "sim/lanes/lanes.h"

// Makes the handlers of the instruction's row of value.def its handlers. False: it has no row.
bool SIM_NAME(op_use_value)(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_instr *out);

#endif
