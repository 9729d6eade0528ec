// Which wavefront serves each lane of a request, from which banks, and what collides: tables of it.
#include "explorer/lanes.h"

bool explorer_draw(unsigned arch, const struct bankrun_request *request,
                   struct explorer_lanes *lanes) {
    struct view_drawing drawing;
    *lanes = (struct explorer_lanes){0};
    if (!view_draw(arch, request, &drawing))
        return false;
    lanes->banks = drawing.wavefronts.banks;
    lanes->rows = drawing.wavefronts.count;
    lanes->active = drawing.active;
    lanes->words = drawing.words;
    for (unsigned i = 0; i < drawing.active; i++) {
        const unsigned lane = drawing.lanes[i];
        lanes->lane[i] = lane;
        lanes->offset[i] = request->offsets[lane];
        lanes->row[i] = drawing.row_of[lane];
        for (unsigned word = 0; word < drawing.words; word++) {
            lanes->bank[word][i] = bankrun_bank(arch, request->offsets[lane] + 4 * word);
            lanes->mark[word][i] = view_mark_of(arch, &drawing, lane, word);
        }
    }
    return true;
}
