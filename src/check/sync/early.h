// Inside of this checker: registers of wgmma that are touched before it has been waited for, and
// products that no wgmma.fence orders behind what wrote their registers. Where that may be is known
// of the code; what is told must have been executed.
#ifndef BANKRUN_CHECK_SYNC_EARLY_H
#define BANKRUN_CHECK_SYNC_EARLY_H

#include "check/notes.h"
#include "check/sync/code.h"

struct sync_early;

// NULL: the kernel has no such place.
struct sync_early *sync_early_of(const struct ir_code *code);
void sync_early_free(struct sync_early *early); // NULL is allowed

// An instruction is executed; by several workers at once.
void sync_early_hear(struct sync_early *early, uint32_t instruction);
void sync_early_end(const struct sync_early *early, struct check_notes *notes);

#endif
