// Whose accesses to shared memory a profile counts: those that PTX has, or those that the machine
// code has.
#ifndef BANKRUN_PROFILE_AS_H
#define BANKRUN_PROFILE_AS_H

#include "profile/profile.h"

// The machine code of a module was read. `by`: "ptxas 13.0"; copied.
void profile_note_compiled(struct profile *profile, const char *by);
// It was wanted, and could not be had: the module's accesses are counted as PTX has them. Of
// several reasons the first one is kept; copied.
void profile_note_written(struct profile *profile, const char *reason);

// Of both together, where `from` is appended to `to`.
void profile_join_as(struct profile *to, const struct profile *from);

// Does any launch access shared memory?
bool profile_accesses_shared(const struct profile *profile);

// "accesses as compiled by ptxas 13.0 for sm_90", "accesses as written in PTX: nvdisasm was not
// found". Caller frees; NULL: as written, which is what was asked for.
char *profile_as_text(const struct profile *profile);

#endif
