// Names of the saved profile.
#include "profile/json.h"

const char *const profile_space_text[SITE_SPACES] = {
    [SITE_SHARED] = "shared",
    [SITE_GLOBAL] = "global",
};

const char *profile_units_key(enum site_space space) {
    return space == SITE_SHARED ? "wavefronts" : "sectors";
}

const char *profile_ideal_key(enum site_space space) {
    return space == SITE_SHARED ? "ideal" : "ideal_sectors";
}

bool profile_has_total(enum site_space space, enum profile_op op) {
    return space == SITE_SHARED || (op != PROFILE_MATRIX_LOAD && op != PROFILE_MATRIX_STORE);
}
