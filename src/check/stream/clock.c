#include "check/stream/clock.h"

#include <string.h>

bool check_clock_knows(const struct check_clock *clock, struct check_stamp stamp) {
    return stamp.timeline < clock->counts.length &&
           clock->counts.data[stamp.timeline] >= stamp.count;
}

static void widen(struct check_clock *clock, size_t length) {
    if (length <= clock->counts.length)
        return;
    vec_reserve(&clock->counts, length);
    memset(clock->counts.data + clock->counts.length, 0,
           (length - clock->counts.length) * sizeof *clock->counts.data);
    clock->counts.length = length;
}

void check_clock_learn(struct check_clock *clock, struct check_stamp stamp) {
    widen(clock, stamp.timeline + 1);
    if (clock->counts.data[stamp.timeline] < stamp.count)
        clock->counts.data[stamp.timeline] = stamp.count;
}

void check_clock_join(struct check_clock *to, const struct check_clock *from) {
    widen(to, from->counts.length);
    for (size_t i = 0; i < from->counts.length; i++)
        if (to->counts.data[i] < from->counts.data[i])
            to->counts.data[i] = from->counts.data[i];
}

void check_clock_copy(struct check_clock *to, const struct check_clock *from) {
    to->counts.length = 0;
    check_clock_join(to, from);
}

void check_clock_free(struct check_clock *clock) {
    vec_free(&clock->counts);
}
