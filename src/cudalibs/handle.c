// Handles of cuBLAS, and what is set for them.
#include "cudalibs/handle.h"
#include "cudalibs/backend.h"

enum lib_status blas_handle_create(void **handle) {
    const char *why;
    enum lib_status status = LIB_INVALID_VALUE;
    if (!handle)
        return status;
    if (!backend_is_there(&why)) {
        lib_say_missing("OpenBLAS", why);
        return LIB_NOT_INITIALIZED;
    }
    *handle = lib_handle_create(LIB_BLAS, sizeof(struct blas_handle), &status);
    return status;
}

enum lib_status blas_handle_destroy(void *handle) {
    return lib_handle_destroy(LIB_BLAS, handle) ? LIB_SUCCESS : LIB_NOT_INITIALIZED;
}

// What is set and asked for without computing anything.
#define HANDLE_CALL(declarator, is_good, work)                                                     \
    CUDA_API enum lib_status declarator {                                                          \
        struct cuda_state *state = cuda_begin();                                                   \
        struct blas_handle *found = state ? lib_handle_find(state, LIB_BLAS, handle) : NULL;       \
        enum lib_status status = !found      ? LIB_NOT_INITIALIZED                                 \
                                 : (is_good) ? LIB_SUCCESS                                         \
                                             : LIB_INVALID_VALUE;                                  \
        if (status == LIB_SUCCESS) work;                                                           \
        if (state) cuda_end(state, cudaSuccess);                                                   \
        return status;                                                                             \
    }

CUDA_API enum lib_status cublasCreate_v2(void **handle) {
    return blas_handle_create(handle);
}

CUDA_API enum lib_status cublasDestroy_v2(void *handle) {
    return blas_handle_destroy(handle);
}

// Needs no handle.
CUDA_API enum lib_status cublasGetVersion_v2(void *handle, int *version) {
    (void)handle;
    if (!version)
        return LIB_INVALID_VALUE;
    *version = BLAS_VERSION;
    return LIB_SUCCESS;
}

HANDLE_CALL(cublasSetStream_v2(void *handle, cuda_stream stream), true, found->base.stream = stream)
HANDLE_CALL(cublasGetStream_v2(void *handle, cuda_stream *stream), stream,
            *stream = found->base.stream)
HANDLE_CALL(cublasSetPointerMode_v2(void *handle, int mode), mode == 0 || mode == 1,
            found->base.scalars = mode)
HANDLE_CALL(cublasGetPointerMode_v2(void *handle, int *mode), mode, *mode = found->base.scalars)
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

CUDA_API enum lib_status cublasGetProperty(int type, int *value) {
    static const int parts[] = {BLAS_VERSION / 10000, BLAS_VERSION / 100 % 100, BLAS_VERSION % 100};
    if (!value || type < 0 || type > 2)
        return LIB_INVALID_VALUE;
    *value = parts[type];
    return LIB_SUCCESS;
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

// Nothing is logged.
CUDA_API enum lib_status cublasLoggerConfigure(int is_on, int to_stdout, int to_stderr,
                                               const char *file) {
    (void)is_on, (void)to_stdout, (void)to_stderr, (void)file;
    return LIB_SUCCESS;
}

CUDA_API enum lib_status cublasSetLoggerCallback(void (*callback)(const char *)) {
    (void)callback;
    return LIB_SUCCESS;
}
