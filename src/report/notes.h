// What is to be said of a profile, place by place, for programs that show messages beside sources:
// conflicts, sectors in vain, findings of checkers, and what went wrong.
#ifndef BANKRUN_REPORT_NOTES_H
#define BANKRUN_REPORT_NOTES_H

#include "base/arena.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/rows.h"

enum note_level {
    NOTE_ERROR,   // a defect, or something that went wrong
    NOTE_WARNING, // a conflict that takes a tenth of its kernel's wavefronts or more
    NOTE_HINT,    // other conflicts, sectors in vain, notes of checkers
};

enum note_kind { NOTE_CONFLICT, NOTE_SECTORS, NOTE_FINDING, NOTE_PROBLEM };

struct report_note {
    enum note_kind kind;
    enum note_level level;
    const char *rule;  // "bank-conflict", "race/write-write", "fault/illegal_address"
    const char *title; // a few words
    const char *message;
    const char *kernel; // NULL: it is about none
    const char *file;   // as a report shows it; NULL: unknown
    uint32_t line, column;
    const char *text;                      // of the line; NULL: unknown
    const char *suppressed;                // why it is accepted; NULL: nobody does
    const struct report_row *row;          // CONFLICT, SECTORS
    const struct profile_finding *finding; // FINDING
};

struct report_notes {
    struct report_note *data; // conflicts, sectors, findings, problems
    size_t count;
    struct report_rows rows;
};

// Lies in the arena; texts are the profile's, or lie there, too. NULL options: all defaults.
struct report_notes report_notes_of(struct arena *arena, const struct profile *profile,
                                    const struct report_options *options);
// A file as the notes name files.
const char *report_note_file(const struct report_options *options, const char *file);

#endif
