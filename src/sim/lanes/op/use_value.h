// For select functions that look at more than value.def does.
#ifndef BANKRUN_SIM_LANES_OP_USE_VALUE_H
#define BANKRUN_SIM_LANES_OP_USE_VALUE_H

#include "ir/form.h"
#include "sim/lanes/lanes.h"

// In instr->extra of rows that are formed.
struct lanes_formed {
    struct ir_form form;
    sim_ref four[4]; // of a vector, the elements
};

// Makes the handlers of the instruction's row of value.def its handlers. False: it has no row.
bool SIM_NAME(op_use_value)(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_instr *out);

#endif
