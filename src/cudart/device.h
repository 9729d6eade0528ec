// Device properties, for the entry points that differ between versions.
#ifndef BANKRUN_CUDART_DEVICE_H
#define BANKRUN_CUDART_DEVICE_H

#include "cudart/device_model.h"

// Value of an attribute that exists.
static inline int device_value(const struct device_model *model, int attribute) {
    int value = 0;
    device_model_attribute(model, attribute, &value);
    return value;
}

#endif
