/* In which wavefront each lane is served: one order that the rules allow, lowest lanes first. What
 * order the hardware takes inside a phase is not known; how many wavefronts there are is. */
#include "model.h"

#include <string.h>

struct place {
    uint32_t bank, row; /* lanes of one bank and one row are served together */
};

static bool is_by_lane(const struct bankrun_request *request) {
    return request->access == BANKRUN_ATOMIC || request->access == BANKRUN_ATOMIC_CAS ||
           bankrun_is_loop(request->access);
}

/* A unit's first bank stands for all that it fills. */
static struct place place_of(unsigned arch, const struct bankrun_request *request, unsigned lane) {
    uint32_t bytes = bankrun_bank_bytes(arch), offset = request->offsets[lane];
    uint32_t words = request->width > bytes ? request->width / bytes : 1;
    uint32_t bank = offset / bytes % 32 & ~(words - 1);
    return (struct place){bank, offset / (bankrun_family_of(arch) == BANKRUN_FAMILY_3 ? 256 : 128)};
}

/* Gives the lanes of one phase their wavefronts, from `first` on. Returns how many those are. */
static unsigned serve(unsigned arch, const struct bankrun_request *request, uint32_t lanes,
                      unsigned first, uint8_t of[BANKRUN_LANES]) {
    struct place places[BANKRUN_LANES];
    unsigned most = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest), turn = 0;
        places[lane] = place_of(arch, request, lane);
        for (uint32_t before = lanes & ((1u << lane) - 1); before != 0; before &= before - 1) {
            unsigned other = (unsigned)__builtin_ctz(before);
            if (places[other].bank != places[lane].bank)
                continue;
            if (places[other].row == places[lane].row && !is_by_lane(request)) {
                turn = of[other] - first;
                break;
            }
            turn = of[other] - first >= turn ? of[other] - first + 1u : turn;
        }
        of[lane] = (uint8_t)(first + turn);
        most = turn + 1 > most ? turn + 1 : most;
    }
    return most;
}

/* 1.x: each step broadcasts the word of the lowest lane left, and serves one lane of each other
 * bank; see legacy_1.c. */
static unsigned serve_family_1(const struct bankrun_request *request, uint32_t lanes,
                               unsigned first, uint8_t of[BANKRUN_LANES]) {
    unsigned step = 0;
    for (; lanes != 0; step++) {
        uint32_t broadcast = request->offsets[__builtin_ctz(lanes)] / 4;
        uint32_t busy = 1u << broadcast % 16, served = 0;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            uint32_t word = request->offsets[lane] / 4, bank = 1u << word % 16;
            if (word != broadcast && (busy & bank))
                continue;
            busy |= bank;
            served |= 1u << lane;
            of[lane] = (uint8_t)(first + step);
        }
        lanes &= ~served;
    }
    return step;
}

unsigned bankrun_schedule(unsigned arch, const struct bankrun_request *request,
                          uint8_t of[BANKRUN_LANES]) {
    enum bankrun_family family = bankrun_family_of(arch);
    uint32_t lanes, seen = 0;
    unsigned count = 0;
    memset(of, BANKRUN_NOT_SERVED, BANKRUN_LANES);
    for (unsigned n = 0; (lanes = bankrun_phase_lanes(arch, request, n)) != 0; n++) {
        if (lanes & seen) /* 1.x: the second word of wide accesses */
            break;
        seen |= lanes;
        count += family == BANKRUN_FAMILY_1 ? serve_family_1(request, lanes, count, of)

                                            : serve(arch, request, lanes, count, of);
    }
    return count;
}
