// What a program copied back to the host: how often, how much and which bytes, so that two runs can
// be compared without keeping any of it (bankrun fix).
#ifndef BANKRUN_CUDA_MEMORY_RETURNED_H
#define BANKRUN_CUDA_MEMORY_RETURNED_H

#include "cuda/memory/copy.h"

// At the start of the file that BANKRUN_RETURNED names, which is mapped, so that it is right
// however the process ends.
struct cuda_returned {
    uint64_t copies, bytes;
    uint64_t sum; // of the copies' hashes: streams may order them as they like
};

// A copy that was made. Lock held.
void cuda_returned_add(struct cuda_state *state, const struct cuda_copy *copy);

#endif
