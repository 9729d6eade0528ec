// One line on a terminal about work that takes long, drawn over itself and cleared at the end.
#ifndef BANKRUN_BASE_PROGRESS_H
#define BANKRUN_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *out;           // NULL: nothing is shown
    const char *name;    // of a kernel, as the module has it; borrowed
    char label[33];      // what is shown of it
    double start, shown; // seconds of progress_now
    bool is_visible;
};

// Work that takes less than half a second shows nothing.
void progress_begin(struct progress *progress, FILE *out, const char *name);
void progress_update(struct progress *progress, uint64_t blocks_done, uint64_t blocks,
                     uint64_t instructions);
void progress_end(struct progress *progress);

// Seconds of a clock that only goes forward.
double progress_now(void);

#endif
