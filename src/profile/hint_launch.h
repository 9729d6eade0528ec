// Inside the profile: conflicts of a stride that the launch chose.
#ifndef BANKRUN_PROFILE_HINT_LAUNCH_H
#define BANKRUN_PROFILE_HINT_LAUNCH_H

#include "profile/record.h"

// False: the stride is no parameter, or it is not proved that another number near by is free.
// `parameters`: of the launch; NULL: nothing is known.
bool hint_launch(const struct ir_function *kernel, const uint8_t *parameters,
                 const struct profile_choice *choice, struct profile_other *other);

#endif
