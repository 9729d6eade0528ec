// A recorded request in another layout of its array, for the sliders of the HTML report. All
// numbers have 32 bits: a script writes the question into the module's memory and reads the answer
// there (src/report/html/layouts.js has the same order).
#ifndef BANKRUN_EXPLORER_REDRAW_H
#define BANKRUN_EXPLORER_REDRAW_H

#include "explorer/lanes.h"

struct redraw_question {
    uint32_t arch;                          // as in bankrun/banks.h, with its bank mode
    uint32_t access, width, matrices, mask; // of a struct bankrun_request
    uint32_t start, bytes;                  // of the array in shared memory; 0 bytes: not known
    uint32_t element;                       // bytes of one
    // enum fix_kind, and the layout's numbers in elements; fix/layout.h
    uint32_t kind, pitch, pad, bits, base, shift;
    uint32_t offsets[BANKRUN_LANES]; // as recorded, in bytes from the start of shared memory
};

enum redraw_status {
    REDRAW_OK,
    REDRAW_NO_LAYOUT, // its numbers are none of a layout
    REDRAW_LEAVES,    // some element of the array would lie outside of it
    REDRAW_OUTSIDE,   // a lane accesses something else than the array
    REDRAW_TORN,      // the bytes of a lane do not stay side by side, and aligned
    REDRAW_NO_REQUEST // the bank model has no such request
};

struct redraw_answer {
    uint32_t status; // what follows is 0 where it is not REDRAW_OK
    uint32_t wavefronts, ideal, degree;
    struct explorer_lanes lanes;
};

void explorer_redraw(const struct redraw_question *question, struct redraw_answer *answer);

#endif
