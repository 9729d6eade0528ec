// Inside the injected library: CUPTI, by which profilers measure GPUs. Each of its functions asks
// the driver for tables that have no documents, and without them never returns: it calls itself
// for the text of its own error. What computes nothing is answered here.
#ifndef BANKRUN_INJECT_CUPTI_H
#define BANKRUN_INJECT_CUPTI_H

#include <stdint.h>

enum { CUPTI_NOT_SUPPORTED = 27 };

// The version of the headers that came with the loaded library: JAX asks as it starts.
int inject_cupti_version(uint32_t *version);

int inject_cupti_text(int result, const char **text);
int inject_cupti_last_error(void);

#endif
