// The bank model and the expressions of bankrun explain for other programs that hold no process:
// compiled to WebAssembly, a page or a script asks here (docs/explorer).
#ifndef BANKRUN_EXPLORER_EXPLORER_H
#define BANKRUN_EXPLORER_EXPLORER_H

#include <stddef.h>

#include "base/strbuf.h"

// fields: "name\0value\0name\0value\0", the options of bankrun explain by their names: expression,
// shared, let (any number of them), if, block, grid, block-index, warp, access (load, store or
// atomic), width, base, arch (90; none: one for each generation), bank-mode (4, 8), and pictures
// (1: each lane's bank and wavefront, too). An empty value is as none, but of expression.
//
// Appends JSON: what `bankrun explain --format json` writes of each request, with a picture; or
// {"error": TEXT}, the message with the caret that bankrun explain prints.
void explorer_answer(const char *fields, size_t length, struct strbuf *out);

#endif
