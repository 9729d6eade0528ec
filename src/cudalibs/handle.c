// Handles of cuBLAS, and what is set for them.
#include <stdio.h>
#include <string.h>

#include "cuda/core/gap.h"
#include "cuda/core/handles.h"
#include "cudalibs/backend.h"
#include "cudalibs/handle.h"

enum blas_status blas_handle_create(void **handle) {
    const char *why;
    struct cuda_state *state = cuda_begin();
    if (!state)
        return BLAS_NOT_INITIALIZED;
    enum blas_status status = handle ? BLAS_SUCCESS : BLAS_INVALID_VALUE;
    if (status == BLAS_SUCCESS && cuda_enter(state) != cudaSuccess)
        status = BLAS_NOT_INITIALIZED;
    if (status == BLAS_SUCCESS && !backend_is_there(&why)) {
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED, "--libraries cpu computes with OpenBLAS: %s",
                     why);
        status = BLAS_NOT_INITIALIZED;
    }
    if (status == BLAS_SUCCESS)
        *handle = cuda_handle_new(state, CUDA_LIBRARY, sizeof(struct blas_handle));
    cuda_end(state, cudaSuccess);
    return status;
}

enum blas_status blas_handle_destroy(void *handle) {
    struct cuda_state *state = cuda_begin();
    struct blas_handle *found = state ? cuda_handle_find(state, CUDA_LIBRARY, handle) : NULL;
    if (found)
        cuda_handle_kill(state, &found->handle);
    if (state)
        cuda_end(state, cudaSuccess);
    return found ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

// What is set and asked for without computing anything.
#define HANDLE_CALL(declarator, is_good, work)                                                     \
    CUDA_API enum blas_status declarator {                                                         \
        struct cuda_state *state = cuda_begin();                                                   \
        struct blas_handle *found = state ? cuda_handle_find(state, CUDA_LIBRARY, handle) : NULL;  \
        enum blas_status status = !found      ? BLAS_NOT_INITIALIZED                               \
                                  : (is_good) ? BLAS_SUCCESS                                       \
                                              : BLAS_INVALID_VALUE;                                \
        if (status == BLAS_SUCCESS) work;                                                          \
        if (state) cuda_end(state, cudaSuccess);                                                   \
        return status;                                                                             \
    }

CUDA_API enum blas_status cublasCreate_v2(void **handle) {
    return blas_handle_create(handle);
}

CUDA_API enum blas_status cublasDestroy_v2(void *handle) {
    return blas_handle_destroy(handle);
}

HANDLE_CALL(cublasGetVersion_v2(void *handle, int *version), version, *version = BLAS_VERSION)
HANDLE_CALL(cublasSetStream_v2(void *handle, cuda_stream stream), true, found->stream = stream)
HANDLE_CALL(cublasGetStream_v2(void *handle, cuda_stream *stream), stream, *stream = found->stream)
HANDLE_CALL(cublasSetPointerMode_v2(void *handle, int mode), mode == 0 || mode == 1,
            found->scalars = mode)
HANDLE_CALL(cublasGetPointerMode_v2(void *handle, int *mode), mode, *mode = found->scalars)
// The CPU computes as exactly as it does whatever is asked for here.
HANDLE_CALL(cublasSetMathMode(void *handle, int mode), mode >= 0, found->math_mode = mode)
HANDLE_CALL(cublasGetMathMode(void *handle, int *mode), mode, *mode = found->math_mode)
HANDLE_CALL(cublasSetAtomicsMode(void *handle, int mode), mode == 0 || mode == 1,
            found->atomics = mode)
HANDLE_CALL(cublasGetAtomicsMode(void *handle, int *mode), mode, *mode = found->atomics)
HANDLE_CALL(cublasSetSmCountTarget(void *handle, int count), count >= 0,
            found->multiprocessors = count)
HANDLE_CALL(cublasGetSmCountTarget(void *handle, int *count), count,
            *count = found->multiprocessors)
// No work space is needed.
HANDLE_CALL(cublasSetWorkspace_v2(void *handle, void *memory, size_t bytes), memory || !bytes,
            (void)0)

CUDA_API enum blas_status cublasGetProperty(int type, int *value) {
    static const int parts[] = {BLAS_VERSION / 10000, BLAS_VERSION / 100 % 100, BLAS_VERSION % 100};
    if (!value || type < 0 || type > 2)
        return BLAS_INVALID_VALUE;
    *value = parts[type];
    return BLAS_SUCCESS;
}

CUDA_API size_t cublasGetCudartVersion(void) {
    return (size_t)cuda_version();
}

static const struct {
    int status;
    const char *name, *text;
} texts[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the architecture of the device"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the functionality requested requires some license"},
};

static size_t text_of(int status) {
    size_t i = 0;
    while (i < sizeof texts / sizeof *texts && texts[i].status != status)
        i++;
    return i;
}

CUDA_API const char *cublasGetStatusName(int status) {
    size_t i = text_of(status);
    return i < sizeof texts / sizeof *texts ? texts[i].name : "UNKNOWN";
}

CUDA_API const char *cublasGetStatusString(int status) {
    size_t i = text_of(status);
    return i < sizeof texts / sizeof *texts ? texts[i].text : "unknown status";
}
