#include "run/trace.h"

#include <errno.h>
#include <string.h>

static bool is_csv(const char *path) {
    const size_t length = path ? strlen(path) : 0;
    return length > 4 && !strcmp(path + length - 4, ".csv");
}

bool run_trace_open(struct run_trace *trace, const char *place, const char *path) {
    *trace = (struct run_trace){0};
    if (path && strcmp(path, "-")) {
        trace->file = fopen(path, "we");
        if (!trace->file)
            return false;
    }
    trace->out = trace->file ? trace->file : path ? stdout : stderr;
    trace->trace = profile_trace_create(place, trace->out, is_csv(path));
    errno = EINVAL;
    return trace->trace != NULL;
}

bool run_trace_close(struct run_trace *trace) {
    bool is_written = !trace->out || (fflush(trace->out) == 0 && !ferror(trace->out));
    if (trace->file)
        is_written = fclose(trace->file) == 0 && is_written;
    profile_trace_free(trace->trace);
    *trace = (struct run_trace){0};
    return is_written;
}
