// Inside the room: neighbouring accesses of a lane that the code generator makes one wider access
// of become that one. It is taken for so where the machine code has wider accesses at the line than
// PTX, and where, as the program runs, the lanes of a warp access neighbouring words one after the
// other with no store between loads, and no load between stores.
#ifndef BANKRUN_COMPILED_COMBINE_H
#define BANKRUN_COMPILED_COMBINE_H

#include "compiled/plan.h"

// What one worker holds back until it is known how it is accessed.
struct combiner;
struct combiner *combiner_create(const struct combine_plan *plan,
                                 void (*hear)(void *context, const struct event_access *event),
                                 void *context);
void combiner_free(struct combiner *combiner); // NULL is allowed; what it holds is dropped

// Hands the requests that become of a request to shared memory to hear(), now or later.
void combiner_request(struct combiner *combiner, const struct event_access *event);
// A request that is not held back itself: hands over what cannot be moved over it.
void combiner_pass(struct combiner *combiner, const struct event_access *event);
void combiner_flush(struct combiner *combiner); // all that is held back

#endif
