// What the simulated device says of itself: limits of the bank model's table, and for everything
// that the simulator does not have (clocks, caches, buses) the figures of one product of that
// architecture, so that programs which compute with them get plausible numbers.
#ifndef BANKRUN_CUDA_DEVICE_DEVICE_MODEL_H
#define BANKRUN_CUDA_DEVICE_DEVICE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "run/limits.h"

struct device_model {
    unsigned arch;
    struct run_limits limits; // of launches, as the host finds them
    char name[64];
    int clock_khz, memory_clock_khz, bus_bits, l2_bytes;
    int persisting_l2_bytes;
};

// `arch` is in the bank model's table.
struct device_model device_model_of(unsigned arch);

// Value of a cudaDeviceAttr. False: no such attribute.
bool device_model_attribute(const struct device_model *model, int attribute, int *value);

#endif
