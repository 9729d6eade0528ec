// Inside the explorer: answers as JSON.
#ifndef BANKRUN_EXPLORER_WRITE_H
#define BANKRUN_EXPLORER_WRITE_H

#include "base/strbuf.h"
#include "explain/ask.h"

void explorer_write(const struct explain_answer *answer, bool has_pictures, struct strbuf *out);
void explorer_write_error(const struct diag_list *diags, struct strbuf *out);

#endif
