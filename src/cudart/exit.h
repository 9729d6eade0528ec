// The end of the process: the profile is written, also when a signal or a crash ends it.
#ifndef BANKRUN_CUDART_EXIT_H
#define BANKRUN_CUDART_EXIT_H

struct cudart_state;

// SIGINT, SIGTERM and the signals of crashes, where the program left them alone, stop a running
// kernel and write the profile of what ran; then the process dies of the signal. Lock held.
void cudart_watch_signals(struct cudart_state *state);

#endif
