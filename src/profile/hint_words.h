// Inside the profile: a site's hints in lines of words.
#ifndef BANKRUN_PROFILE_HINT_WORDS_H
#define BANKRUN_PROFILE_HINT_WORDS_H

#include "profile/profile.h"

struct strbuf;
void profile_put_hints(struct strbuf *out, const struct profile_site *site);

#endif
