// Inside the checker of synchronisation: asynchronous copies that a thread never waits for. It may
// end before they have, and whoever reads what they write reads too early.
#ifndef BANKRUN_CHECK_SYNC_COPIES_H
#define BANKRUN_CHECK_SYNC_COPIES_H

#include "check/notes.h"

struct sync_copies;

struct sync_copies *sync_copies_create(void); // of one worker
void sync_copies_free(struct sync_copies *copies);

void sync_copies_access(struct sync_copies *copies, const struct event_access *event);
void sync_copies_sync(struct sync_copies *copies, const struct event_sync *event,
                      struct check_notes *notes);

#endif
