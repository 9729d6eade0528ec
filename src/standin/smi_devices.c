// The devices, asked of the NVML that a program of this process would get.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "standin/smi.h"

struct memory {
    unsigned long long total, free, used;
};

struct pci {
    char old_id[16];
    unsigned domain, bus, slot, device_id, subsystem_id;
    char id[32];
};

// What is asked of it.
static struct nvml {
    int (*init)(void);
    int (*driver)(char *text, unsigned room);
    int (*cuda)(int *version);
    int (*count)(unsigned *count);
    int (*device)(unsigned index, void **device);
    int (*name)(void *device, char *text, unsigned room);
    int (*uuid)(void *device, char *text, unsigned room);
    int (*pci)(void *device, struct pci *pci);
    int (*capability)(void *device, int *major, int *minor);
    int (*memory)(void *device, struct memory *memory);
    int (*clock)(void *device, int type, unsigned *mhz);
} nvml;

// A pointer to data is no pointer to a function in C, and has its bytes.
static bool find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found;
}

static bool load(void) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    return library && find(library, "nvmlInit_v2", &nvml.init) &&
           find(library, "nvmlSystemGetDriverVersion", &nvml.driver) &&
           find(library, "nvmlSystemGetCudaDriverVersion", &nvml.cuda) &&
           find(library, "nvmlDeviceGetCount_v2", &nvml.count) &&
           find(library, "nvmlDeviceGetHandleByIndex_v2", &nvml.device) &&
           find(library, "nvmlDeviceGetName", &nvml.name) &&
           find(library, "nvmlDeviceGetUUID", &nvml.uuid) &&
           find(library, "nvmlDeviceGetPciInfo_v3", &nvml.pci) &&
           find(library, "nvmlDeviceGetCudaComputeCapability", &nvml.capability) &&
           find(library, "nvmlDeviceGetMemoryInfo", &nvml.memory) &&
           find(library, "nvmlDeviceGetMaxClockInfo", &nvml.clock);
}

static bool look_at(struct smi_device *device, unsigned index) {
    enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
    struct memory memory;
    struct pci pci;
    void *handle;
    if (nvml.device(index, &handle) || nvml.name(handle, device->name, sizeof device->name) ||
        nvml.uuid(handle, device->uuid, sizeof device->uuid) || nvml.pci(handle, &pci) ||
        nvml.capability(handle, &device->major, &device->minor) || nvml.memory(handle, &memory) ||
        nvml.clock(handle, CLOCK_SM, &device->clock_sm) ||
        nvml.clock(handle, CLOCK_MEMORY, &device->clock_memory))
        return false;
    device->index = index;
    memcpy(device->address, pci.id, sizeof device->address);
    device->domain = pci.domain;
    device->bus = pci.bus;
    device->slot = pci.slot;
    device->total = memory.total;
    device->free = memory.free;
    device->used = memory.used;
    return true;
}

bool smi_find_devices(struct smi_devices *devices) {
    unsigned count;
    int cuda;
    *devices = (struct smi_devices){0};
    if (!load() || nvml.init() || nvml.count(&count) || nvml.cuda(&cuda) ||
        nvml.driver(devices->driver, sizeof devices->driver) || count > SMI_DEVICES)
        return false;
    snprintf(devices->cuda, sizeof devices->cuda, "%d.%d", cuda / 1000, cuda % 1000 / 10);
    devices->in_all = devices->count = count;
    for (unsigned i = 0; i < count; i++)
        if (!look_at(&devices->all[i], i))
            return false;
    return true;
}

bool smi_keep(struct smi_devices *devices, const char *which) {
    char *end;
    const unsigned long index = strtoul(which, &end, 10);
    const bool is_number = end != which && !*end;
    for (unsigned i = 0; i < devices->count; i++) {
        const struct smi_device *device = &devices->all[i];
        if (is_number
                ? index == device->index
                : strcasecmp(which, device->uuid) == 0 || strcasecmp(which, device->address) == 0 ||
                      (strlen(device->address) > 4 &&
                       strcasecmp(which, device->address + 4) == 0)) {
            devices->all[0] = *device;
            devices->count = 1;
            return true;
        }
    }
    return false;
}
