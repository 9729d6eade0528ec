// Requests on their banks by wavefront, with what collides in them.
#include "report/drawing.h"

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
    if (picture->banks == 0 || picture->banks > VIEW_MAX_BANKS)
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

static bool shares(unsigned arch, const struct view_drawing *drawing, unsigned lane,
                   unsigned word) {
    const uint32_t *offsets = drawing->request->offsets, at = offsets[lane] / 4 + word;
    const uint32_t others =
        drawing->wavefronts.lanes[drawing->row_of[lane]][bankrun_bank(arch, 4 * at)] &
        ~(1u << lane);
    for (uint32_t rest = others; rest != 0; rest &= rest - 1) {
        const uint32_t first = offsets[__builtin_ctz(rest)] / 4;
        if (first <= at && at < first + drawing->words)
            return true;
    }
    return false;
}

uint32_t view_mark_of(unsigned arch, const struct view_drawing *drawing, unsigned lane,
                      unsigned word) {
    const unsigned row = drawing->row_of[lane];
    const unsigned bank = bankrun_bank(arch, drawing->request->offsets[lane] + 4 * word);
    return (drawing->wavefronts.waited[row] >> bank & 1 ? VIEW_COLLIDES : VIEW_ALONE) |
           (shares(arch, drawing, lane, word) ? VIEW_SHARES : VIEW_ALONE);
}

bool view_draw(unsigned arch, const struct bankrun_request *request, struct view_drawing *drawing) {
    *drawing = (struct view_drawing){.request = request,
                                     .words = request->width > 4 ? request->width / 4 : 1};
    if (!view_wavefronts_of(arch, request, &drawing->wavefronts) ||
        drawing->words > VIEW_MOST_WORDS)
        return false;
    bankrun_schedule(arch, request, drawing->row_of);
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        if (drawing->row_of[lane] < VIEW_MAX_WAVEFRONTS)
            drawing->lanes[drawing->active++] = lane;
    return drawing->active > 0;
}
