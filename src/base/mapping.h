// What the process itself may do with its memory.
#ifndef BANKRUN_BASE_MAPPING_H
#define BANKRUN_BASE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

// Whether all of [address, address + bytes) is mapped and may be read, and written if `write`. True
// where the system does not say.
bool mapping_allows(uint64_t address, uint64_t bytes, bool write);

#endif
