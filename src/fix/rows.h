// The rows of a shared array, by how lanes go about in it: nothing else tells of them, since PTX
// declares bytes.
//
// Lanes of a regular request are at places of one, two or three strides: runs of lanes with an
// equal distance, runs of runs. A stride of 32 bytes or more may be that from row to row. It is not
// where some run goes by smaller steps over the end of such a row - unless its elements lie side by
// side, as those of a row after the other do. Of those that may, the largest is taken for the rows
// of the declaration: smaller ones are steps within it. What is no row an index can pad after.
#ifndef BANKRUN_FIX_ROWS_H
#define BANKRUN_FIX_ROWS_H

#include "fix/search.h"

// Adds the rows of `problem->requests` to its array: that of the declaration, which are padded by
// it, then other strides and powers of two, by an index.
void fix_find_rows(struct fix_problem *problem);

// The row of the declaration alone, in bytes; 0: none is seen.
uint64_t fix_declared_row(const struct fix_problem *problem);

#endif
