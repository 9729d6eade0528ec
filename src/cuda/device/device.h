// Device properties, for the entry points that differ between versions.
#ifndef BANKRUN_CUDA_DEVICE_DEVICE_H
#define BANKRUN_CUDA_DEVICE_DEVICE_H

#include <stdio.h>

#include "cuda/core/state.h"

enum { DEVICE_BUS_NUMBER = 33 }; // of PCI

// Value of a device's attribute. False: no such attribute.
static inline bool device_attribute(const struct cuda_state *state, int device, int attribute,
                                    int *value) {
    if (attribute == DEVICE_BUS_NUMBER) {
        *value = device;
        return true;
    }
    return device_model_attribute(&state->device, attribute, value);
}

// Value of an attribute that exists.
static inline int device_value(const struct cuda_state *state, int device, int attribute) {
    int value = 0;
    device_attribute(state, device, attribute, &value);
    return value;
}

// 16 bytes, different for each device.
static inline void device_uuid(int device, char uuid[16]) {
    char text[17];
    snprintf(text, sizeof text, "bankrun device%02u", (unsigned)device % 100);
    for (int i = 0; i < 16; i++)
        uuid[i] = text[i];
}

#endif
