/* For a counter of many requests: full warps whose cost is a single number. Nothing here is public.
 */
#ifndef BANKRUN_BANKS_WARP_H
#define BANKRUN_BANKS_WARP_H

#include "bankrun/banks.h"

/* Whether a full warp's request of this access and width takes as many wavefronts as the busiest
 * bank has distinct words, and ideally 1. */
bool bankrun_is_by_words(unsigned arch, enum bankrun_access access, unsigned width);

/* That number, of 32 offsets that are multiples of the width. 0: this machine has no fast way. */
unsigned bankrun_most_words(const uint32_t *offsets);

#endif
