// Inside the prover: proofs for launches with a parameter within limits.
#ifndef BANKRUN_PROVE_CONDITIONS_H
#define BANKRUN_PROVE_CONDITIONS_H

#include "prove/prove.h"

// prove.c: as prove_kernel without conditions. With an assumption: for launches of which it holds,
// and of the wanted sites (a flag for each) only whether they stay in their arrays.
struct prove_result *prove_assuming(const struct ir_function *kernel,
                                    const struct prove_launch *launch,
                                    const struct prove_assumption *assumption, const bool *wanted);

// Accesses that are not proved to stay in their arrays do under a condition, if one is found.
void prove_conditions(const struct ir_function *kernel, const struct prove_launch *launch,
                      struct prove_result *result);

#endif
