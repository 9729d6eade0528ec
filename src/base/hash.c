#include "base/hash.h"

#define XXH_INLINE_ALL // no library of it where only this is linked
#include <xxhash.h>

uint64_t hash_bytes(const void *bytes, size_t length) {
    return XXH3_64bits(bytes, length);
}
