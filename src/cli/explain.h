// Inside bankrun explain: its options become a question, and the answers are written.
#ifndef BANKRUN_CLI_EXPLAIN_H
#define BANKRUN_CLI_EXPLAIN_H

#include "base/strbuf.h"
#include "cli/options.h"
#include "explain/ask.h"

// width: columns, 0: the page's own.
void explain_write_text(const struct explain_answer *answer, bool color, unsigned width,
                        struct strbuf *out);
void explain_write_csv(const struct explain_answer *answer, struct strbuf *out);
void explain_write_json(const struct explain_answer *answer, struct strbuf *out);

// Of --block, --grid and --block-index. False: one is wrong, which was printed.
bool explain_read_launch(const struct cli_options *options, struct explain_launch *launch);
// Reads --requests and writes its rows with their costs. The exit status.
int explain_requests_run(const struct cli_options *options);

#endif
