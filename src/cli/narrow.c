// --kernel and --line: a report on a part of the profile.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/text.h"
#include "cli/commands.h"
#include "profile/only.h"

enum { NAMED = 8 };

static bool is_first_of(const struct profile *profile, size_t launch) {
    for (size_t i = 0; i < launch; i++)
        if (text_is_same(profile->launches[i].symbol, profile->launches[launch].symbol))
            return false;
    return true;
}

static void say_kernels(const struct profile *profile, struct strbuf *text) {
    unsigned count = 0;
    for (size_t i = 0; i < profile->launch_count && count <= NAMED; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        if (!is_first_of(profile, i))
            continue;
        char *name =
            base_drop_parameters(base_strdup(launch->kernel ? launch->kernel : launch->symbol));
        strbuf_printf(text, "%s%s", count ? ", " : "; there are ", count < NAMED ? name : "...");
        free(name);
        count++;
    }
}

bool narrow(struct profile *profile, const struct cli_options *options) {
    const struct profile_only *only = &options->only;
    if (!only->kernel && !only->line)
        return true;
    const bool has_any = profile_has(profile, only);
    if (has_any) {
        profile_narrow(profile, only);
        if (options->baseline)
            profile_narrow(options->baseline, only);
    } else {
        struct strbuf text = {0};
        profile_only_text(only, &text);
        strbuf_puts(&text, ": no launch has any");
        if (only->kernel)
            say_kernels(profile, &text);
        cli_error("%s", strbuf_string(&text));
        strbuf_free(&text);
    }
    return has_any;
}
