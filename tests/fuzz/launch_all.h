// Launches the kernels of a module.
#ifndef BANKRUN_FUZZ_LAUNCH_ALL_H
#define BANKRUN_FUZZ_LAUNCH_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Any bytes as a module of kernels: what is taken runs, a few warps of it for a few instructions,
// and ends well or in a fault with words, whatever it does with its memory. `is_checked`: all
// checkers listen, and it runs in another order as well. False: it was refused.
bool fuzz_launch_all(const uint8_t *data, size_t size, bool is_checked);

#endif
