// What processes of one run say to each other: messages of a kind, with fields written and read one
// after the other. All are of one version of bankrun on one kind of processor (ranks_identity), so
// that numbers go as they lie in memory.
#ifndef BANKRUN_RANKS_WIRE_H
#define BANKRUN_RANKS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum ranks_kind {
    RANKS_NOTHING,
    // Between the bankrun processes alone.
    RANKS_BEAT, // somebody is alive
    RANKS_BYE,  // rank 0 has ended, and so do the others
    // From the program's process to the others.
    RANKS_MODULE, // PTX, once for each that has not had it
    RANKS_LAUNCH,
    RANKS_CHUNK,  // clusters to run; none: there are no more
    RANKS_PAGES,  // what was asked for
    RANKS_CANCEL, // the launch's results are not wanted
    // From the others to the program's process.
    RANKS_TAKE,  // wants a chunk
    RANKS_NEED,  // wants pages
    RANKS_ENDED, // has run all of its blocks, or none of it can be of use
    RANKS_WROTE, // pages that its blocks changed
    // From bankrun to the program's process.
    RANKS_LOST, // the rank is gone
    // From the program's process to bankrun, for its report.
    RANKS_REPORT,
    RANKS_KINDS
};

struct ranks_message {
    uint32_t kind, rank; // whom it is for, or whom it is from
    uint32_t launch;     // its number; others are of no use any more
    uint32_t unused;
    uint64_t length; // of what follows
};

// ---- Writing ----------------------------------------------------------------------------------

static inline void ranks_put(struct strbuf *out, const void *bytes, size_t length) {
    strbuf_append(out, (const char *)bytes, length);
}

static inline void ranks_put_number(struct strbuf *out, uint64_t number) {
    ranks_put(out, &number, sizeof number);
}

// With its length. NULL is an own thing.
void ranks_put_text(struct strbuf *out, const char *text);

// ---- Reading: past the end everything is 0, and `is_bad` --------------------------------------

struct ranks_reader {
    const char *at, *end;
    bool is_bad;
};

static inline struct ranks_reader ranks_read(const void *bytes, size_t length) {
    return (struct ranks_reader){.at = bytes, .end = (const char *)bytes + length};
}

// NULL: there are not so many.
const void *ranks_get(struct ranks_reader *reader, size_t length);
uint64_t ranks_get_number(struct ranks_reader *reader);
// A number of elements, each of at least so many bytes: never more than there can be.
size_t ranks_get_count(struct ranks_reader *reader, size_t bytes);
// Caller frees. NULL: that was written.
char *ranks_get_text(struct ranks_reader *reader);

// ---- Who may take part ------------------------------------------------------------------------

// Differs between versions, builds that count otherwise, and kinds of processors.
uint64_t ranks_identity(void);

#endif
