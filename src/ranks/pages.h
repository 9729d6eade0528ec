// The device's memory in several processes, at the same addresses, in pages of RANKS_PAGE bytes.
//
// The program's process has all of it (`home`). While a launch is shared out, pages that its own
// blocks write are kept as they were (a twin), so that others get what the launch began with, and
// that all of it can be undone. The others have a replica, of which nothing is valid until it is
// touched; what they write is found by comparing with such twins. Both learn of the first access by
// a protection fault.
#ifndef BANKRUN_RANKS_PAGES_H
#define BANKRUN_RANKS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "ranks/wire.h"

enum { RANKS_PAGE = 64 << 10 };

struct ranks_range {
    uint64_t address, bytes;
    uint64_t may_write; // 0: only read
};

struct ranks_run { // pages
    uint64_t first, count;
};
struct ranks_run_list {
    struct ranks_run *data;
    size_t length, capacity;
};

// How words are put together that the blocks of several ranks changed.
struct ranks_merge {
    enum ranks_merge_op {
        RANKS_STORES, // bytes that were written: two ranks that wrote different ones are an error
        RANKS_ADD,
        RANKS_MIN,
        RANKS_MAX,
        RANKS_AND,
        RANKS_OR,
        RANKS_XOR
    } op;
    unsigned bytes; // of a word: 4 or 8
    bool is_signed;
    bool has_stores; // the kernel stores, too: a word of several ranks may be either
};

// ---- The program's process ----------------------------------------------------------------------

struct ranks_home;

// For memory in [base, base + bytes), a multiple of RANKS_PAGE both. NULL: no address space.
struct ranks_home *ranks_home_create(uint64_t base, uint64_t bytes);
void ranks_home_free(struct ranks_home *home); // NULL is allowed

// `ranges`: what kernels may touch, ascending; all in the memory. `others`: what lies there, too,
// and may be changed by somebody else meanwhile: pages that hold some of it are never protected.
// False: the system does not allow it; nothing has begun.
bool ranks_home_begin(struct ranks_home *home, const struct ranks_range *ranges, size_t count,
                      const struct ranks_range *others, size_t other_count);
// Pages, ascending, that are as they were when the launch before began, as far as that is known:
// those that somebody asked for again and again. Until the next launch begins.
const struct ranks_run_list *ranks_home_unwritten(const struct ranks_home *home);
// For a handler of SIGSEGV: true: the access may be tried again. Async-signal-safe.
bool ranks_home_fault(struct ranks_home *home, uint64_t address);
// The hash of the page, and the page, as it was when the launch began. From any thread.
uint64_t ranks_home_hash(struct ranks_home *home, uint64_t page);
void ranks_home_read(struct ranks_home *home, uint64_t page, uint8_t bytes[RANKS_PAGE]);
// No kernel runs any more: pages are not protected from now on.
void ranks_home_open(struct ranks_home *home);
// Puts in what another rank wrote (ranks_replica_wrote), while others may still ask for pages: this
// process's blocks have ended. From any thread. False: it contradicts what was there: *address says
// where, 0: what came cannot be read.
bool ranks_home_merge(struct ranks_home *home, struct ranks_reader *wrote,
                      const struct ranks_merge *merge, uint64_t *address);
// The launch is over: all stays as it is, or becomes what it was.
void ranks_home_end(struct ranks_home *home, bool undoes);

// ---- The other ones -----------------------------------------------------------------------------

struct ranks_replica;

// At the very same addresses. NULL: something else of this process is there, or there is no memory.
// `wake`: called by threads whose access waits for a page; async-signal-safe.
struct ranks_replica *ranks_replica_create(uint64_t base, uint64_t bytes, void (*wake)(void));
void ranks_replica_free(struct ranks_replica *replica); // NULL is allowed
bool ranks_replica_fits(const struct ranks_replica *replica, uint64_t base, uint64_t bytes);
// `kernel`: any number of it. Pages that it touched here the last time are asked for without
// waiting until it touches them again. `unwritten`: of ranks_home_unwritten, for the launch of this
// number; what is there of those pages since the number before stays.
void ranks_replica_begin(struct ranks_replica *replica, uint32_t kernel, uint32_t number,
                         const struct ranks_run *unwritten, size_t count);
// For a handler of SIGSEGV. Waits until the page is there.
bool ranks_replica_fault(struct ranks_replica *replica, uint64_t address);
// Appends to `out` which pages are wanted, each with the hash of what is known of it. False: none.
bool ranks_replica_needs(struct ranks_replica *replica, const struct ranks_range *ranges,
                         size_t count, struct strbuf *out);
// The answer to that, of ranks_home_pages. False: it cannot be read.
bool ranks_replica_put(struct ranks_replica *replica, struct ranks_reader *pages);
// For how many seconds threads have waited for pages in this launch, all of them together.
double ranks_replica_waited(const struct ranks_replica *replica);
// Pages were asked for that are not here yet.
bool ranks_replica_expects(const struct ranks_replica *replica);
// For who has nothing else to do: makes some of the memory faster. False: there is nothing to do.
bool ranks_replica_settle(struct ranks_replica *replica);
// Nothing comes any more: whoever waits goes on with whatever there is.
void ranks_replica_give_up(struct ranks_replica *replica);
// Appends what was written, up to about `most` bytes of it: whole words of eight bytes, among which
// some may be as they were. True: there is more.
bool ranks_replica_wrote(struct ranks_replica *replica, struct strbuf *out, size_t most);
void ranks_replica_end(struct ranks_replica *replica);

// home_pages.c: what `need` asks for.
bool ranks_home_pages(struct ranks_home *home, struct ranks_reader *need, struct strbuf *out);

#endif
