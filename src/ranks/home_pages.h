// Inside the ranks: what the program's process knows of pages that others asked for.
#ifndef BANKRUN_RANKS_HOME_PAGES_H
#define BANKRUN_RANKS_HOME_PAGES_H

#include "ranks/pages.h"

struct ranks_packer;

struct ranks_packer *ranks_packer_create(size_t pages); // NULL: no address space
void ranks_packer_free(struct ranks_packer *packer);    // NULL is allowed
// Another launch begins: pages may have changed. Nobody asks meanwhile.
void ranks_packer_next(struct ranks_packer *packer);
// The page is as it was in the launch before, and so is what is known of it.
void ranks_packer_keep(struct ranks_packer *packer, uint64_t page);
struct ranks_packer *ranks_home_packer(const struct ranks_home *home);
// Another rank has asked for the page. One thread at a time.
void ranks_home_asked(struct ranks_home *home, uint64_t page);

#endif
