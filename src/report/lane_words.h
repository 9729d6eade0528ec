// A request's lanes as an index expression of bankrun explain.
#ifndef BANKRUN_REPORT_LANE_WORDS_H
#define BANKRUN_REPORT_LANE_WORDS_H

#include "base/strbuf.h"
#include "profile/profile.h"

// Appends what says of the worst request where each lane is, in elements as wide as the access, of
// an array `s` that is all of the block's shared memory: 's[laneid * 32]', or with a table of all
// lanes; behind it, which lanes take part, of which there is one at least. False: an element begins
// between two others, and nothing was appended.
bool lane_words_put(struct strbuf *out, const struct profile_site *site);

#endif
