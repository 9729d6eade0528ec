// Matrices in shared memory: see lanes/matrix/wgmma_tile.h.
#include "sim/lanes/matrix/wgmma_tile.h"
#include "sim/emit.h"

enum { UNIT = 16, GROUP = 8 };

static uint32_t field(uint64_t descriptor, unsigned from) {
    return (uint32_t)(descriptor >> from & 0x3fff) << 4;
}

struct wgmma_tile SIM_NAME(wgmma_read_descriptor)(uint64_t descriptor, bool is_transposed) {
    static const uint8_t widths[] = {1, 8, 4, 2};
    const uint32_t leading = field(descriptor, 16), stride = field(descriptor, 32);
    const uint32_t width = widths[descriptor >> 62];
    // Without swizzle the two offsets keep their directions in the matrix, not in memory.
    const bool is_turned = is_transposed && width == 1;
    return (struct wgmma_tile){.start = field(descriptor, 0),
                               .lines = is_turned ? leading : stride,
                               .across = is_turned ? stride : leading,
                               .width = width,
                               .base = (uint32_t)(descriptor >> 49 & 7)};
}

static uint32_t unit_offset(const struct wgmma_tile *t, unsigned line, unsigned unit) {
    const uint32_t at = t->start + line / GROUP * t->lines + line % GROUP * UNIT * t->width +
                        unit / t->width * t->across + unit % t->width * UNIT;
    return at ^ ((at / 128 - t->base) & (t->width - 1)) * UNIT;
}

LANES_INLINE void spread(const uint8_t *unit, unsigned bits, unsigned step, uint32_t *to) {
    uint32_t words[4];
    uint16_t halves[8];
    switch (bits) {
    case 8:
        for (unsigned i = 0; i < 16; i++)
            to[i * step] = unit[i];
        return;
    case 16:
        memcpy(halves, unit, sizeof halves);
        for (unsigned i = 0; i < 8; i++)
            to[i * step] = halves[i];
        return;
    default:
        memcpy(words, unit, sizeof words);
        for (unsigned i = 0; i < 4; i++)
            to[i * step] = words[i];
    }
}

bool SIM_NAME(wgmma_read_tile)(const struct sim_block *block, const struct wgmma_tile *tile,
                               const struct wgmma_shape *shape, uint32_t *elements,
                               uint32_t *offset) {
    const unsigned each = 8 * UNIT / shape->bits;
    for (unsigned line = 0; line < shape->lines; line++)
        for (unsigned unit = 0; unit < shape->elements / each; unit++) {
            *offset = unit_offset(tile, line, unit);
            if (block->shared_bytes < UNIT || *offset > block->shared_bytes - UNIT)
                return false;
            spread(block->shared + *offset, shape->bits, shape->element_step,
                   elements + line * shape->line_step + unit * each * shape->element_step);
        }
    return true;
}

void SIM_NAME(wgmma_tell_tile)(struct sim_warp *warp, const struct sim_instr *instr,
                               const struct wgmma_tile *tile, const struct wgmma_shape *shape) {
    const struct mem_request request = {warp, instr, IR_NONE, UNIT, EVENT_READ, FULL_MASK};
    const unsigned units = shape->elements * shape->bits / (8 * UNIT), all = shape->lines * units;
    uint32_t offsets[LANES] = {0};
    for (unsigned first = 0; sim_is_heard(&request) && first < all; first += LANES) {
        const unsigned count = all - first < LANES ? all - first : LANES;
        for (unsigned l = 0; l < count; l++)
            offsets[l] = unit_offset(tile, (first + l) / units, (first + l) % units);
        sim_emit_shared(&request, count == LANES ? FULL_MASK : (1u << count) - 1, offsets,
                        EVENT_ANY_PATTERN, warp->block);
    }
}
