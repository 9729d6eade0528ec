// cuBLAS's copies of vectors and matrices between host and device, which are the runtime's.
#include "cuda/memory/calls.h"
#include "cudalibs/blas.h"

enum { MAPPING_ERROR = 11 };

// `columns` runs of `rows` elements.
static enum lib_status copy(const char *name, int64_t rows, int64_t columns, int64_t element,
                            const void *from, int64_t from_pitch, void *to, int64_t to_pitch,
                            enum cuda_memcpy_kind kind, cuda_stream stream, bool is_queued) {
    if (rows < 0 || columns < 0 || element <= 0 || from_pitch < rows || to_pitch < rows ||
        from_pitch < 1 || to_pitch < 1)
        return LIB_INVALID_VALUE;
    if (!rows || !columns)
        return LIB_SUCCESS;
    if (from_pitch == rows && to_pitch == rows) // one run
        from_pitch = to_pitch = rows *= columns, columns = 1;
    struct cuda_state *state = cuda_name_call(cuda_begin(), name);
    if (!state)
        return LIB_NOT_INITIALIZED;
    enum cuda_error error = cuda_memcpy_2d(state, to, (size_t)(to_pitch * element), from,
                                           (size_t)(from_pitch * element), (size_t)(rows * element),
                                           (size_t)columns, kind, stream, is_queued);
    return cuda_end(state, error) == cudaSuccess ? LIB_SUCCESS : (enum lib_status)MAPPING_ERROR;
}

#define COPY_OF(size, suffix, Name, kind)                                                          \
    CUDA_API enum lib_status cublas##Name##Vector##suffix(                                         \
        size n, size element, const void *from, size from_step, void *to, size to_step) {          \
        return copy(__func__, 1, n, element, from, from_step, to, to_step, kind, NULL, false);     \
    }                                                                                              \
    CUDA_API enum lib_status cublas##Name##Matrix##suffix(size rows, size columns, size element,   \
                                                          const void *from, size from_pitch,       \
                                                          void *to, size to_pitch) {               \
        return copy(__func__, rows, columns, element, from, from_pitch, to, to_pitch, kind, NULL,  \
                    false);                                                                        \
    }                                                                                              \
    CUDA_API enum lib_status cublas##Name##VectorAsync##suffix(                                    \
        size n, size element, const void *from, size from_step, void *to, size to_step,            \
        cuda_stream stream) {                                                                      \
        return copy(__func__, 1, n, element, from, from_step, to, to_step, kind, stream, true);    \
    }                                                                                              \
    CUDA_API enum lib_status cublas##Name##MatrixAsync##suffix(                                    \
        size rows, size columns, size element, const void *from, size from_pitch, void *to,        \
        size to_pitch, cuda_stream stream) {                                                       \
        return copy(__func__, rows, columns, element, from, from_pitch, to, to_pitch, kind,        \
                    stream, true);                                                                 \
    }
BLAS_BOTH_NEW(COPY_OF, Set, CUDA_HOST_TO_DEVICE)
BLAS_BOTH_NEW(COPY_OF, Get, CUDA_DEVICE_TO_HOST)
