// Findings and bank conflicts that somebody looked at and accepted: files of suppressions, one a
// line, each with its reason.
//
//     CHECK KIND WHERE REASON...
//
// CHECK, KIND and WHERE are patterns as a shell has them. WHERE is FILE:LINE, of a file's path or
// the end of it, or the name of a function or kernel without its parameters. '#' begins a comment
// line. CHECK is `conflict`, and no pattern, of bank conflicts; KIND is then the access: load,
// store, atomic, ...
#ifndef BANKRUN_PROFILE_SUPPRESS_H
#define BANKRUN_PROFILE_SUPPRESS_H

#include "base/diag.h"
#include "profile/profile.h"

struct profile_suppressions;

// NULL: diags, which point into the source, say which lines are wrong.
struct profile_suppressions *profile_read_suppressions(const struct source *source,
                                                       struct diag_list *diags);
void profile_free_suppressions(struct profile_suppressions *suppressions); // NULL is allowed

// Marks the findings that they are about, any place of which they name, and the sites with excess
// in shared memory.
void profile_suppress(struct profile *profile, struct profile_suppressions *suppressions);
// Lines that nothing in the profile was like, of the checks that looked on. Caller frees the text,
// "FILE:3: race * a.cu:7"; NULL: there is no further one. *at: 0 at first.
char *profile_unused_suppression(const struct profile_suppressions *suppressions,
                                 const struct profile *profile, size_t *at);

#endif
