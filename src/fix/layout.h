// Layouts of one shared array: where each of its bytes lies when its rows are padded, or its
// elements swizzled or mirrored. What is asked of the bank model stays in `banks`.
#ifndef BANKRUN_FIX_LAYOUT_H
#define BANKRUN_FIX_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum fix_kind {
    FIX_AS_IS,
    FIX_PAD,     // each `pitch` bytes are followed by `pad` that nobody uses
    FIX_SWIZZLE, // offset ^ ((offset >> shift & ones(bits)) << base), ones(n) = (1 << n) - 1
    FIX_MIRROR,  // offset ^ ((offset >> shift & 1) * ones(bits) << base): every second run of
                 // 1 << shift bytes goes backwards in each 1 << (base + bits) of them
};

// CuTe writes a swizzle as Swizzle<bits, base, shift - base> of what its layout counts in; here it
// is of bytes.
struct fix_layout {
    enum fix_kind kind;
    uint32_t pitch, pad;
    uint32_t bits, base, shift; // base + bits <= shift
};

// Where the byte `offset` of the array lies. Inline, as is what follows: the search asks for all
// lanes of all requests in all layouts.
static inline uint64_t fix_place(const struct fix_layout *layout, uint64_t offset) {
    switch (layout->kind) {
    case FIX_PAD:
        return offset + offset / layout->pitch * layout->pad;
    case FIX_SWIZZLE:
        return offset ^
               ((offset >> layout->shift & (((uint64_t)1 << layout->bits) - 1)) << layout->base);
    case FIX_MIRROR:
        return offset ^ ((offset >> layout->shift & 1) * (((uint64_t)1 << layout->bits) - 1)
                         << layout->base);
    case FIX_AS_IS:
        break;
    }
    return offset;
}

// Whether `width` bytes at an offset that is a multiple of it stay side by side, and aligned.
static inline bool fix_keeps(const struct fix_layout *layout, uint64_t offset, unsigned width) {
    const uint64_t place = fix_place(layout, offset);
    return place % width == 0 && fix_place(layout, offset + width - 1) == place + width - 1;
}

// Bytes that an array of so many takes. The last row is padded, too, as in a declaration.
uint64_t fix_bytes(const struct fix_layout *layout, uint64_t bytes);

// Whether an array of so many bytes can have the layout: neither a swizzle nor a mirror may leave
// it.
bool fix_fits(const struct fix_layout *layout, uint64_t bytes);

// The same layout, whose numbers were of elements, in bytes. False: elements are no power of two
// long, or the layout's numbers are none that a layout has.
bool fix_of_elements(const struct fix_layout *elements, unsigned element_bytes,
                     struct fix_layout *bytes);

enum fix_move {
    FIX_MOVED,
    FIX_OUTSIDE, // a lane accesses something else than the array
    FIX_TORN,    // the bytes of a lane do not stay side by side, and aligned
};

// The offsets that all lanes in `mask` of a request have when the array of so many bytes, which
// begins at `start`, has the layout. Others stay as they are.
enum fix_move fix_move_lanes(const struct fix_layout *layout, uint64_t start, uint64_t bytes,
                             uint32_t mask, unsigned width, const uint32_t offsets[32],
                             uint32_t moved[32]);

#endif
