// What is proved, in words, for whoever tells it.
#ifndef BANKRUN_PROVE_WORDS_H
#define BANKRUN_PROVE_WORDS_H

#include "base/strbuf.h"
#include "prove/races.h"

// "stays in tile", "aligned"; nothing where there is nothing to say. width: bytes of a lane.
void prove_put_bounds(struct strbuf *out, const struct prove_site *site, unsigned width);
// Which bytes they may be, where it is not proved: "; bytes 0 to 1027 of 1024".
void prove_put_reach(struct strbuf *out, const struct prove_site *site);
void prove_put_alignment(struct strbuf *out, const struct prove_site *site, unsigned width);
// Of requests that differ from round to round of a loop "2, 4, 8, 1 or 16, 1": a round after the
// other. Else nothing.
void prove_put_rounds(struct strbuf *out, const struct prove_site *site);
// "thread 0 writes at a.cu:12 what thread 32 reads at a.cu:14", or why that is not known.
void prove_put_races(struct strbuf *out, const struct prove_races *races, const uint32_t block[3]);

#endif
