// One observer in front of several: each hears what it would hear alone.
#ifndef BANKRUN_EVENT_FANOUT_H
#define BANKRUN_EVENT_FANOUT_H

#include "event/event.h"

struct event_fanout;

// The observers are borrowed until the fanout is freed. NULL among them: nobody.
struct event_fanout *event_fanout_create(const struct event_observer *const *observers,
                                         unsigned count);
// The only one if there is one, which then costs as much as alone; NULL: there is none.
const struct event_observer *event_fanout_observer(const struct event_fanout *fanout);
void event_fanout_free(struct event_fanout *fanout);

#endif
