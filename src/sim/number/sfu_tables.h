// Tables of the special function unit: see sim/lanes/op/sfu.h.
#ifndef BANKRUN_SIM_NUMBER_SFU_TABLES_H
#define BANKRUN_SIM_NUMBER_SFU_TABLES_H

#include <stdint.h>

// A segment: the polynomial's value, slope and curvature at its beginning, each in a unit of its
// own that is fixed for the function.
struct sim_sfu_row {
    int32_t value, slope, curvature;
};

extern const struct sim_sfu_row sim_sfu_rcp[128];
extern const struct sim_sfu_row sim_sfu_rsq[128];
extern const struct sim_sfu_row sim_sfu_sqrt[128];
extern const struct sim_sfu_row sim_sfu_ex2[64];
extern const struct sim_sfu_row sim_sfu_lg2[64];
extern const struct sim_sfu_row sim_sfu_sin[64];
extern const struct sim_sfu_row sim_sfu_tanh[51];

#endif
