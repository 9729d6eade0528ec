// See functions.h.
#include "patch/functions.h"

// The ) of the parameters of the function whose body opens at token `open`; 0: no function's does.
static size_t parameters_end(const struct patch_text *source, size_t open) {
    static const char *const behind[] = {"const", "noexcept", "override", "final", "mutable", NULL};
    size_t at = open;
    while (at > 0 && patch_is_any(source, at - 1, behind))
        at--;
    return at > 0 && patch_is(source, at - 1, ")") ? at - 1 : 0;
}

size_t patch_body_of(const struct patch_text *source, size_t token) {
    for (size_t at = 0; at < token; at++) {
        if (!patch_is(source, at, "{") || source->tokens.data[at].is_directive ||
            !parameters_end(source, at))
            continue;
        const size_t close = patch_closing(source, at);
        if (close > token)
            return at;
        at = close;
    }
    return source->tokens.length;
}

size_t patch_function_of(const struct patch_text *source, size_t token) {
    const size_t none = source->tokens.length, body = patch_body_of(source, token);
    size_t depth = 0;
    if (body == none)
        return none;
    for (size_t at = parameters_end(source, body); at > 0; at--) {
        depth += patch_is(source, at, ")");
        if (patch_is(source, at, "(") && --depth == 0)
            return source->tokens.data[at - 1].kind == PATCH_NAME ? at - 1 : none;
    }
    return none;
}
