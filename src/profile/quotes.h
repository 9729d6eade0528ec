// Source lines that a profile keeps: those with accesses and findings, as they were when it was
// made, so that two profiles can be compared by them after the source has changed.
#ifndef BANKRUN_PROFILE_QUOTES_H
#define BANKRUN_PROFILE_QUOTES_H

#include "profile/profile.h"

// Reads the lines of all sites and findings from their files, relative ones from the working
// directory. What is there already stays. What cannot be read is left out; notes name files that
// are there.
void profile_quote_lines(struct profile *profile, struct diag_list *diags);

// Without the white space around it. NULL: it is not kept.
const char *profile_quote_of(const struct profile *profile, const char *file, uint32_t line);

// Takes over those of `from`, of which only the ones are kept that the profile has not.
void profile_append_quotes(struct profile *profile, struct profile *from);
void profile_free_quotes(struct profile *profile);

// They were added in any order: sorts them, and drops those that are there twice.
void profile_sort_quotes(struct profile *profile);
void profile_push_quote(struct profile *profile, struct profile_quote quote); // takes it over

#endif
