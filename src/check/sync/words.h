// Inside of this checker: what findings say.
#ifndef BANKRUN_CHECK_SYNC_WORDS_H
#define BANKRUN_CHECK_SYNC_WORDS_H

#include "check/notes.h"
#include "check/sync/code.h"

void sync_push_notes(const struct check_launch *launch, const struct ir_code *code,
                     struct check_notes *notes, struct profile_findings *findings);

#endif
