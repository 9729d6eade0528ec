// Virtual memory management.
#include "cuda/memory/virtual.h"
#include "cudadrv/cudadrv.h"

CUDADRV_DEVICE_CALL(cuMemAddressReserve(cu_pointer *pointer, size_t bytes, size_t alignment,
                                        cu_pointer wish, uint64_t flags),
                    cuda_virtual_reserve(state, pointer, bytes, alignment, wish, flags))
CUDADRV_DEVICE_CALL(cuMemAddressFree(cu_pointer pointer, size_t bytes),
                    cuda_virtual_free(state, pointer, bytes))
CUDADRV_DEVICE_CALL(cuMemCreate(uint64_t *handle, size_t bytes,
                                const struct cuda_physical_properties *properties, uint64_t flags),
                    cuda_physical_create(state, handle, bytes, properties, flags))
CUDADRV_DEVICE_CALL(cuMemRelease(uint64_t handle), cuda_physical_release(state, handle))
CUDADRV_DEVICE_CALL(cuMemGetAllocationPropertiesFromHandle(
                        struct cuda_physical_properties *properties, uint64_t handle),
                    cuda_physical_tell(state, properties, handle))
CUDADRV_DEVICE_CALL(cuMemExportToShareableHandle(void *out, uint64_t handle, int type,
                                                 uint64_t flags),
                    cuda_physical_export(state, out, handle, type, flags))
CUDADRV_DEVICE_CALL(cuMemImportFromShareableHandle(uint64_t *handle, void *file, int type),
                    cuda_physical_import(state, handle, (int)(intptr_t)file, type))
CUDADRV_DEVICE_CALL(cuMemMap(cu_pointer pointer, size_t bytes, size_t offset, uint64_t handle,
                             uint64_t flags),
                    cuda_virtual_map(state, pointer, bytes, offset, handle, flags))
CUDADRV_DEVICE_CALL(cuMemUnmap(cu_pointer pointer, size_t bytes),
                    cuda_virtual_unmap(state, pointer, bytes))
CUDADRV_DEVICE_CALL(cuMemSetAccess(cu_pointer pointer, size_t bytes,
                                   const struct cuda_access *descriptions, size_t count),
                    cuda_virtual_set_access(state, pointer, bytes, descriptions, count))
CUDADRV_DEVICE_CALL(cuMemGetAccess(unsigned long long *flags, const struct cuda_location *location,
                                   cu_pointer pointer),
                    cuda_virtual_tell_access(state, flags, location, pointer))
CUDADRV_DEVICE_CALL(cuMemRetainAllocationHandle(uint64_t *handle, void *address),
                    cuda_physical_retain(state, handle, address))
CUDADRV_DEVICE_CALL(cuMemGetAllocationGranularity(size_t *bytes,
                                                  const struct cuda_physical_properties *properties,
                                                  int option),
                    cuda_physical_granularity(state, bytes, properties, option))
