// Copies of a run of bytes from and to arrays of one dimension.
#include "cudadrv/cudadrv.h"

enum cuda_error cudaMemcpyToArray(void *array, size_t x, size_t y, const void *source, size_t bytes,
                                  enum cuda_memcpy_kind kind);
enum cuda_error cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *source,
                                       size_t bytes, enum cuda_memcpy_kind kind,
                                       cuda_stream stream);
enum cuda_error cudaMemcpyFromArray(void *target, const void *array, size_t x, size_t y,
                                    size_t bytes, enum cuda_memcpy_kind kind);
enum cuda_error cudaMemcpyFromArrayAsync(void *target, const void *array, size_t x, size_t y,
                                         size_t bytes, enum cuda_memcpy_kind kind,
                                         cuda_stream stream);
enum cuda_error cudaMemcpyArrayToArray(void *target, size_t target_x, size_t target_y,
                                       const void *source, size_t source_x, size_t source_y,
                                       size_t bytes, enum cuda_memcpy_kind kind);

CUDART_API cu_result cuMemcpyHtoA_v2(void *array, size_t offset, const void *source, size_t bytes) {
    return CUDADRV_RUN(cudaMemcpyToArray(array, offset, 0, source, bytes, CUDA_HOST_TO_DEVICE));
}
CUDART_PER_THREAD(cuMemcpyHtoA_v2, _ptds)

CUDART_API cu_result cuMemcpyHtoAAsync_v2(void *array, size_t offset, const void *source,
                                          size_t bytes, cuda_stream stream) {
    return CUDADRV_RUN(
        cudaMemcpyToArrayAsync(array, offset, 0, source, bytes, CUDA_HOST_TO_DEVICE, stream));
}
CUDART_PER_THREAD(cuMemcpyHtoAAsync_v2, _ptsz)

CUDART_API cu_result cuMemcpyAtoH_v2(void *target, const void *array, size_t offset, size_t bytes) {
    return CUDADRV_RUN(cudaMemcpyFromArray(target, array, offset, 0, bytes, CUDA_DEVICE_TO_HOST));
}
CUDART_PER_THREAD(cuMemcpyAtoH_v2, _ptds)

CUDART_API cu_result cuMemcpyAtoHAsync_v2(void *target, const void *array, size_t offset,
                                          size_t bytes, cuda_stream stream) {
    return CUDADRV_RUN(
        cudaMemcpyFromArrayAsync(target, array, offset, 0, bytes, CUDA_DEVICE_TO_HOST, stream));
}
CUDART_PER_THREAD(cuMemcpyAtoHAsync_v2, _ptsz)

CUDART_API cu_result cuMemcpyDtoA_v2(void *array, size_t offset, cu_pointer source, size_t bytes) {
    return CUDADRV_RUN(
        cudaMemcpyToArray(array, offset, 0, cudadrv_host(source), bytes, CUDA_DEVICE_TO_DEVICE));
}
CUDART_PER_THREAD(cuMemcpyDtoA_v2, _ptds)

CUDART_API cu_result cuMemcpyAtoD_v2(cu_pointer target, const void *array, size_t offset,
                                     size_t bytes) {
    return CUDADRV_RUN(
        cudaMemcpyFromArray(cudadrv_host(target), array, offset, 0, bytes, CUDA_DEVICE_TO_DEVICE));
}
CUDART_PER_THREAD(cuMemcpyAtoD_v2, _ptds)

CUDART_API cu_result cuMemcpyAtoA_v2(void *target, size_t target_offset, const void *source,
                                     size_t source_offset, size_t bytes) {
    return CUDADRV_RUN(cudaMemcpyArrayToArray(target, target_offset, 0, source, source_offset, 0,
                                              bytes, CUDA_DEVICE_TO_DEVICE));
}
CUDART_PER_THREAD(cuMemcpyAtoA_v2, _ptds)
