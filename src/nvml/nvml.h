// NVML's types as programs see them, and how its functions are made. The library that packages ask
// what GPUs there are answers for the simulated devices, without using them: a process that only
// asked may still fork children that use CUDA.
#ifndef BANKRUN_NVML_NVML_H
#define BANKRUN_NVML_NVML_H

#include <stdint.h>

#include "cuda/core/state.h"

enum nvml_result {
    NVML_SUCCESS = 0,
    NVML_UNINITIALIZED = 1,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_FUNCTION_NOT_FOUND = 13,
    NVML_ARGUMENT_VERSION_MISMATCH = 25,
};

// A handle points to the device that it names.
typedef const struct cuda_device *nvml_device;

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_memory_v2 {
    unsigned version; // NVML_MEMORY_V2
    unsigned long long total, reserved, free, used;
};
enum { NVML_MEMORY_V2 = 2 << 24 | sizeof(struct nvml_memory_v2) };

struct nvml_pci {
    char old_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};

struct nvml_pci_v2 {
    char id[16];
    unsigned domain, bus, device, device_id, subsystem_id, reserved[4];
};

// How often it was initialised and not shut down: nvml.c.
bool nvml_is_ready(void);
// The device of that handle; NULL: it is none. Needs no lock, as devices stay where they are.
const struct cuda_device *nvml_device_of(nvml_device handle);
// Copies the text with its end.
enum nvml_result nvml_tell_text(char *to, unsigned room, const char *text);

// A function of the library that answers once it is initialised: NVML_CALL(name(parameters), work).
#define NVML_CALL(declarator, work)                                                                \
    CUDA_API enum nvml_result declarator { return nvml_is_ready() ? (work) : NVML_UNINITIALIZED; }
// The same about a device, whose handle is the parameter `handle`; the work sees `device`.
#define NVML_DEVICE_CALL(declarator, work)                                                         \
    CUDA_API enum nvml_result declarator {                                                         \
        if (!nvml_is_ready()) return NVML_UNINITIALIZED;                                           \
        const struct cuda_device *device = nvml_device_of(handle);                                 \
        return device ? (work) : NVML_INVALID_ARGUMENT;                                            \
    }

#endif
