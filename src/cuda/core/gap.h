// What a program asked for and did not get, or that went wrong outside of launches: the profile
// says that it is not of all that the program does.
#ifndef BANKRUN_CUDA_CORE_GAP_H
#define BANKRUN_CUDA_CORE_GAP_H

#include "cuda/core/state.h"

// Lock held, in all of them.
void cuda_gap(struct cuda_state *state, enum profile_gap_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Says so on stderr, too.
void cuda_say_gap(struct cuda_state *state, enum profile_gap_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
