/* Which lanes of a request are served together, on architectures 5.0 and later.
 *
 * Up to 4 bytes a lane the whole warp is one phase; 8 bytes: two halves of 16 lanes; 16 bytes:
 * four quarters of 8. A wide load whose neighbouring lanes read the same address (the pair rule)
 * needs half as many phases. Each 8x8 matrix is a phase of the 8 lanes that give its rows. */
#include "model.h"

uint32_t bankrun_active_lanes(const struct bankrun_request *request) {
    if (request->matrices == 0)
        return request->mask;
    return request->matrices >= 4 ? 0xffffffffu : (1u << 8 * request->matrices) - 1;
}

/* Every active lane n has the address of lane n ^ distance, wherever that lane is active. */
static bool neighbours_agree(uint32_t mask, const uint32_t *offsets, unsigned distance) {
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        unsigned other = lane | distance;
        if (other != lane && (mask >> lane & mask >> other & 1) && offsets[lane] != offsets[other])
            return false;
    }
    return true;
}

/* Over the whole warp: halves that follow different distances do not count. */
bool bankrun_pair_rule(uint32_t mask, const uint32_t *offsets) {
    return neighbours_agree(mask, offsets, 1) || neighbours_agree(mask, offsets, 2);
}

void bankrun_modern_shape(const struct bankrun_request *request, struct bankrun_shape *shape) {
    unsigned wide = request->width == 16 ? 2 : request->width == 8 ? 1 : 0;
    shape->unit_shift = 2 + wide;
    shape->row_shift = 5 - wide;
    shape->phase_shift = 5 - wide;
    if (wide > 0 && request->access == BANKRUN_LOAD &&
        bankrun_pair_rule(request->mask, request->offsets))
        shape->phase_shift++;
}

unsigned bankrun_active_phases(const struct bankrun_shape *shape, uint32_t mask) {
    unsigned active = 0;
    for (unsigned n = 0; n < bankrun_shape_phases(shape); n++)
        active += (mask & bankrun_shape_lanes(shape, n)) != 0;
    return active;
}
