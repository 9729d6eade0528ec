// Where a trace of one source line is written to (profile_trace_create).
#ifndef BANKRUN_RUN_TRACE_H
#define BANKRUN_RUN_TRACE_H

#include <stdio.h>

#include "profile/record.h"

struct run_trace { // zeroed: none
    struct profile_trace *trace;
    FILE *file, *out; // that was opened for it, NULL: none; where it goes
};

// `path`: "-" is standard output, NULL standard error; a name that ends in .csv asks for CSV.
// False: errno says why; EINVAL: `place` is none.
bool run_trace_open(struct run_trace *trace, const char *place, const char *path);
// False: not all of the trace could be written.
bool run_trace_close(struct run_trace *trace);

#endif
