// Inside the room: what a checker notes while a launch runs. Notes of the same instructions are one
// finding: how often is counted, and of those that reach furthest the first in the order of blocks
// and threads is kept, so that it is the same for any number of workers.
#ifndef BANKRUN_CHECK_NOTES_H
#define BANKRUN_CHECK_NOTES_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "check/check.h"

enum { CHECK_DETAILS = 4 };

struct check_at {
    const char *role;     // static
    uint32_t instruction; // as in events; EVENT_NONE: of none
    bool has_thread;
    uint32_t thread; // linear in its block
    uint64_t block;  // its number
};

struct check_note {
    const char *kind, *message, *help; // static; message and help may be NULL: check_describe's
                                       // caller makes them
    uint64_t tag;                      // what else tells findings apart: an array
    unsigned
        reach; // how far apart its threads are: one that mends this mends those that reach less
    uint64_t count;
    struct check_at at[PROFILE_PLACES];
    unsigned at_count;
    uint64_t details[CHECK_DETAILS]; // the checker's own, of the one that is kept
};

// Of one worker, or all that were merged. {0}: none.
struct check_notes {
    VEC(struct check_note) list;
    uint32_t *slots; // of a hash table: index + 1
    size_t slot_count;
};

// Adds note->count to the one that it repeats.
void check_note(struct check_notes *notes, const struct check_note *note);
// Adds those of `from`, and frees it.
void check_merge_notes(struct check_notes *notes, struct check_notes *from);
void check_free_notes(struct check_notes *notes);

// The instruction of that number in events; NULL: there is none.
const struct ir_instruction *check_instruction(const struct check_launch *launch, uint32_t number);

// "bins[5]", or "bins+3 bytes" where no element of `bytes` begins there. `place`: in the variable,
// or beside it.
void check_put_element(const struct check_launch *launch, const struct ir_variable *variable,
                       int64_t place, uint32_t bytes, struct strbuf *out);
// The element of an array of the block's shared memory that the offset is in. False: no array is
// there, and nothing was put.
bool check_put_shared(const struct check_launch *launch, uint64_t offset, uint32_t bytes,
                      struct strbuf *out);

// The note as a finding that is still without message, object and help where the note has none: the
// caller sets these, pushes it, and frees it with check_free_described. Texts that it sets stay its
// own.
void check_describe(const struct check_launch *launch, enum profile_check check,
                    const struct check_note *note, struct profile_finding *finding);
void check_free_described(struct profile_finding *finding);

// What a note says. Those that are empty are as check_describe left them.
struct check_words {
    struct strbuf message, object, help;
};
// Finds the words of a note; may change the finding, too, whose texts stay its own.
typedef void (*check_say)(const void *context, const struct check_note *note,
                          struct profile_finding *finding, struct check_words *words);
// All notes, which it frees, as findings.
void check_push_notes(const struct check_launch *launch, enum profile_check check,
                      struct check_notes *notes, check_say say, const void *context,
                      struct profile_findings *findings);

#endif
