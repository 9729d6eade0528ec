#include "spread/wrote.h"

#include <lz4.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static char *allocate(size_t bytes) {
    char *at = malloc(bytes ? bytes : 1);
    if (!at)
        base_out_of_memory(bytes);
    return at;
}

char *spread_pack(const char *plain, size_t length, size_t *packed_length) {
    const int room = LZ4_compressBound((int)length);
    const uint64_t bytes = length;
    char *packed = allocate(sizeof bytes + (size_t)room);
    memcpy(packed, &bytes, sizeof bytes);
    const int size = LZ4_compress_default(plain, packed + sizeof bytes, (int)length, room);
    *packed_length = sizeof bytes + (size_t)size;
    return packed;
}

char *spread_unpack(const char *packed, size_t length, size_t *plain_length) {
    uint64_t bytes = 0;
    if (length < sizeof bytes || length > INT32_MAX)
        return NULL;
    memcpy(&bytes, packed, sizeof bytes);
    if (bytes > INT32_MAX)
        return NULL;
    char *plain = allocate((size_t)bytes);
    *plain_length = (size_t)bytes;
    if (LZ4_decompress_safe(packed + sizeof bytes, plain, (int)(length - sizeof bytes),
                            (int)bytes) == (int)bytes)
        return plain;
    free(plain);
    return NULL;
}
