// A request on its banks in numbers of 32 bits, as a script reads them from the module's memory.
#ifndef BANKRUN_EXPLORER_LANES_H
#define BANKRUN_EXPLORER_LANES_H

#include "report/drawing.h"

struct explorer_lanes {
    uint32_t banks;  // of the architecture
    uint32_t rows;   // wavefronts that are drawn: of the first pass, where there are several
    uint32_t active; // lanes that are drawn; the tables have so many entries, in order of lanes
    uint32_t words;  // of each lane
    uint32_t lane[BANKRUN_LANES], offset[BANKRUN_LANES]; // bytes
    uint32_t row[BANKRUN_LANES];                         // from 0 on
    uint32_t bank[VIEW_MOST_WORDS][BANKRUN_LANES];
    uint32_t mark[VIEW_MOST_WORDS][BANKRUN_LANES]; // enum view_mark
};

// False: there is nothing to draw.
bool explorer_draw(unsigned arch, const struct bankrun_request *request,
                   struct explorer_lanes *lanes);

#endif
