// The library itself, and what it says of the system.
#include "nvml/nvml.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "toolchain/driver.h"

#define LIBRARY_VERSION "13." TOOLCHAIN_DRIVER

enum { NO_GPUS = 1, NO_ATTACH = 2 }; // flags of nvmlInitWithFlags

static atomic_uint users;

bool nvml_is_ready(void) {
    return atomic_load(&users) > 0;
}

static enum nvml_result begin(void) {
    atomic_fetch_add(&users, 1);
    return NVML_SUCCESS;
}

CUDA_API enum nvml_result nvmlInit(void) {
    return begin();
}

CUDA_API enum nvml_result nvmlInit_v2(void) {
    return begin();
}

CUDA_API enum nvml_result nvmlInitWithFlags(unsigned flags) {
    return flags & ~(unsigned)(NO_GPUS | NO_ATTACH) ? NVML_INVALID_ARGUMENT : begin();
}

CUDA_API enum nvml_result nvmlShutdown(void) {
    unsigned count = atomic_load(&users);
    while (count && !atomic_compare_exchange_weak(&users, &count, count - 1)) {
    }
    return count ? NVML_SUCCESS : NVML_UNINITIALIZED;
}

CUDA_API const char *nvmlErrorString(int result) {
    switch (result) {
    case NVML_SUCCESS:
        return "Success";
    case NVML_UNINITIALIZED:
        return "Uninitialized";
    case NVML_INVALID_ARGUMENT:
        return "Invalid Argument";
    case NVML_NOT_SUPPORTED:
        return "Not Supported";
    case NVML_NOT_FOUND:
        return "Not Found";
    case NVML_INSUFFICIENT_SIZE:
        return "Insufficient Size";
    case NVML_FUNCTION_NOT_FOUND:
        return "Function Not Found";
    case NVML_ARGUMENT_VERSION_MISMATCH:
        return "Argument version mismatch";
    default:
        return "Unknown Error";
    }
}

enum nvml_result nvml_tell_text(char *to, unsigned room, const char *text) {
    size_t bytes = strlen(text) + 1;
    if (!to)
        return NVML_INVALID_ARGUMENT;
    if (bytes > room)
        return NVML_INSUFFICIENT_SIZE;
    memcpy(to, text, bytes);
    return NVML_SUCCESS;
}

static enum nvml_result tell_version(int *to) {
    if (!to)
        return NVML_INVALID_ARGUMENT;
    *to = CUDA_DRIVER_VERSION;
    return NVML_SUCCESS;
}

NVML_CALL(nvmlSystemGetDriverVersion(char *text, unsigned room),
          nvml_tell_text(text, room, TOOLCHAIN_DRIVER))
NVML_CALL(nvmlSystemGetNVMLVersion(char *text, unsigned room),
          nvml_tell_text(text, room, LIBRARY_VERSION))
// Both also tell what is not initialised.
CUDA_API enum nvml_result nvmlSystemGetCudaDriverVersion(int *version) {
    return tell_version(version);
}
CUDA_API enum nvml_result nvmlSystemGetCudaDriverVersion_v2(int *version) {
    return tell_version(version);
}
