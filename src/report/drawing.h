// A request on its banks by wavefront: which one serves each lane, from which banks, and where
// lanes collide or share a word. All of it is the bank model's answer; nothing here knows profiles.
#ifndef BANKRUN_REPORT_DRAWING_H
#define BANKRUN_REPORT_DRAWING_H

#include "bankrun/banks.h"

enum { VIEW_MAX_WAVEFRONTS = 64, VIEW_MAX_BANKS = 32, VIEW_MOST_WORDS = 4 };

struct view_wavefronts {
    unsigned banks, count;
    uint32_t lanes[VIEW_MAX_WAVEFRONTS][VIEW_MAX_BANKS]; // that each of them serves, by bank
    uint32_t waited[VIEW_MAX_WAVEFRONTS]; // bit n: others of the phase met these lanes in bank n
};

// False: the architecture has no model, or no such request.
bool view_wavefronts_of(unsigned arch, const struct bankrun_request *request,
                        struct view_wavefronts *picture);

struct view_drawing {
    const struct bankrun_request *request;
    struct view_wavefronts wavefronts;
    uint8_t row_of[BANKRUN_LANES];
    unsigned active, words; // lanes; words of each
    unsigned lanes[BANKRUN_LANES];
};

// The request is borrowed. False: there is nothing to draw.
bool view_draw(unsigned arch, const struct bankrun_request *request, struct view_drawing *drawing);

enum view_mark { VIEW_ALONE, VIEW_COLLIDES = 1, VIEW_SHARES = 2 }; // both at once, too

// Of one of the words that a drawn lane accesses.
uint32_t view_mark_of(unsigned arch, const struct view_drawing *drawing, unsigned lane,
                      unsigned word);

#endif
