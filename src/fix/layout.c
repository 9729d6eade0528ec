// Where the bytes of an array lie in a layout. See layout.h.
#include "fix/layout.h"

static uint64_t ones(uint32_t bits) {
    return ((uint64_t)1 << bits) - 1;
}

uint64_t fix_bytes(const struct fix_layout *layout, uint64_t bytes) {
    if (layout->kind != FIX_PAD)
        return bytes;
    return bytes + (bytes + layout->pitch - 1) / layout->pitch * layout->pad;
}

bool fix_fits(const struct fix_layout *layout, uint64_t bytes) {
    return (layout->kind != FIX_SWIZZLE && layout->kind != FIX_MIRROR) ||
           bytes % (ones(layout->base + layout->bits) + 1) == 0;
}
