// Where the lanes of a request are in another layout of their array.
#include "fix/layout.h"
#include "profile/cure.h"

static struct fix_layout in_elements(const struct profile_layout *layout) {
    static const enum fix_kind kinds[PROFILE_LAYOUTS] = {
        [PROFILE_PAD] = FIX_PAD, [PROFILE_SWIZZLE] = FIX_SWIZZLE, [PROFILE_MIRROR] = FIX_MIRROR};
    return (struct fix_layout){.kind = kinds[layout->kind],
                               .pitch = layout->row,
                               .pad = layout->pad,
                               .bits = layout->bits,
                               .base = layout->base,
                               .shift = layout->shift};
}

bool profile_cured_offsets(const struct profile_cure *cure, const struct profile_layout *layout,
                           uint64_t array_offset, uint32_t mask, unsigned width,
                           const uint32_t offsets[32], uint32_t cured[32]) {
    const struct fix_layout elements = in_elements(layout);
    struct fix_layout bytes; // a saved profile may say anything
    return fix_of_elements(&elements, cure->element_bytes, &bytes) &&
           fix_move_lanes(&bytes, array_offset + cure->offset, cure->bytes, mask, width, offsets,
                          cured) == FIX_MOVED;
}
