// Findings that somebody looked at and accepted: files of suppressions, one a line, each with its
// reason.
//
//     CHECK KIND WHERE REASON...
//
// CHECK, KIND and WHERE are patterns as a shell has them. WHERE is FILE:LINE, of a file's path or
// the end of it, or the name of a function without its parameters. '#' begins a comment line.
#ifndef BANKRUN_PROFILE_SUPPRESS_H
#define BANKRUN_PROFILE_SUPPRESS_H

#include "base/diag.h"
#include "profile/profile.h"

struct profile_suppressions;

// NULL: diags say which lines are wrong, or that there is no such file.
struct profile_suppressions *profile_read_suppressions(const char *path, struct diag_list *diags);
void profile_free_suppressions(struct profile_suppressions *suppressions); // NULL is allowed

// Marks the findings that they are about, any place of which they name.
void profile_suppress(struct profile *profile, struct profile_suppressions *suppressions);
// Lines that no finding was like. Caller frees the text, "FILE:3: race * a.cu:7"; NULL: there is no
// further one. *at: 0 at first.
char *profile_unused_suppression(const struct profile_suppressions *suppressions, size_t *at);

#endif
