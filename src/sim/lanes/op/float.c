// Single- and double-precision numbers: rows of value.def, and what is contracted or rounded
// otherwise.
#include "sim/lanes/op/contract.h"
#include "sim/lanes/op/float_round.h"
#include "sim/lanes/op/test.h"
#include "sim/lanes/op/use_value.h"

#include "ir/value/float.def"

// Without a row it rounds otherwise than to nearest.
#define SELECT_ROUNDED(name)                                                                       \
    LANES_SELECT(name) {                                                                           \
        return SIM_NAME(op_use_value)(decoder, ir, out) || SIM_NAME(op_round_##name)(ir, out);     \
    }
#define SELECT_SUM(name, type)                                                                     \
    LANES_SELECT(name) {                                                                           \
        return ir->is_contracted ? SIM_NAME(op_contract_##type)(ir, out)                           \
                                 : SIM_NAME(op_use_value)(decoder, ir, out) ||                     \
                                       SIM_NAME(op_round_##name)(ir, out);                         \
    }
SELECT_SUM(add_f32, f32)
SELECT_SUM(sub_f32, f32)
SELECT_SUM(add_f64, f64)
SELECT_SUM(sub_f64, f64)
SELECT_ROUNDED(mul_f32)
SELECT_ROUNDED(fma_f32)
SELECT_ROUNDED(div_f32)
SELECT_ROUNDED(rcp_f32)
SELECT_ROUNDED(sqrt_f32)
SELECT_ROUNDED(mul_f64)
SELECT_ROUNDED(fma_f64)
SELECT_ROUNDED(div_f64)
SELECT_ROUNDED(rcp_f64)
SELECT_ROUNDED(sqrt_f64)
