// Lane code of floating-point instructions that have no row of value.def.
#ifndef BANKRUN_SIM_LANES_OP_FLOAT_H
#define BANKRUN_SIM_LANES_OP_FLOAT_H

#include "ir/value_float.h"
#include "sim/lanes/lanes.h"

#endif
