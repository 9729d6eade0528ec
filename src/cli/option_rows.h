// Inside the command line: the rows of the table of options, and what each one sets.
#ifndef BANKRUN_CLI_OPTION_ROWS_H
#define BANKRUN_CLI_OPTION_ROWS_H

#include "cli/options.h"

enum option_id {
    OPTION_ARCH,
    OPTION_DEVICES,
    OPTION_THREADS,
    OPTION_LAUNCH,
    OPTION_DUMP,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_FAIL_ON,
    OPTION_MAX_INSTRUCTIONS,
    OPTION_BLOCKS,
    OPTION_AS,
    OPTION_NVCC,
    OPTION_NVCC_FLAG,
    OPTION_PASS, // -I, -D, ...: handed to nvcc as written
    OPTION_COLOR,
    OPTION_NO_CACHE,
    OPTION_NO_COUNT,
    OPTION_FOLLOW,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_TRACE,
    OPTION_TRACE_OUTPUT,
    OPTION_METRICS,
    OPTION_SHARED,
    OPTION_BLOCK,
    OPTION_GRID,
    OPTION_BLOCK_INDEX,
    OPTION_LET,
    OPTION_IF,
    OPTION_LOAD,
    OPTION_STORE,
    OPTION_ATOMIC,
    OPTION_WIDTH,
    OPTION_BANK_MODE,
    OPTION_BASE,
    OPTION_WARP,
    OPTION_REQUESTS,
    OPTION_KEEP_GOING,
    OPTION_INSTRUCTION,
    OPTION_PATTERNS,
    OPTION_SAVE,
};

struct option_row {
    enum option_id id;
    char letter;          // 0: no short form
    const char *name;     // NULL: no long form
    const char *argument; // NULL: takes none
    unsigned commands;
    const char *help; // lines are separated by '\n'
};

// option_values.c: sets what the option stands for; `value` is NULL where it takes none. False: the
// value is wrong, and an error was printed.
bool options_apply(struct cli_options *options, const struct option_row *row, const char *value);

#endif
