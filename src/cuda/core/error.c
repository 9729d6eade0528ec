#include "cuda/core/error.h"

#include <stddef.h>

#include "cuda/core/refuse.h"
#include "cuda/core/state.h"

static _Thread_local struct cuda_thread this_thread;
static _Thread_local unsigned this_device;
static _Thread_local bool has_chosen;

struct error_row {
    enum cuda_error code;
    const char *name, *text;
};

#define X(value, name, text) {name, #name, text},
static const struct error_row rows[] = {
#include "cuda/core/errors.def"
};
#undef X

static const struct error_row *find(enum cuda_error code) {
    size_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].code == code)
            return &rows[middle];
        if (rows[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

CUDART_API const char *cudaGetErrorName(enum cuda_error error) {
    const struct error_row *row = find(error);
    return row ? row->name : "unrecognized error code";
}

CUDART_API const char *cudaGetErrorString(enum cuda_error error) {
    const struct error_row *row = find(error);
    return row ? row->text : "unrecognized error code";
}

struct cuda_thread cuda_thread_save(void) {
    return this_thread;
}

void cuda_thread_restore(struct cuda_thread thread) {
    this_thread = thread;
}

void cuda_thread_enter(void) {
    this_thread.uses_runtime = true;
}

unsigned cuda_thread_device(void) {
    return this_device;
}

void cuda_thread_use(unsigned device) {
    this_device = device;
    has_chosen = false;
}

void cuda_thread_choose(unsigned device) {
    this_device = device;
    has_chosen = this_thread.uses_runtime = true;
}

bool cuda_thread_has_chosen(void) {
    bool has = has_chosen;
    has_chosen = false;
    return has;
}

void cuda_set_last(enum cuda_error error) {
    if (error != cudaSuccess)
        this_thread.last = error;
}

CUDART_API enum cuda_error cudaGetLastError(void) {
    enum cuda_error error = this_thread.last;
    this_thread.last = cudaSuccess;
    return error;
}

CUDART_API enum cuda_error cudaPeekAtLastError(void) {
    return this_thread.last;
}

enum cuda_error cuda_fault_error(enum sim_fault fault) {
    switch (fault) {
    case SIM_OK:
        return cudaSuccess;
    case SIM_FAULT_ILLEGAL_ADDRESS:
        return cudaErrorIllegalAddress;
    case SIM_FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case SIM_FAULT_INVALID_SPACE:
        return cudaErrorInvalidAddressSpace;
    case SIM_FAULT_ASSERT:
        return cudaErrorAssert;
    case SIM_FAULT_TRAP:
    case SIM_FAULT_NO_BLOCK:
    case SIM_FAULT_STOPPED:
        return cudaErrorLaunchFailure;
    case SIM_FAULT_DEADLOCK: // a device with a display would end such a kernel so; others hang
    case SIM_FAULT_INSTRUCTION_LIMIT:
        return cudaErrorLaunchTimeout;
    case SIM_FAULT_STACK:
        return cudaErrorHardwareStackError;
    case SIM_FAULT_ILLEGAL_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    }
    return cudaErrorUnknown;
}

enum cuda_error cuda_unsupported(const char *name, atomic_flag *was_said) {
    if (!atomic_flag_test_and_set(was_said))
        cuda_refuse(name);
    return cuda_record(cudaErrorNotSupported);
}
