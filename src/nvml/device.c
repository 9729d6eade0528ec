// The devices, by what programs know of them, and what they say of themselves: what the CUDA APIs
// say, too.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cuda/device/device.h"
#include "cuda/memory/calls.h"
#include "nvml/nvml.h"

enum { UUID_TEXT = 41, BUS_TEXT = 32 };

// ---- Handles ----------------------------------------------------------------------------------

const struct cuda_device *nvml_device_of(nvml_device handle) {
    const struct cuda_state *state = cuda_state();
    for (unsigned d = 0; d < state->device_count; d++)
        if (handle == &state->devices[d])
            return handle;
    return NULL;
}

static enum nvml_result count(unsigned *to) {
    if (!to)
        return NVML_INVALID_ARGUMENT;
    *to = cuda_state()->device_count;
    return NVML_SUCCESS;
}

static enum nvml_result by_index(unsigned index, nvml_device *to) {
    const struct cuda_state *state = cuda_state();
    if (!to || index >= state->device_count)
        return NVML_INVALID_ARGUMENT;
    *to = &state->devices[index];
    return NVML_SUCCESS;
}

static void uuid_of(const struct cuda_device *device, char text[UUID_TEXT]) {
    unsigned char bytes[16];
    device_uuid((int)device->number, (char *)bytes);
    size_t length = (size_t)snprintf(text, UUID_TEXT, "GPU-");
    for (int i = 0; i < 16; i++) {
        bool has_dash = i == 4 || i == 6 || i == 8 || i == 10;
        length += (size_t)snprintf(text + length, UUID_TEXT - length, "%s%02x", has_dash ? "-" : "",
                                   bytes[i]);
    }
}

static unsigned bus_of(const struct cuda_device *device) {
    return (unsigned)device_value(cuda_state(), (int)device->number, DEVICE_BUS_NUMBER);
}

static void bus_id_of(const struct cuda_device *device, char text[BUS_TEXT]) {
    snprintf(text, BUS_TEXT, "00000000:%02X:00.0", bus_of(device));
}

// Begun or whole: "0000:00:00.0" as the CUDA APIs have it, too.
static bool is_at(const struct cuda_device *device, const char *text) {
    char own[BUS_TEXT];
    bus_id_of(device, own);
    return strcasecmp(text, own) == 0 || strcasecmp(text, own + 4) == 0 ||
           strcasecmp(text, own + sizeof "00000000") == 0;
}

static bool has_uuid(const struct cuda_device *device, const char *text) {
    char own[UUID_TEXT];
    uuid_of(device, own);
    return strcasecmp(text, own) == 0;
}

static enum nvml_result find(const char *text, nvml_device *to,
                             bool (*is_meant)(const struct cuda_device *device, const char *text)) {
    const struct cuda_state *state = cuda_state();
    if (!text || !to)
        return NVML_INVALID_ARGUMENT;
    for (unsigned d = 0; d < state->device_count; d++) {
        if (is_meant(&state->devices[d], text)) {
            *to = &state->devices[d];
            return NVML_SUCCESS;
        }
    }
    return NVML_NOT_FOUND;
}

NVML_CALL(nvmlDeviceGetCount(unsigned *number), count(number))
NVML_CALL(nvmlDeviceGetCount_v2(unsigned *number), count(number))
NVML_CALL(nvmlDeviceGetHandleByIndex(unsigned index, nvml_device *to), by_index(index, to))
NVML_CALL(nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_device *to), by_index(index, to))
NVML_CALL(nvmlDeviceGetHandleByPciBusId(const char *id, nvml_device *to), find(id, to, is_at))
NVML_CALL(nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvml_device *to), find(id, to, is_at))
NVML_CALL(nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device *to), find(uuid, to, has_uuid))

// ---- What a device says ----------------------------------------------------------------------

static enum nvml_result tell(unsigned *to, unsigned value) {
    if (!to)
        return NVML_INVALID_ARGUMENT;
    *to = value;
    return NVML_SUCCESS;
}

static enum nvml_result tell_uuid(const struct cuda_device *device, char *to, unsigned room) {
    char text[UUID_TEXT];
    uuid_of(device, text);
    return nvml_tell_text(to, room, text);
}

static enum nvml_result tell_capability(int *major, int *minor) {
    if (!major || !minor)
        return NVML_INVALID_ARGUMENT;
    *major = (int)cuda_state()->device.arch / 10;
    *minor = (int)cuda_state()->device.arch % 10;
    return NVML_SUCCESS;
}

// Of a process's own devices, which no other process uses.
static struct nvml_memory memory_of(const struct cuda_device *device) {
    uint64_t left, total;
    cuda_peek_memory(cuda_state(), device, &left, &total);
    return (struct nvml_memory){total, left, total - left};
}

static enum nvml_result tell_memory(const struct cuda_device *device, struct nvml_memory *to) {
    if (!to)
        return NVML_INVALID_ARGUMENT;
    *to = memory_of(device);
    return NVML_SUCCESS;
}

static enum nvml_result tell_memory_v2(const struct cuda_device *device,
                                       struct nvml_memory_v2 *to) {
    if (!to)
        return NVML_INVALID_ARGUMENT;
    if (to->version != NVML_MEMORY_V2)
        return NVML_ARGUMENT_VERSION_MISMATCH;
    struct nvml_memory memory = memory_of(device);
    to->total = memory.total;
    to->reserved = 0;
    to->free = memory.free;
    to->used = memory.used;
    return NVML_SUCCESS;
}

static enum nvml_result tell_pci(const struct cuda_device *device, struct nvml_pci *to) {
    if (!to)
        return NVML_INVALID_ARGUMENT;
    *to = (struct nvml_pci){.bus = bus_of(device)};
    bus_id_of(device, to->id);
    snprintf(to->old_id, sizeof to->old_id, "%s", to->id + 4);
    return NVML_SUCCESS;
}

static enum nvml_result tell_old_pci(const struct cuda_device *device, struct nvml_pci_v2 *to) {
    struct nvml_pci pci;
    if (!to)
        return NVML_INVALID_ARGUMENT;
    tell_pci(device, &pci);
    *to = (struct nvml_pci_v2){.bus = pci.bus};
    memcpy(to->id, pci.old_id, sizeof to->id);
    return NVML_SUCCESS;
}

NVML_DEVICE_CALL(nvmlDeviceGetIndex(nvml_device handle, unsigned *index),
                 tell(index, device->number))
NVML_DEVICE_CALL(nvmlDeviceGetMinorNumber(nvml_device handle, unsigned *number),
                 tell(number, device->number))
NVML_DEVICE_CALL(nvmlDeviceGetName(nvml_device handle, char *name, unsigned room),
                 ((void)device, nvml_tell_text(name, room, cuda_state()->device.name)))
NVML_DEVICE_CALL(nvmlDeviceGetUUID(nvml_device handle, char *uuid, unsigned room),
                 tell_uuid(device, uuid, room))
NVML_DEVICE_CALL(nvmlDeviceGetPciInfo(nvml_device handle, struct nvml_pci_v2 *to),
                 tell_old_pci(device, to))
NVML_DEVICE_CALL(nvmlDeviceGetPciInfo_v2(nvml_device handle, struct nvml_pci_v2 *to),
                 tell_old_pci(device, to))
NVML_DEVICE_CALL(nvmlDeviceGetPciInfo_v3(nvml_device handle, struct nvml_pci *to),
                 tell_pci(device, to))
NVML_DEVICE_CALL(nvmlDeviceGetMemoryInfo(nvml_device handle, struct nvml_memory *to),
                 tell_memory(device, to))
NVML_DEVICE_CALL(nvmlDeviceGetMemoryInfo_v2(nvml_device handle, struct nvml_memory_v2 *to),
                 tell_memory_v2(device, to))
NVML_DEVICE_CALL(nvmlDeviceGetCudaComputeCapability(nvml_device handle, int *major, int *minor),
                 ((void)device, tell_capability(major, minor)))

// ---- Clocks and the like -----------------------------------------------------------------------

enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY };

// Those of the product that stands for the architecture.
static enum nvml_result tell_clock(int type, unsigned *to) {
    const struct device_model *model = &cuda_state()->device;
    switch (type) {
    case CLOCK_GRAPHICS:
    case CLOCK_SM:
        return tell(to, (unsigned)model->clock_khz / 1000);
    case CLOCK_MEMORY:
        return tell(to, (unsigned)model->memory_clock_khz / 1000);
    default:
        return to ? NVML_NOT_SUPPORTED : NVML_INVALID_ARGUMENT;
    }
}

// Names of architectures by their first compute capability: nvmlDeviceArchitecture_t.
static unsigned architecture(void) {
    static const struct {
        unsigned arch, value;
    } rows[] = {{100, 10}, {90, 9}, {89, 8}, {80, 7}, {75, 6}, {70, 5}, {60, 4}, {50, 3}, {30, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cuda_state()->device.arch >= rows[i].arch)
            return rows[i].value;
    return UINT32_MAX; // older than its names
}

enum { COMPUTE_MODE_DEFAULT = 0, BRAND_UNKNOWN = 0 };

NVML_DEVICE_CALL(nvmlDeviceGetMaxClockInfo(nvml_device handle, int type, unsigned *mhz),
                 ((void)device, tell_clock(type, mhz)))
NVML_DEVICE_CALL(nvmlDeviceGetClockInfo(nvml_device handle, int type, unsigned *mhz),
                 ((void)device, tell_clock(type, mhz)))
NVML_DEVICE_CALL(nvmlDeviceGetMemoryBusWidth(nvml_device handle, unsigned *bits),
                 ((void)device, tell(bits, (unsigned)cuda_state()->device.bus_bits)))
NVML_DEVICE_CALL(nvmlDeviceGetArchitecture(nvml_device handle, unsigned *to),
                 ((void)device, tell(to, architecture())))
NVML_DEVICE_CALL(nvmlDeviceGetComputeMode(nvml_device handle, unsigned *mode),
                 ((void)device, tell(mode, COMPUTE_MODE_DEFAULT)))
NVML_DEVICE_CALL(nvmlDeviceGetBrand(nvml_device handle, unsigned *brand),
                 ((void)device, tell(brand, BRAND_UNKNOWN)))
NVML_DEVICE_CALL(nvmlDeviceGetMultiGpuBoard(nvml_device handle, unsigned *is_one),
                 ((void)device, tell(is_one, 0)))

// ---- The bus ------------------------------------------------------------------------------------

enum { LANES = 16, GENERATION_3_MBPS = 8000 };

// Of the product that stands for the architecture.
static unsigned generation(void) {
    static const struct { unsigned arch, value; } rows[] = {{110, 5}, {103, 6}, {90, 5}, {80, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cuda_state()->device.arch >= rows[i].arch)
            return rows[i].value;
    return 3;
}

#define NVML_BUS_CALL(name, value)                                                                 \
    NVML_DEVICE_CALL(name(nvml_device handle, unsigned *to), ((void)device, tell(to, value)))
NVML_BUS_CALL(nvmlDeviceGetMaxPcieLinkGeneration, generation())
NVML_BUS_CALL(nvmlDeviceGetGpuMaxPcieLinkGeneration, generation())
NVML_BUS_CALL(nvmlDeviceGetCurrPcieLinkGeneration, generation())
NVML_BUS_CALL(nvmlDeviceGetMaxPcieLinkWidth, LANES)
NVML_BUS_CALL(nvmlDeviceGetCurrPcieLinkWidth, LANES)
// An enumeration, whose values are the generations'.
NVML_BUS_CALL(nvmlDeviceGetPcieLinkMaxSpeed, generation())
NVML_BUS_CALL(nvmlDeviceGetPcieSpeed, GENERATION_3_MBPS << (generation() - 3))
