// Inside the ranks: what the program's process knows of pages that others asked for.
#ifndef BANKRUN_RANKS_HOME_PAGES_H
#define BANKRUN_RANKS_HOME_PAGES_H

#include "ranks/pages.h"

struct ranks_packer;

struct ranks_packer *ranks_packer_create(size_t pages); // NULL: no address space
void ranks_packer_free(struct ranks_packer *packer);    // NULL is allowed
// Another launch begins: pages may have changed. Nobody asks meanwhile.
void ranks_packer_next(struct ranks_packer *packer);
struct ranks_packer *ranks_home_packer(const struct ranks_home *home);

#endif
