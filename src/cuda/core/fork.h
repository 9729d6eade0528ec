// Children that the program makes by fork().
//
// As on a GPU, a child of a process that used CUDA cannot: its calls return
// cudaErrorInitializationError. Nor does it take the lock, which a thread may have held that the
// child does not have, or touch what it would have to free. A child of a process that has not used
// CUDA yet may, like any other process.
#ifndef BANKRUN_CUDA_CORE_FORK_H
#define BANKRUN_CUDA_CORE_FORK_H

struct cuda_state;

// Once, when the state is set up. Sets state->is_forked in children.
void cuda_watch_forks(struct cuda_state *state);

// Tells the user why calls fail in a forked child, the first time.
void cuda_say_forked(const struct cuda_state *state);

#endif
