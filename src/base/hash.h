// One hash for all tables. The same in every run; not to be saved.
#ifndef BANKRUN_BASE_HASH_H
#define BANKRUN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t length);

#endif
