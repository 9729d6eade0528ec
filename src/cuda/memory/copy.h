// Copies between any two places. All calls come down to one copy of rows and slices.
#ifndef BANKRUN_CUDA_MEMORY_COPY_H
#define BANKRUN_CUDA_MEMORY_COPY_H

#include "cuda/core/state.h"

struct cuda_place {
    char *at;
    size_t pitch;      // from one row to the next
    size_t slice_rows; // from one slice to the next
};

struct cuda_copy {
    struct cuda_place target, source;
    struct cuda_extent extent; // bytes of a row, rows, slices
    enum cuda_memcpy_kind kind;
    cuda_stream stream;
    bool is_queued;                     // an asynchronous call
    const struct cuda_memcpy_3d *asked; // by the program; NULL: what it asked for is the above
};

// A whole call.
enum cuda_error cuda_copy(struct cuda_state *state, const struct cuda_copy *copy);
// Lock held, device made. may_wait: memory of a graph need not be there yet.
enum cuda_error cuda_copy_check(const struct cuda_state *state, const struct cuda_copy *copy,
                                bool may_wait);
void cuda_copy_run(struct sim *sim, const struct cuda_copy *copy);
// All but entering and leaving; lock held, device made.
enum cuda_error cuda_copy_locked(struct cuda_state *state, const struct cuda_copy *copy,
                                 bool is_lost);

#endif
