// Virtual memory management: addresses and memory apart. Whole calls, lock held.
#ifndef BANKRUN_CUDA_MEMORY_VIRTUAL_H
#define BANKRUN_CUDA_MEMORY_VIRTUAL_H

#include "cuda/core/state.h"

struct cuda_physical_properties { // CUmemAllocationProp
    int type, handle_types;
    struct cuda_location location;
    void *windows;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
};

// Addresses.
enum cuda_error cuda_virtual_reserve(struct cuda_state *state, unsigned long long *pointer,
                                     size_t bytes, size_t alignment, uint64_t wish, uint64_t flags);
enum cuda_error cuda_virtual_free(struct cuda_state *state, uint64_t pointer, size_t bytes);
enum cuda_error cuda_virtual_map(struct cuda_state *state, uint64_t pointer, size_t bytes,
                                 size_t offset, uint64_t handle, uint64_t flags);
enum cuda_error cuda_virtual_unmap(struct cuda_state *state, uint64_t pointer, size_t bytes);
enum cuda_error cuda_virtual_set_access(struct cuda_state *state, uint64_t pointer, size_t bytes,
                                        const struct cuda_access *descriptions, size_t count);
enum cuda_error cuda_virtual_tell_access(struct cuda_state *state, unsigned long long *flags,
                                         const struct cuda_location *location, uint64_t pointer);

// Memory, by its handle.
enum cuda_error cuda_physical_create(struct cuda_state *state, uint64_t *handle, size_t bytes,
                                     const struct cuda_physical_properties *properties,
                                     uint64_t flags);
enum cuda_error cuda_physical_release(struct cuda_state *state, uint64_t handle);
enum cuda_error cuda_physical_granularity(struct cuda_state *state, size_t *bytes,
                                          const struct cuda_physical_properties *properties,
                                          int option);
enum cuda_error cuda_physical_tell(struct cuda_state *state,
                                   struct cuda_physical_properties *properties, uint64_t handle);
enum cuda_error cuda_physical_export(struct cuda_state *state, void *out, uint64_t handle, int type,
                                     uint64_t flags);
enum cuda_error cuda_physical_import(struct cuda_state *state, uint64_t *handle, int file,
                                     int type);
enum cuda_error cuda_physical_retain(struct cuda_state *state, uint64_t *handle, void *address);

#endif
