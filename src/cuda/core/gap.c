#include "cuda/core/gap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"

static char *vtext(const char *format, va_list arguments) {
    char text[2048];
    struct strbuf out = {0};
    vsnprintf(text, sizeof text, format, arguments);
    strbuf_puts(&out, text);
    return strbuf_take(&out);
}

// A child that was forked writes no profile, and one that dies wrote it already.
static void add(struct cuda_state *state, enum profile_gap_kind kind, const char *text) {
    if (state->is_forked || state->dying)
        return;
    cuda_start_profile(state);
    if (state->profile)
        profile_add_gap(state->profile, kind, text);
}

void cuda_gap(struct cuda_state *state, enum profile_gap_kind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = vtext(format, arguments);
    va_end(arguments);
    add(state, kind, text);
    free(text);
}

void cuda_say_gap(struct cuda_state *state, enum profile_gap_kind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = vtext(format, arguments);
    va_end(arguments);
    cuda_say("%s", text);
    add(state, kind, text);
    free(text);
}
