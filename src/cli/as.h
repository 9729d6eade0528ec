// Inside the command line: whose accesses to shared memory a run counts (--as, BANKRUN_AS).
#ifndef BANKRUN_CLI_AS_H
#define BANKRUN_CLI_AS_H

#include "cli/options.h"

// Sets options->as_compiled, may_be_written and as_reason, once the other options are known. False:
// BANKRUN_AS is no word for it, which was printed.
bool as_settle(struct cli_options *options);
// Can that be counted? False: it was printed why not.
bool as_is_possible(const struct cli_options *options);

#endif
