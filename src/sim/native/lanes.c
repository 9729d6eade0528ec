// Lanes that lie anywhere, one by one, for native code. See struct compiled_links.
#include <string.h>

#include "sim/native/native_internal.h"

static inline uint64_t place_of(const uint8_t *shared, const void *offsets, uint32_t lane) {
    const int32_t *near = offsets;
    const uint64_t *far = offsets;
    return shared ? (uint64_t)(uintptr_t)(shared + near[lane]) : far[lane];
}

// A copy of each element, of so many bytes that it is one instruction.
#define EACH(bytes, to, from)                                                                      \
    EACH_LANE(l, mask) {                                                                           \
        uint8_t *at = (uint8_t *)(uintptr_t)place_of(shared, offsets, l);                          \
        for (uint32_t e = 0; e < (elements & 0xff); e++)                                           \
            memcpy(to, from, bytes);                                                               \
    }
#define PLACE(bytes) (at + e * (bytes))
#define VALUE(bytes) (values + (e * LANES + l) * (bytes))

void sim_native_load_lanes(const uint8_t *shared, const void *offsets, uint8_t *values,
                           uint32_t elements, uint32_t mask) {
    switch (elements >> 8) {
    case 1:
        EACH(1, VALUE(1), PLACE(1))
        break;
    case 2:
        EACH(2, VALUE(2), PLACE(2))
        break;
    case 4:
        EACH(4, VALUE(4), PLACE(4))
        break;
    default:
        EACH(8, VALUE(8), PLACE(8))
    }
}

void sim_native_store_lanes(uint8_t *shared, const void *offsets, const uint8_t *values,
                            uint32_t elements, uint32_t mask) {
    switch (elements >> 8) {
    case 1:
        EACH(1, PLACE(1), VALUE(1))
        break;
    case 2:
        EACH(2, PLACE(2), VALUE(2))
        break;
    case 4:
        EACH(4, PLACE(4), VALUE(4))
        break;
    default:
        EACH(8, PLACE(8), VALUE(8))
    }
}
