// What was counted, handed over to bankrun while the program runs (handover/handover.h). Nothing
// happens here where no bankrun started the program.
#ifndef BANKRUN_CUDA_CORE_HAND_OVER_H
#define BANKRUN_CUDA_CORE_HAND_OVER_H

#include <stdbool.h>

#include "run/launch.h"

struct cuda_state;

// Reads the environment once, before the program's main. False: bankrun's memory cannot be reached,
// which was said.
bool cuda_hand_over_set_up(void);
// Does bankrun wait for what this process counts?
bool cuda_hands_over(void);

// Waits until bankrun ends, where it follows all processes. True: it was killed.
bool cuda_hand_over_is_lost(void);

// Lock held, in what follows.
// The profile is a new one: launches that are recorded in it are handed over from now on.
void cuda_hand_over_profile(struct profile *profile);
// What is not in its launches has changed.
void cuda_hand_over_head(const struct profile *profile);
// The profile begins anew.
void cuda_hand_over_restart(const struct profile *profile);
// The launch begins; it has ended.
void cuda_hand_over_launching(const struct run_launch *launch);
void cuda_hand_over_landed(void);
// A signal ends the process soon. Safe in its handler.
void cuda_hand_over_ending(void);
// No more comes. `signal`: that ends the process; 0: none.
void cuda_hand_over_end(int signal);

// What keeps the program from being simulated, for bankrun's own report. Without the lock, too.
void cuda_hand_over_note(const char *text);
// What could not be written, so that bankrun ends with an error.
void cuda_hand_over_failure(const char *text);

#endif
