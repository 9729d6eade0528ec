// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_TEXTURE_CALLS_H
#define BANKRUN_CUDA_TEXTURE_CALLS_H

#include "cuda/core/state.h"
#include "cuda/texture/texture.h"

enum cuda_error cuda_object_destroy(struct cuda_state *state, uint64_t number, bool is_surface);
enum cuda_error cuda_get_texture_object_resource_desc(struct cuda_state *state,
                                                      struct cuda_resource *out, uint64_t number);
enum cuda_error cuda_get_texture_object_resource_view_desc(struct cuda_state *state,
                                                           struct cuda_view *out, uint64_t number);
enum cuda_error cuda_create_surface_object(struct cuda_state *state, uint64_t *number,
                                           const struct cuda_resource *resource);
enum cuda_error cuda_get_surface_object_resource_desc(struct cuda_state *state,
                                                      struct cuda_resource *out, uint64_t number);
enum cuda_error cuda_device_get_texture_1d_linear_max_width(struct cuda_state *state, size_t *width,
                                                            const struct cuda_channel *channel,
                                                            int device);

#endif
