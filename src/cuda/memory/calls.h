// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_MEMORY_CALLS_H
#define BANKRUN_CUDA_MEMORY_CALLS_H

#include "cuda/memory/array.h"

// array.c
enum cuda_error cuda_malloc_3d_array(struct cuda_state *state, struct cuda_array **array,
                                     const struct cuda_channel *channel, struct cuda_extent extent,
                                     unsigned flags);
enum cuda_error cuda_malloc_mipmapped_array(struct cuda_state *state, struct cuda_array **mipmap,
                                            const struct cuda_channel *channel,
                                            struct cuda_extent extent, unsigned levels,
                                            unsigned flags);
enum cuda_error cuda_free_array(struct cuda_state *state, void *array);
enum cuda_error cuda_free_mipmapped_array(struct cuda_state *state, void *mipmap);
enum cuda_error cuda_get_mipmapped_array_level(struct cuda_state *state, struct cuda_array **level,
                                               const void *mipmap, unsigned number);
enum cuda_error cuda_array_get_info(struct cuda_state *state, struct cuda_channel *channel,
                                    struct cuda_extent *extent, unsigned *flags, const void *array);
enum cuda_error cuda_get_channel_desc(struct cuda_state *state, struct cuda_channel *channel,
                                      const void *array);

// array_copy.c: copies where arrays take part.
struct cuda_side {     // memory, or an array from a place on
    const void *array; // NULL when it is memory
    struct cuda_position position;
    void *memory;
    size_t pitch;
    bool is_array;
};
struct cuda_side cuda_memory_side(const void *memory, size_t pitch);
struct cuda_side cuda_array_side(const void *array, size_t x, size_t y);
enum cuda_error cuda_copy_sides(struct cuda_state *state, struct cuda_side target,
                                struct cuda_side source, size_t width, size_t height,
                                enum cuda_memcpy_kind kind, cuda_stream stream, bool is_queued);
// A run of bytes, over as many rows as it takes.
enum cuda_error cuda_copy_run_of_sides(struct cuda_state *state, struct cuda_side target,
                                       struct cuda_side source, size_t bytes,
                                       enum cuda_memcpy_kind kind, cuda_stream stream,
                                       bool is_queued);

// host.c
enum cuda_error cuda_host_allocate(struct cuda_state *state, void **pointer, size_t bytes,
                                   unsigned flags);
enum cuda_error cuda_free_host(struct cuda_state *state, void *pointer);
enum cuda_error cuda_host_register(struct cuda_state *state, void *pointer, size_t bytes,
                                   unsigned flags);
enum cuda_error cuda_host_unregister(struct cuda_state *state, void *pointer);
enum cuda_error cuda_host_get_device_pointer(struct cuda_state *state, void **device, void *host,
                                             unsigned flags);
enum cuda_error cuda_host_get_flags(struct cuda_state *state, unsigned *flags, void *host);

// ipc.c: memory of other processes
enum cuda_error cuda_ipc_get_mem_handle(struct cuda_state *state, struct cuda_ipc_handle *handle,
                                        void *pointer);
enum cuda_error cuda_ipc_open_mem_handle(struct cuda_state *state, void **pointer,
                                         const struct cuda_ipc_handle *handle, unsigned flags);
enum cuda_error cuda_ipc_close_mem_handle(struct cuda_state *state, void *pointer);
// Whether there may be a handle of the allocation.
bool cuda_ipc_is_capable(const struct cuda_state *state, const struct sim_allocation *allocation);

// managed.c
enum cuda_error cuda_malloc_managed(struct cuda_state *state, void **pointer, size_t bytes,
                                    unsigned flags);
enum cuda_error cuda_stream_attach_mem_async(struct cuda_state *state, cuda_stream stream,
                                             void *pointer, size_t bytes, unsigned flags);

// memcpy.c
enum cuda_error cuda_memcpy(struct cuda_state *state, void *target, const void *source,
                            size_t bytes, enum cuda_memcpy_kind kind, cuda_stream stream,
                            bool is_queued);
enum cuda_error cuda_memcpy_2d(struct cuda_state *state, void *target, size_t target_pitch,
                               const void *source, size_t source_pitch, size_t width, size_t height,
                               enum cuda_memcpy_kind kind, cuda_stream stream, bool is_queued);
enum cuda_error cuda_copy_peer(struct cuda_state *state, void *target, int target_device,
                               const void *source, int source_device, size_t bytes,
                               cuda_stream stream, bool is_queued);
enum cuda_error cuda_copy_3d(struct cuda_state *state, const struct cuda_memcpy_3d *p,
                             cuda_stream stream, bool is_queued);
enum cuda_error cuda_copy_3d_peer(struct cuda_state *state, const struct cuda_memcpy_3d_peer *p,
                                  cuda_stream stream, bool is_queued);

// memory.c
enum cuda_error cuda_malloc(struct cuda_state *state, void **pointer, size_t bytes);
enum cuda_error cuda_free(struct cuda_state *state, void *pointer);
enum cuda_error cuda_malloc_pitch(struct cuda_state *state, void **pointer, size_t *pitch,
                                  size_t width, size_t height);
enum cuda_error cuda_malloc_3d(struct cuda_state *state, struct cuda_pitched *pitched,
                               struct cuda_extent extent);
enum cuda_error cuda_mem_get_info(struct cuda_state *state, size_t *free_bytes,
                                  size_t *total_bytes);
// The same of any device, which need not be made, for who only looks on. Without the lock.
void cuda_peek_memory(struct cuda_state *state, const struct cuda_device *device,
                      uint64_t *free_bytes, uint64_t *total_bytes);
enum cuda_error cuda_fill_bytes(struct cuda_state *state, void *at, size_t pitch, int value,
                                size_t width, size_t height, size_t depth, size_t slice_rows,
                                cuda_stream stream);

// pool.c
enum cuda_error cuda_pool_allocate(struct cuda_state *state, void **pointer, size_t bytes,
                                   cuda_pool asked, bool has_pool, cuda_stream stream);
enum cuda_error cuda_free_async(struct cuda_state *state, void *pointer, cuda_stream stream);
enum cuda_error cuda_device_get_default_mem_pool(struct cuda_state *state, cuda_pool *pool,
                                                 int device);
enum cuda_error cuda_device_get_mem_pool(struct cuda_state *state, cuda_pool *pool, int device);
enum cuda_error cuda_device_set_mem_pool(struct cuda_state *state, int device, cuda_pool pool);
enum cuda_error cuda_mem_pool_create(struct cuda_state *state, cuda_pool *pool,
                                     const struct cuda_pool_properties *properties);
enum cuda_error cuda_mem_pool_destroy(struct cuda_state *state, cuda_pool pool);
enum cuda_error cuda_mem_pool_get_attribute(struct cuda_state *state, cuda_pool pool, int attribute,
                                            void *value);
enum cuda_error cuda_mem_pool_set_attribute(struct cuda_state *state, cuda_pool pool, int attribute,
                                            void *value);
enum cuda_error cuda_pool_look_at(struct cuda_state *state, cuda_pool pool);
enum cuda_error cuda_mem_pool_set_access(struct cuda_state *state, cuda_pool pool,
                                         const struct cuda_access *access, size_t count);
enum cuda_error cuda_mem_pool_get_access(struct cuda_state *state, int *flags, cuda_pool pool,
                                         const struct cuda_location *location);

// `device` is one that must exist, or below 0: the host.
enum cuda_error cuda_prefetch(struct cuda_state *state, const void *pointer, size_t bytes,
                              int device, cuda_stream stream);
enum cuda_error cuda_advise(struct cuda_state *state, const void *pointer, size_t bytes, int advice,
                            int device);
enum cuda_error cuda_pointer_attributes(struct cuda_state *state,
                                        struct cuda_pointer_attributes *out, const void *pointer);

#endif
