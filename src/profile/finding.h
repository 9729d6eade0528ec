// What checkers found: defects that a run shows, whatever its results are.
#ifndef BANKRUN_PROFILE_FINDING_H
#define BANKRUN_PROFILE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The checkers, by the name that --check takes.
#define PROFILE_CHECK_LIST(X)                                                                      \
    X(RACE, "race")                                                                                \
    X(INIT, "init")                                                                                \
    X(SYNC, "sync")                                                                                \
    X(MEMORY, "memory")                                                                            \
    X(SCHEDULE, "schedule")                                                                        \
    X(LEAK, "leak")

#define X(id, name) PROFILE_CHECK_##id,
enum profile_check { PROFILE_CHECK_LIST(X) PROFILE_CHECKS };
#undef X
extern const char *const profile_check_text[PROFILE_CHECKS];

static inline uint32_t profile_check_bit(enum profile_check check) {
    return 1u << check;
}

// One side of a finding. Texts are NULL and numbers 0 where nothing is known.
struct profile_place {
    char *role; // what happens there: "writes", "reads", "waits"
    char *file;
    uint32_t line, column;
    char *function;    // demangled
    char *instruction; // "st.shared.u32"
    bool has_thread;
    uint32_t block[3], thread[3];
};

enum { PROFILE_PLACES = 3 };

struct profile_finding {
    enum profile_check check;
    char *kind;       // "write-write": docs/checks has a page for each
    char *message;    // what is wrong, in a sentence without a full stop
    char *object;     // "bins[5]"; NULL: it is about no memory
    char *help;       // what mends it; NULL: nothing is known
    bool is_note;     // worth knowing, and no defect: no gate fails for it
    char *suppressed; // why somebody accepts it (suppress.h); NULL: nobody does
    uint64_t count;
    struct profile_place places[PROFILE_PLACES];
    size_t place_count;
};

struct profile_findings {
    struct profile_finding *list; // owned, with its texts
    size_t count;
};

struct profile;

// A deep copy goes to the end of the list.
void profile_push_finding(struct profile_findings *findings, const struct profile_finding *finding);
void profile_free_finding(struct profile_finding *finding); // what it holds
void profile_free_findings(struct profile_findings *findings);
bool profile_findings_are_same(const struct profile_findings *a, const struct profile_findings *b);

// Of what the host does, in no launch: counts one more where the same is there already.
void profile_add_finding(struct profile *profile, const struct profile_finding *finding);

// Of all launches and of the host: each counts once however often it happened, but once more for
// each launch.
struct profile_finding_counts {
    uint64_t defects, notes, suppressed;
};
struct profile_finding_counts profile_count_findings(const struct profile *profile);

#endif
