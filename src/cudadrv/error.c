#include "cuda/core/error.h"
#include "cuda/core/refuse.h"
#include "cudadrv/cudadrv.h"

struct name_row {
    int code;
    const char *name;
};

#define X(value, name) {value, #name},
static const struct name_row rows[] = {
#include "cudadrv/names.def"
};
#undef X

static const char *name_of(int code) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].name;
    return NULL;
}

CUDA_API cu_result cuGetErrorName(int error, const char **name) {
    if (!name)
        return cudaErrorInvalidValue;
    *name = name_of(error);
    return *name ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API cu_result cuGetErrorString(int error, const char **text) {
    if (!text)
        return cudaErrorInvalidValue;
    *text = name_of(error) ? cuda_error_text((enum cuda_error)error) : NULL;
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

// What the driver has no name for.
static cu_result result_of(enum cuda_error error) {
    switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidTexture:
    case cudaErrorInvalidSurface:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
        return cudaErrorInvalidValue;
    case cudaErrorInvalidDeviceFunction:
        return cudaErrorInvalidResourceHandle;
    default:
        return name_of((int)error) ? error : cudaErrorUnknown;
    }
}

enum cuda_error cudadrv_check(struct cuda_state *state, enum cudadrv_need need) {
    if (need >= CUDADRV_READY && !cuda_is_initialized(state))
        return (enum cuda_error)CUDADRV_NOT_INITIALIZED;
    const struct cuda_context *context =
        need >= CUDADRV_CONTEXT ? cuda_context_current(state) : NULL;
    if (need >= CUDADRV_CONTEXT && !context)
        return (enum cuda_error)CUDADRV_INVALID_CONTEXT;
    return context && !context->handle.is_live ? cudaErrorContextIsDestroyed : cudaSuccess;
}

cu_result cudadrv_end(struct cuda_state *state, enum cuda_error error) {
    return result_of(cuda_end(state, error));
}

cu_result cudadrv_unsupported(const char *name, atomic_flag *was_said) {
    cuda_refuse(name, !atomic_flag_test_and_set(was_said));
    return cudaErrorNotSupported;
}
