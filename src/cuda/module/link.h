// The linker of the driver API. Whole calls, lock held.
#ifndef BANKRUN_CUDA_MODULE_LINK_H
#define BANKRUN_CUDA_MODULE_LINK_H

#include "cuda/core/state.h"
#include "cuda/module/library.h"

struct cuda_link;

enum cuda_error cuda_link_create(struct cuda_state *state, unsigned count, int *options,
                                 void **values, struct cuda_link **link);
// `jit`: what counts for this input alone, and before what the link was created with.
enum cuda_error cuda_link_add(struct cuda_state *state, struct cuda_link *link, int type,
                              const void *data, size_t bytes, const struct cuda_jit *jit);
enum cuda_error cuda_link_add_file(struct cuda_state *state, struct cuda_link *link, int type,
                                   const char *path, const struct cuda_jit *jit);
enum cuda_error cuda_link_complete(struct cuda_state *state, struct cuda_link *link, void **image,
                                   size_t *bytes);
enum cuda_error cuda_link_destroy(struct cuda_state *state, struct cuda_link *link);

#endif
