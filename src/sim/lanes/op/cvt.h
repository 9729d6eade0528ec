// cvt: select functions for the files that hold the conversions with vector code. Each returns
// false when it has none for the instruction, and leaves `out` as it was.
#ifndef BANKRUN_SIM_LANES_OP_CVT_H
#define BANKRUN_SIM_LANES_OP_CVT_H

#include "sim/lanes/lanes.h"
#include "sim/number/convert.h"

// What the instruction asks for; lane widths of its registers.
struct cvt {
    struct num_conversion number;
    unsigned from_lane, to_lane;
};

bool SIM_NAME(op_cvt_int_int)(const struct cvt *cvt, struct sim_instr *out);
bool SIM_NAME(op_cvt_int_float)(const struct cvt *cvt, struct sim_instr *out);
bool SIM_NAME(op_cvt_float_int)(const struct cvt *cvt, struct sim_instr *out);
bool SIM_NAME(op_cvt_float_float)(const struct cvt *cvt, struct sim_instr *out);

#endif
