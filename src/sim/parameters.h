// A launch's own copy of its parameters, in which kernels may take the address of a parameter.
#ifndef BANKRUN_SIM_PARAMETERS_H
#define BANKRUN_SIM_PARAMETERS_H

#include "sim/sim_internal.h"

struct sim_parameters {
    uint8_t *data;
    uint64_t mapped; // bytes of a mapping; 0: data is on the heap
};

// False: there is no room for them, which the result says.
bool sim_parameters_copy(const struct sim_kernel *kernel, const void *from,
                         struct sim_parameters *parameters, struct sim_result *result);
void sim_parameters_free(struct sim_parameters *parameters);

#endif
