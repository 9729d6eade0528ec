// What the processes of a run handed over becomes profiles.
#ifndef BANKRUN_CLI_COLLECT_H
#define BANKRUN_CLI_COLLECT_H

#include "base/vec.h"
#include "cli/child.h"
#include "cli/options.h"
#include "handover/handover.h"
#include "profile/profile.h"

struct collection {
    VEC(struct profile *) profiles; // of those that used CUDA, in the order in which they began
    VEC(char *) notes;              // what was not simulated
    VEC(char *) lost;               // what of the run is in no profile
    bool has_failed;                // a process could not write what it was to, which it has said
};

// Before the child begins: its environment says where to hand over, and *handover is there, or NULL
// where nothing is counted and it cannot be had. False: it is needed and cannot be had, which was
// printed.
bool collect_prepare(const struct cli_options *options, struct handover **handover);

// After the child's end. A profile that is not all that its process counted says so.
void collect(struct handover *handover, const struct child *child,
             const struct cli_options *options, struct collection *collection);

// Makes one profile of all, which are then the collection's no more: that of the command `argv`
// whose processes they are. Where that is NULL and one process used CUDA, it is that one's as it
// is; NULL: none did.
struct profile *collect_one(struct collection *collection, char **argv,
                            const struct cli_options *options);

void collection_free(struct collection *collection);

#endif
