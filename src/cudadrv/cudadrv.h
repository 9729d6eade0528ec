// What all files of the driver API share. The driver is a second face of the runtime: its calls
// work on the runtime's state, mostly through the runtime's own calls, and the codes of its errors
// are those of the runtime.
#ifndef BANKRUN_CUDADRV_CUDADRV_H
#define BANKRUN_CUDADRV_CUDADRV_H

#include <stdatomic.h>

#include "cuda/core/abi.h"
#include "cuda/core/error.h"
#include "cuda/core/state.h"

typedef enum cuda_error cu_result;
typedef unsigned long long cu_pointer; // CUdeviceptr
typedef int cu_device;
typedef struct cudadrv_context *cu_context;
typedef struct cuda_module *cu_module;
typedef struct cuda_function *cu_function;

// Codes that the runtime has under other names, or not at all.
enum { CUDADRV_NOT_INITIALIZED = cudaErrorInitializationError };
enum { CUDADRV_INVALID_CONTEXT = cudaErrorDeviceUninitialized };
enum { CUDADRV_NOT_FOUND = cudaErrorSymbolNotFound };

static inline void *cudadrv_host(cu_pointer pointer) {
    return (void *)(uintptr_t)pointer;
}

// ---- Every call: begin, work, end -------------------------------------------------------------
// return CUDADRV_RUN(cudaMemcpy(...)): the call of the runtime is made when the driver is ready and
// the thread has a context, and leaves no trace in what the runtime tells the thread.

struct cudadrv_call {
    struct cuda_thread thread;
    cu_result error;
};

bool cudadrv_begin(struct cudadrv_call *call);        // ready, with a current context
bool cudadrv_begin_device(struct cudadrv_call *call); // ready: for what needs no context
cu_result cudadrv_end(const struct cudadrv_call *call);

#define CUDADRV_DO(begin, work)                                                                    \
    __extension__({                                                                                \
        struct cudadrv_call call_;                                                                 \
        if (begin(&call_))                                                                         \
            call_.error = (work);                                                                  \
        cudadrv_end(&call_);                                                                       \
    })
#define CUDADRV_RUN(work) CUDADRV_DO(cudadrv_begin, work)
#define CUDADRV_ASK(work) CUDADRV_DO(cudadrv_begin_device, work)

// The older of two names of a function whose parameters are the same.
#define CUDADRV_OLD_NAME(old, name)                                                                \
    extern __typeof__(name) old CUDART_API __attribute__((alias(#name)));

// Says so on stderr the first time, and returns CUDA_ERROR_NOT_SUPPORTED.
cu_result cudadrv_unsupported(const char *name, atomic_flag *was_said);

#endif
