// bankrun doctor: what this machine has of what bankrun works with.
#ifndef BANKRUN_CLI_DOCTOR_H
#define BANKRUN_CLI_DOCTOR_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/options.h"

enum doctor_state {
    DOCTOR_OK,
    DOCTOR_LIMITED, // something that is not needed is not there: `lacks` says what for
    DOCTOR_MISSING, // programs cannot be compiled or run
};

struct doctor_row {
    const char *name;
    enum doctor_state state;
    char *found; // what was found
    char *lacks; // what does not work; NULL: nothing
    char *cure;  // what to do about it, a command where there is one; NULL: nothing is known
};

struct doctor {
    const struct cli_options *options;
    VEC(struct doctor_row) rows;
};

// Adds a row, and returns the text of what was found, to be written.
struct strbuf doctor_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Takes over `found`. `lacks` and `cure` may be NULL, and are copied.
void doctor_add(struct doctor *doctor, const char *name, enum doctor_state state,
                struct strbuf found, const char *lacks, const char *cure);
void doctor_free(struct doctor *doctor);
bool doctor_has(const struct doctor *doctor, enum doctor_state state);

// Compilers and disassemblers, and a program that is compiled and run.
void doctor_look_at_tools(struct doctor *doctor);
void doctor_try(struct doctor *doctor);
// The machine: what it runs with, and how it lets programs be run.
void doctor_look_at_machine(struct doctor *doctor);
void doctor_look_at_system(struct doctor *doctor);

void doctor_write_text(const struct doctor *doctor, bool has_color, unsigned width,
                       struct strbuf *out);
void doctor_write_json(const struct doctor *doctor, struct strbuf *out);

#endif
