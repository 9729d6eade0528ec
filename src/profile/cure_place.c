// Where the lanes of a request are in another layout of their array.
#include "fix/layout.h"
#include "profile/cure.h"

static struct fix_layout in_bytes(const struct profile_layout *layout, unsigned element) {
    const unsigned bits = (unsigned)__builtin_ctz(element);
    if (layout->kind != PROFILE_PAD)
        return (struct fix_layout){.kind =
                                       layout->kind == PROFILE_MIRROR ? FIX_MIRROR : FIX_SWIZZLE,
                                   .bits = layout->bits,
                                   .base = layout->base + bits,
                                   .shift = layout->shift + bits};
    return (struct fix_layout){
        .kind = FIX_PAD, .pitch = layout->row * element, .pad = layout->pad * element};
}

// A saved profile may say anything.
static bool is_layout(const struct profile_cure *cure, const struct fix_layout *layout) {
    const unsigned element = cure->element_bytes;
    if (element == 0 || (element & (element - 1)) != 0)
        return false;
    return layout->kind == FIX_PAD ? layout->pitch > 0
                                   : layout->bits < 32 && layout->base < 32 && layout->shift < 32;
}

bool profile_cured_offsets(const struct profile_cure *cure, const struct profile_layout *layout,
                           uint64_t array_offset, uint32_t mask, unsigned width,
                           const uint32_t offsets[32], uint32_t cured[32]) {
    if (cure->element_bytes == 0)
        return false;
    const struct fix_layout bytes = in_bytes(layout, cure->element_bytes);
    const uint64_t start = array_offset + cure->offset;
    if (!is_layout(cure, &bytes))
        return false;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t at = offsets[lane] - start;
        if (offsets[lane] < start || at + width > cure->bytes || !fix_keeps(&bytes, at, width))
            return false;
        cured[lane] = (uint32_t)(array_offset + cure->offset + fix_place(&bytes, at));
    }
    return true;
}
