#include "cuda/core/error.h"

#include <stddef.h>

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

const char *cuda_error_name(enum cuda_error error) {
    const struct error_row *row = find(error);
    return row ? row->name : "unrecognized error code";
}

const char *cuda_error_text(enum cuda_error error) {
    const struct error_row *row = find(error);
    return row ? row->text : "unrecognized error code";
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
