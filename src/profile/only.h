// A part of a profile: of some kernels, or of some source lines.
#ifndef BANKRUN_PROFILE_ONLY_H
#define BANKRUN_PROFILE_ONLY_H

#include <regex.h>

#include "base/strbuf.h"
#include "profile/profile.h"

struct profile_only {
    const char *kernel; // a POSIX extended regular expression that kernels' names match, mangled
                        // or not; NULL: all
    const char *line;   // FILE:LINE as where.h has it; NULL: all
};

// Expressions are to be asked for that before they are used. False: `problem` says what is wrong.
bool profile_is_pattern(const char *kernel, struct strbuf *problem);

// The kernels that one names. The expression was asked for; NULL: all.
struct profile_kernels {
    bool is_all;
    regex_t pattern; // where not all
};
void profile_choose_kernels(struct profile_kernels *kernels, const char *expression);
// By its name or the mangled one; NULL: not known.
bool profile_has_kernel(const struct profile_kernels *kernels, const char *name,
                        const char *symbol);
void profile_free_kernels(struct profile_kernels *kernels);

// Whether there is a launch like that.
bool profile_has(const struct profile *profile, const struct profile_only *only);
// Leaves the launches, sites and findings that `only` names, and totals of these; what failed
// stays. The profile keeps in mind that it is a part.
void profile_narrow(struct profile *profile, const struct profile_only *only);

// What it is a part by, "kernels like 'scan', lines at a.cu:7", behind `out`.
void profile_only_text(const struct profile_only *only, struct strbuf *out);

#endif
