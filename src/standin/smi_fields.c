// The fields of --query-gpu, one row each. What a simulated device has none of is there, too, since
// one field that is not known refuses the whole query: callers ask for many and use a few.
#define _GNU_SOURCE // strsep
#include <stdio.h>
#include <string.h>

#include "standin/smi.h"

#define TEXT(name_, format, ...)                                                                   \
    static bool write_##name_(const struct smi_devices *devices, const struct smi_device *device,  \
                              char text[SMI_TEXT]) {                                               \
        (void)devices, (void)device;                                                               \
        snprintf(text, SMI_TEXT, format, __VA_ARGS__);                                             \
        return true;                                                                               \
    }

TEXT(name, "%s", device->name)
TEXT(index, "%u", device->index)
TEXT(uuid, "%s", device->uuid)
TEXT(capability, "%d.%d", device->major, device->minor)
TEXT(driver, "%s", devices->driver)
TEXT(count, "%u", devices->in_all)
TEXT(total, "%llu", device->total >> 20)
TEXT(used, "%llu", device->used >> 20)
TEXT(free, "%llu", device->free >> 20)
TEXT(reserved, "%d", 0)
TEXT(address, "%s", device->address)
TEXT(domain, "0x%04X", device->domain)
TEXT(bus, "0x%02X", device->bus)
TEXT(slot, "0x%02X", device->slot)
TEXT(clock_sm, "%u", device->clock_sm)
TEXT(clock_memory, "%u", device->clock_memory)
TEXT(disabled, "%s", "Disabled")
TEXT(default, "%s", "Default")

static bool write_nothing(const struct smi_devices *devices, const struct smi_device *device,
                          char text[SMI_TEXT]) {
    (void)devices, (void)device, (void)text;
    return false;
}

static const struct smi_field all[] = {
    {"name", "gpu_name", "", write_name},
    {"index", NULL, "", write_index},
    {"uuid", "gpu_uuid", "", write_uuid},
    {"compute_cap", NULL, "", write_capability},
    {"driver_version", NULL, "", write_driver},
    {"count", NULL, "", write_count},
    {"memory.total", NULL, "MiB", write_total},
    {"memory.used", NULL, "MiB", write_used},
    {"memory.free", NULL, "MiB", write_free},
    {"memory.reserved", NULL, "MiB", write_reserved},
    {"pci.bus_id", "gpu_bus_id", "", write_address},
    {"pci.domain", NULL, "", write_domain},
    {"pci.bus", NULL, "", write_bus},
    {"pci.device", NULL, "", write_slot},
    {"clocks.max.sm", "clocks.max.graphics", "MHz", write_clock_sm},
    {"clocks.max.memory", "clocks.max.mem", "MHz", write_clock_memory},
    {"compute_mode", NULL, "", write_default},
    {"mig.mode.current", NULL, "", write_disabled},
    {"persistence_mode", NULL, "", write_disabled},
    {"display_mode", NULL, "", write_disabled},
    {"display_active", NULL, "", write_disabled},
    {"serial", "gpu_serial", "", write_nothing},
    {"vbios_version", NULL, "", write_nothing},
    {"pstate", NULL, "", write_nothing},
    {"utilization.gpu", NULL, "%", write_nothing},
    {"utilization.memory", NULL, "%", write_nothing},
    {"temperature.gpu", NULL, "", write_nothing},
    {"fan.speed", NULL, "%", write_nothing},
    {"power.draw", NULL, "W", write_nothing},
    {"power.limit", NULL, "W", write_nothing},
    {"power.max_limit", NULL, "W", write_nothing},
    {"clocks.current.sm", "clocks.sm", "MHz", write_nothing},
    {"clocks.current.graphics", "clocks.gr", "MHz", write_nothing},
    {"clocks.current.memory", "clocks.mem", "MHz", write_nothing},
    {"pcie.link.gen.current", NULL, "", write_nothing},
    {"pcie.link.gen.max", NULL, "", write_nothing},
    {"pcie.link.width.current", NULL, "", write_nothing},
    {"pcie.link.width.max", NULL, "", write_nothing},
    {"ecc.mode.current", NULL, "", write_nothing},
};

static const struct smi_field *find(const char *name) {
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0 || (all[i].other && strcmp(name, all[i].other) == 0))
            return &all[i];
    return NULL;
}

bool smi_read_fields(const char *names, const struct smi_field *fields[SMI_FIELDS], unsigned *count,
                     char unknown[SMI_TEXT]) {
    char copy[4096], *rest = copy;
    snprintf(copy, sizeof copy, "%s", names);
    *count = 0;
    for (char *name; (name = strsep(&rest, ","));) {
        name += strspn(name, " ");
        name[strcspn(name, " ")] = '\0';
        const struct smi_field *field = *count < SMI_FIELDS ? find(name) : NULL;
        snprintf(unknown, SMI_TEXT, "%.*s", SMI_TEXT - 1, name);
        if (!field)
            return false;
        fields[(*count)++] = field;
    }
    return true;
}
