/* The least time of an access. Measured on compute capability 9.0, see docs/bank-rules.md: the data
 * path takes one wavefront a cycle, but holds wide accesses longer than their wavefronts. Assumed
 * for the other architectures from 5.0 on; before, only the wavefronts are counted. */
#include "model.h"

static unsigned floor_of(const struct bankrun_request *request) {
    unsigned width = request->width;
    switch (request->access) {
    case BANKRUN_LOAD: /* with the pair rule the whole warp is one access, else each half is one, */
        if (width < 8) /* be it without a lane */
            return 1;
        return bankrun_pair_rule(request->mask, request->offsets) ? width / 8 : width / 4;
    case BANKRUN_GENERIC_LOAD:
        return width < 8 ? 1 : width / 4;
    case BANKRUN_STORE:
        return width == 16 ? 4 : width == 8 ? 2 : 1;
    case BANKRUN_ATOMIC_CAS:
        return width == 8 ? 4 : 2;
    default:
        return 1;
    }
}

uint32_t bankrun_cycles(unsigned arch, const struct bankrun_request *request,
                        const struct bankrun_cost *cost) {
    unsigned least = bankrun_family_of(arch) == BANKRUN_FAMILY_MODERN ? floor_of(request) : 1;
    return cost->wavefronts > least ? cost->wavefronts : least;
}
