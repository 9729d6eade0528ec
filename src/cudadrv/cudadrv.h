// What all files of the driver API share. It is the second face of what lies in cuda: the codes of
// its errors are those of the runtime.
#ifndef BANKRUN_CUDADRV_CUDADRV_H
#define BANKRUN_CUDADRV_CUDADRV_H

#include <stdatomic.h>

#include "cuda/core/state.h"
#include "cuda/device/context.h"

typedef enum cuda_error cu_result;
typedef unsigned long long cu_pointer; // CUdeviceptr
typedef int cu_device;
typedef struct cuda_context *cu_context;
typedef struct cuda_module *cu_module;
typedef struct cuda_function *cu_function;

// Codes that the runtime has under other names, or not at all.
enum { CUDADRV_NOT_INITIALIZED = cudaErrorInitializationError };
enum { CUDADRV_INVALID_CONTEXT = cudaErrorDeviceUninitialized };
enum { CUDADRV_NOT_FOUND = cudaErrorSymbolNotFound };

static inline void *cudadrv_host(cu_pointer pointer) {
    return (void *)(uintptr_t)pointer;
}

// ---- How a function is made -------------------------------------------------------------------
// CUDADRV_CALL(name(parameters), work): the work is a call of the core with `state`, which is
// locked. It is done when the driver is ready and the thread has a context; the function returns
// its error, if need be as the driver's next one.

// What must be before the work is done.
enum cudadrv_need { CUDADRV_NOTHING, CUDADRV_READY, CUDADRV_CONTEXT };
enum cuda_error cudadrv_check(struct cuda_state *state, enum cudadrv_need need);
cu_result cudadrv_end(struct cuda_state *state, enum cuda_error error);

#define CUDADRV_FUNCTION(declarator, need, work)                                                   \
    CUDA_API cu_result declarator {                                                                \
        struct cuda_state *state = cuda_name_call(cuda_begin(), __func__);                         \
        if (!state)                                                                                \
            return (cu_result)CUDADRV_NOT_INITIALIZED;                                             \
        enum cuda_error error_ = cudadrv_check(state, need);                                       \
        return cudadrv_end(state, error_ == cudaSuccess ? (work) : error_);                        \
    }
#define CUDADRV_CALL(declarator, work) CUDADRV_FUNCTION(declarator, CUDADRV_CONTEXT, work)
// Without a context.
#define CUDADRV_DEVICE_CALL(declarator, work) CUDADRV_FUNCTION(declarator, CUDADRV_READY, work)
// Even before cuInit.
#define CUDADRV_EARLY_CALL(declarator, work) CUDADRV_FUNCTION(declarator, CUDADRV_NOTHING, work)

// The older of two names of a function whose parameters are the same.
#define CUDADRV_OLD_NAME(old, name)                                                                \
    extern __typeof__(name) old CUDA_API __attribute__((alias(#name)));

// Says so on stderr the first time, and returns CUDA_ERROR_NOT_SUPPORTED.
cu_result cudadrv_unsupported(const char *name, atomic_flag *was_said);

#endif
