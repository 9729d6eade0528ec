// Fills of memory. All calls come down to rows and slices of elements.
#ifndef BANKRUN_CUDA_MEMORY_FILL_H
#define BANKRUN_CUDA_MEMORY_FILL_H

#include "cuda/core/state.h"

// `height` rows in each of `depth` slices, each slice `slice_rows` rows after the one before.
struct cuda_fill {
    char *at;
    size_t pitch, width, height, depth, slice_rows; // width: elements of a row
    unsigned value, element;                        // bytes of an element: 1, 2 or 4
    cuda_stream stream;
};

// A whole call that queues.
enum cuda_error cuda_fill(struct cuda_state *state, const struct cuda_fill *fill);

// Lock held, device made. may_wait: memory of a graph need not be there yet.
enum cuda_error cuda_fill_check(const struct cuda_state *state, const struct cuda_fill *fill,
                                bool may_wait);
void cuda_fill_run(struct sim *sim, const struct cuda_fill *fill);

#endif
