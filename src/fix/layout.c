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

bool fix_of_elements(const struct fix_layout *elements, unsigned element_bytes,
                     struct fix_layout *bytes) {
    if (element_bytes == 0 || (element_bytes & (element_bytes - 1)) != 0)
        return false;
    const unsigned more = (unsigned)__builtin_ctz(element_bytes);
    *bytes = (struct fix_layout){.kind = elements->kind};
    if (elements->kind == FIX_PAD) {
        bytes->pitch = elements->pitch * element_bytes;
        bytes->pad = elements->pad * element_bytes;
        return bytes->pitch > 0;
    }
    bytes->bits = elements->bits;
    bytes->base = elements->base + more;
    bytes->shift = elements->shift + more;
    return bytes->bits < 32 && bytes->base < 32 && bytes->shift < 32;
}

enum fix_move fix_move_lanes(const struct fix_layout *layout, uint64_t start, uint64_t bytes,
                             uint32_t mask, unsigned width, const uint32_t offsets[32],
                             uint32_t moved[32]) {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t at = offsets[lane] - start;
        if (offsets[lane] < start || at + width > bytes)
            return FIX_OUTSIDE;
        if (!fix_keeps(layout, at, width))
            return FIX_TORN;
        moved[lane] = (uint32_t)(start + fix_place(layout, at));
    }
    return FIX_MOVED;
}
