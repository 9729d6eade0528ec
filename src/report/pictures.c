// Requests on their banks: by word, of the busiest phase, and by wavefront.
#include "bankrun/banks.h"
#include "report/build.h"

struct view_banks *view_banks_of(struct view_builder *builder, unsigned arch,
                                 const struct profile_site *site) {
    struct profile_bank_map map;
    if (!profile_map_banks(arch, site, &map))
        return NULL;
    struct view_banks *banks = ARENA_NEW(builder->arena, struct view_banks);
    banks->map = map;
    for (uint32_t rest = map.lanes; rest != 0; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        banks->of[lane].word = site->worst_offsets[lane] / 4;
        banks->of[lane].bank = bankrun_bank(arch, site->worst_offsets[lane]);
    }
    return banks;
}

// Whether another wavefront of the same phase serves this bank: lanes wait for each other.
static bool has_waited(const struct view_wavefronts *picture, const uint32_t *phases, unsigned row,
                       unsigned bank) {
    uint32_t phase = 0;
    for (unsigned n = 0; phases[n] && !phase; n++)
        phase = phases[n] & picture->lanes[row][bank] ? phases[n] : 0;
    for (unsigned other = 0; other < picture->count; other++)
        if (other != row && picture->lanes[other][bank] & phase)
            return true;
    return false;
}

bool view_wavefronts_of(unsigned arch, const struct bankrun_request *request,
                        struct view_wavefronts *picture) {
    uint8_t row_of[BANKRUN_LANES];
    uint32_t phases[BANKRUN_LANES + 1] = {0};
    unsigned words = request->width > 4 ? request->width / 4 : 1;
    *picture = (struct view_wavefronts){.banks = bankrun_banks(arch)};
    if (picture->banks == 0 || picture->banks > PROFILE_MAX_BANKS)
        return false;
    picture->count = bankrun_schedule(arch, request, row_of);
    if (picture->count > VIEW_MAX_WAVEFRONTS)
        picture->count = VIEW_MAX_WAVEFRONTS;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        for (unsigned k = 0; k < words && row_of[lane] < VIEW_MAX_WAVEFRONTS; k++)
            picture->lanes[row_of[lane]][bankrun_bank(arch, request->offsets[lane] + 4 * k)] |=
                1u << lane;
    for (unsigned n = 0; n < BANKRUN_LANES; n++)
        if ((phases[n] = bankrun_phase_lanes(arch, request, n)) == 0)
            break;
    for (unsigned row = 0; row < picture->count; row++)
        for (unsigned bank = 0; bank < picture->banks; bank++)
            if (picture->lanes[row][bank] && has_waited(picture, phases, row, bank))
                picture->waited[row] |= 1u << bank;
    return picture->count > 0;
}
