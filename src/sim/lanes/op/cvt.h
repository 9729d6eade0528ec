// cvt: what the files that hold conversions share.
#ifndef BANKRUN_SIM_LANES_OP_CVT_H
#define BANKRUN_SIM_LANES_OP_CVT_H

#include "sim/lanes/lanes.h"
#include "ir/number/convert.h"

// What the instruction asks for; lane widths of its registers.
struct cvt {
    struct num_conversion number;
    unsigned from_lane, to_lane;
};

// From and to halves, with vector code. False: there is none; `out` is as it was.
bool SIM_NAME(op_cvt_half)(const struct cvt *cvt, struct sim_instr *out);

#endif
