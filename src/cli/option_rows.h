// Inside the command line: the table of options, and what each kind of option does with its value.
#ifndef BANKRUN_CLI_OPTION_ROWS_H
#define BANKRUN_CLI_OPTION_ROWS_H

#include "cli/options.h"

enum option_kind {
    OPTION_SET,    // takes no value: the field becomes `number`
    OPTION_NUMBER, // 0 to `number`
    OPTION_CHOICE, // one of a few words
    OPTION_TEXT,   // kept as it is
    OPTION_LIST,   // the same, several times
    OPTION_READ,   // `read` knows
    OPTION_PASS,   // -I, -D, ...: handed to nvcc as written
};

struct option_choice { // a list of them ends with a word of NULL
    const char *word;
    unsigned value;
};

struct option_row {
    char letter;          // 0: no short form
    const char *name;     // NULL: no long form
    const char *argument; // NULL: takes none
    unsigned commands;
    const char *help; // lines are separated by '\n'
    enum option_kind kind;
    size_t offset, size; // of the field in struct cli_options
    uint64_t number;
    const struct option_choice *choices; // NULL: no list of words says what may be written
    bool (*read)(struct cli_options *options, const struct option_row *row, const char *value);
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

// Sets what the option stands for; `value` is NULL where it takes none. False: the value is wrong,
// and an error was printed.
bool options_apply(struct cli_options *options, const struct option_row *row, const char *value);

// Of kind OPTION_READ.
bool option_access(struct cli_options *options, const struct option_row *row, const char *value);
bool option_arch(struct cli_options *options, const struct option_row *row, const char *value);
bool option_fill(struct cli_options *options, const struct option_row *row, const char *value);
bool option_baseline(struct cli_options *options, const struct option_row *row, const char *value);
bool option_kernel(struct cli_options *options, const struct option_row *row, const char *value);
bool option_line(struct cli_options *options, const struct option_row *row, const char *value);
bool option_blocks(struct cli_options *options, const struct option_row *row, const char *value);
bool option_check(struct cli_options *options, const struct option_row *row, const char *value);
bool option_devices(struct cli_options *options, const struct option_row *row, const char *value);
bool option_dump(struct cli_options *options, const struct option_row *row, const char *value);
enum {
    CLI_PROVE_EXCESS = 1,
    CLI_PROVE_BOUNDS = 2,
    CLI_PROVE_RACE = 4
}; // of bankrun prove --fail-on
bool option_fail_on_proof(struct cli_options *options, const struct option_row *row,
                          const char *value);
bool option_prove_shared(struct cli_options *options, const struct option_row *row,
                         const char *value);
bool option_fail_on(struct cli_options *options, const struct option_row *row, const char *value);
bool option_schedule(struct cli_options *options, const struct option_row *row, const char *value);
bool option_suppressions(struct cli_options *options, const struct option_row *row,
                         const char *value);
bool option_warp(struct cli_options *options, const struct option_row *row, const char *value);

#endif
