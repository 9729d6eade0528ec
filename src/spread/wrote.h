// Inside the spread: what a rank wrote, on its way.
#ifndef BANKRUN_SPREAD_WROTE_H
#define BANKRUN_SPREAD_WROTE_H

#include <stddef.h>

// Both: caller frees.
char *spread_pack(const char *plain, size_t length, size_t *packed_length);
// NULL: it cannot be read.
char *spread_unpack(const char *packed, size_t length, size_t *plain_length);

#endif
