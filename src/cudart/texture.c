// Texture and surface objects.
#include "cuda/texture/calls.h"
#include "cudart/call.h"

// ---- Textures -----------------------------------------------------------------------------

CUDART_CALL(cudaGetTextureObjectResourceDesc(struct cuda_resource *out, uint64_t number),
            cuda_get_texture_object_resource_desc(state, out, number))
CUDART_CALL(cudaGetTextureObjectResourceViewDesc(struct cuda_view *out, uint64_t number),
            cuda_get_texture_object_resource_view_desc(state, out, number))
CUDART_CALL(cudaDestroyTextureObject(uint64_t number), cuda_object_destroy(state, number, false))

// ---- Surfaces -----------------------------------------------------------------------------

CUDART_CALL(cudaCreateSurfaceObject(uint64_t *number, const struct cuda_resource *resource),
            cuda_create_surface_object(state, number, resource))
CUDART_CALL(cudaDestroySurfaceObject(uint64_t number), cuda_object_destroy(state, number, true))
CUDART_CALL(cudaGetSurfaceObjectResourceDesc(struct cuda_resource *out, uint64_t number),
            cuda_get_surface_object_resource_desc(state, out, number))

CUDART_TELL(cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cuda_channel *channel,
                                                 int device),
            cuda_device_get_texture_1d_linear_max_width(state, width, channel, device))
