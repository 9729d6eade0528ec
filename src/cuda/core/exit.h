// The end of the process: the profile is written, also when a signal or a crash ends it.
#ifndef BANKRUN_CUDA_CORE_EXIT_H
#define BANKRUN_CUDA_CORE_EXIT_H

struct cuda_state;

// SIGINT, SIGTERM, SIGHUP, SIGQUIT and the signals of crashes, where the program left them alone,
// stop a running kernel and write the profile of what ran; then the process dies of the signal.
// Lock held.
void cuda_watch_signals(struct cuda_state *state);

#endif
