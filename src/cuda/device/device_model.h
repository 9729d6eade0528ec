// What the simulated device says of itself: limits of the bank model's table, and for everything
// that the simulator does not have (clocks, caches, buses) the figures of one product of that
// architecture, so that programs which compute with them get plausible numbers.
#ifndef BANKRUN_CUDA_DEVICE_DEVICE_MODEL_H
#define BANKRUN_CUDA_DEVICE_DEVICE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "bankrun/banks.h"

struct device_model {
    unsigned arch;
    const struct bankrun_limits *limits;
    char name[64];
    int multiprocessors;
    int clock_khz, memory_clock_khz, bus_bits, l2_bytes;
    int persisting_l2_bytes;
    int max_block[3], max_grid[3];
    int shared_default; // a block's shared memory without opt-in
};

// `arch` is in the bank model's table.
struct device_model device_model_of(unsigned arch);

// Value of a cudaDeviceAttr. False: no such attribute.
bool device_model_attribute(const struct device_model *model, int attribute, int *value);

#endif
