// Inside the profile: hints are found by counting requests again as they might be.
#ifndef BANKRUN_PROFILE_HINT_FIND_H
#define BANKRUN_PROFILE_HINT_FIND_H

#include <stddef.h>

#include "fix/search.h"
#include "profile/hint.h"

struct hint_array { // what only all requests of an array can tell
    // Bytes from one lane's members to the next one's: each request goes to one member of the
    // lanes' structures, and there are several of these. 0: no such thing.
    unsigned structure;
    bool doubles; // there are strides of 2 elements, 4, 8: three that double, or more
};
struct hint_array hint_look(const struct fix_request *requests, size_t count);

// Adds what is found of a site's requests.
void hint_find(unsigned arch, const struct fix_request *requests, size_t count,
               const struct hint_array *array, struct profile_hints *hints);

#endif
