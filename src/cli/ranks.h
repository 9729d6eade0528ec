// bankrun as one of several ranks: mpirun -n 64 bankrun ./app. The first one runs the program and
// reports, the others run blocks of its launches.
#ifndef BANKRUN_CLI_RANKS_H
#define BANKRUN_CLI_RANKS_H

#include "cli/options.h"

enum ranks_role {
    RANKS_ALONE, // nothing is shared out
    RANKS_FIRST,
    RANKS_OTHER,  // has done its part: *status is to be returned
    RANKS_REFUSED // which was said; *status likewise
};

// Joins the others, if there are some. Programs that are started from now on find the first rank's
// bankrun, and nothing that would make them a rank themselves.
enum ranks_role ranks_join(const struct cli_options *options, int *status);
// After the report. Returns `status`, or another one where a rank was lost.
int ranks_leave(const struct cli_options *options, int status);

#endif
