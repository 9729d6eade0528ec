// Inside the profile: conflicts of a stride that the launch chose.
#ifndef BANKRUN_PROFILE_HINT_LAUNCH_H
#define BANKRUN_PROFILE_HINT_LAUNCH_H

#include "profile/record.h"

struct hint_launch {
    const struct ir_function *kernel;
    const uint8_t *parameters; // NULL: nothing is known
    uint32_t width;            // of a block, in threads
};

// False: the launch did not choose the stride, or it is not proved that another number near by is
// free.
bool hint_launch(const struct hint_launch *launch, const struct profile_choice *choice,
                 struct profile_other *other);

#endif
