// Which pages of memory nobody has written, neither a thread nor the system nor who maps something
// else there, as the system itself tells (Linux 6.7 and newer, where userfaultfd is allowed).
//
// A page that is watched costs whoever writes it first a microsecond or two for each of the
// system's pages. So only those are that somebody asks for again and again, and one that is written
// as soon as it is watched is left alone for a while.
#ifndef BANKRUN_RANKS_WATCH_H
#define BANKRUN_RANKS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranks/pages.h"

struct ranks_watch;

// For pages of RANKS_PAGE bytes from `base` on. NULL: the system does not tell.
struct ranks_watch *ranks_watch_create(uint64_t base, size_t pages);
void ranks_watch_free(struct ranks_watch *watch); // NULL is allowed
// It is worth while to know of the page, from the next look on.
void ranks_watch_want(struct ranks_watch *watch, uint64_t page);
// Appends, ascending, which pages of [first, last) were not written since the look before; those of
// which nothing is known were. Nobody may write meanwhile.
void ranks_watch_look(struct ranks_watch *watch, uint64_t first, uint64_t last,
                      struct ranks_run_list *unwritten);

#endif
