// What the stand-in for nvidia-smi knows: the devices as NVML tells of them, and the fields that it
// can be asked for.
#ifndef BANKRUN_STANDIN_SMI_H
#define BANKRUN_STANDIN_SMI_H

#include <stdbool.h>

enum { SMI_DEVICES = 64, SMI_TEXT = 128, SMI_FIELDS = 64 };

struct smi_device {
    unsigned index;
    char name[96], uuid[96];
    char address[32]; // of PCI
    unsigned bus, domain, slot;
    int major, minor;
    unsigned long long total, used, free; // bytes
    unsigned clock_sm, clock_memory;      // MHz, the highest
};

struct smi_devices {
    unsigned count;
    unsigned in_all; // whatever was left out
    char driver[96], cuda[16];
    struct smi_device all[SMI_DEVICES];
};

struct smi_field {
    const char *name, *other; // NULL: it has one name
    const char *unit;         // "": none
    // False: it is not known of simulated devices.
    bool (*write)(const struct smi_devices *devices, const struct smi_device *device,
                  char text[SMI_TEXT]);
};

// False: there is no NVML.
bool smi_find_devices(struct smi_devices *devices);
// Keeps the one that is meant: index, UUID or PCI address. False: there is none.
bool smi_keep(struct smi_devices *devices, const char *which);

// False: a name is none of a field, or there are too many. It is put into unknown.
bool smi_read_fields(const char *names, const struct smi_field *fields[SMI_FIELDS], unsigned *count,
                     char unknown[SMI_TEXT]);

#endif
