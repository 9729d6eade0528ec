// Rows of shared arrays as the source declares them, which PTX does not say. Who knows the source
// tells them before the first launch (bankrun fix, through BANKRUN_ROWS).
#ifndef BANKRUN_PROFILE_DECLARED_H
#define BANKRUN_PROFILE_DECLARED_H

#include <stdbool.h>
#include <stdint.h>

// "tile:4096:128:4,..." (an array's name, its bytes, those of a row and of an element; 0 bytes: a
// launch says how many), for the life of the process. False: it is nothing of the kind, and nothing
// is declared.
bool profile_declare_rows(const char *text);
// Whether that was called: arrays of which nothing was said then have no rows, and what cures are
// looked for may take its time.
bool profile_knows_rows(void);

struct profile_rows {
    uint64_t row_bytes, element_bytes;
};

// Number `n` (0, 1, ...) of what was said about arrays of that name and size. False: no more was.
bool profile_declared_rows(const char *array, uint64_t bytes, unsigned n,
                           struct profile_rows *rows);

#endif
