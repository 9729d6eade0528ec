// Copies of a run of bytes from and to arrays of one dimension.
#include "cuda/memory/calls.h"
#include "cudadrv/cudadrv.h"

CUDADRV_CALL(cuMemcpyHtoA_v2(void *array, size_t offset, const void *source, size_t bytes),
             cuda_copy_run_of_sides(state, cuda_array_side(array, offset, 0),
                                    cuda_memory_side(source, 0), bytes, CUDA_HOST_TO_DEVICE, NULL,
                                    false))
CUDA_PER_THREAD(cuMemcpyHtoA_v2, _ptds)
CUDADRV_CALL(cuMemcpyHtoAAsync_v2(void *array, size_t offset, const void *source, size_t bytes,
                                  cuda_stream stream),
             cuda_copy_run_of_sides(state, cuda_array_side(array, offset, 0),
                                    cuda_memory_side(source, 0), bytes, CUDA_HOST_TO_DEVICE, stream,
                                    true))
CUDA_PER_THREAD(cuMemcpyHtoAAsync_v2, _ptsz)
CUDADRV_CALL(cuMemcpyAtoH_v2(void *target, const void *array, size_t offset, size_t bytes),
             cuda_copy_run_of_sides(state, cuda_memory_side(target, 0),
                                    cuda_array_side(array, offset, 0), bytes, CUDA_DEVICE_TO_HOST,
                                    NULL, false))
CUDA_PER_THREAD(cuMemcpyAtoH_v2, _ptds)
CUDADRV_CALL(cuMemcpyAtoHAsync_v2(void *target, const void *array, size_t offset, size_t bytes,
                                  cuda_stream stream),
             cuda_copy_run_of_sides(state, cuda_memory_side(target, 0),
                                    cuda_array_side(array, offset, 0), bytes, CUDA_DEVICE_TO_HOST,
                                    stream, true))
CUDA_PER_THREAD(cuMemcpyAtoHAsync_v2, _ptsz)
CUDADRV_CALL(cuMemcpyDtoA_v2(void *array, size_t offset, cu_pointer source, size_t bytes),
             cuda_copy_run_of_sides(state, cuda_array_side(array, offset, 0),
                                    cuda_memory_side(cudadrv_host(source), 0), bytes,
                                    CUDA_DEVICE_TO_DEVICE, NULL, false))
CUDA_PER_THREAD(cuMemcpyDtoA_v2, _ptds)
CUDADRV_CALL(cuMemcpyAtoD_v2(cu_pointer target, const void *array, size_t offset, size_t bytes),
             cuda_copy_run_of_sides(state, cuda_memory_side(cudadrv_host(target), 0),
                                    cuda_array_side(array, offset, 0), bytes, CUDA_DEVICE_TO_DEVICE,
                                    NULL, false))
CUDA_PER_THREAD(cuMemcpyAtoD_v2, _ptds)
CUDADRV_CALL(cuMemcpyAtoA_v2(void *target, size_t target_offset, const void *source,
                             size_t source_offset, size_t bytes),
             cuda_copy_run_of_sides(state, cuda_array_side(target, target_offset, 0),
                                    cuda_array_side(source, source_offset, 0), bytes,
                                    CUDA_DEVICE_TO_DEVICE, NULL, false))
CUDA_PER_THREAD(cuMemcpyAtoA_v2, _ptds)
