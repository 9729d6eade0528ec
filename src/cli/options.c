// Parses the command line from one table of options.
#include "cli/option_rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BOTH = CLI_RUN | CLI_REPORT, ALL = BOTH | CLI_EXPLAIN };

static const struct option_row rows[] = {
    {OPTION_SHARED, 0, "shared", "DECLARATION", CLI_EXPLAIN,
     "the arrays: 'float tile[32][33]', 'struct {float x, y;} s[64]'"},
    {OPTION_BLOCK, 0, "block", "SHAPE", CLI_EXPLAIN,
     "threads of a block: 256, 32x8, 8x8x4 (default 32)"},
    {OPTION_LOAD, 0, "load", NULL, CLI_EXPLAIN, "the access is a load (the default)"},
    {OPTION_STORE, 0, "store", NULL, CLI_EXPLAIN, "it is a store"},
    {OPTION_ATOMIC, 0, "atomic", NULL, CLI_EXPLAIN,
     "it is an atomic: a native one for 32-bit integers, else a\ncompare-and-swap loop"},
    {OPTION_LET, 0, "let", "NAME=VALUE", CLI_EXPLAIN,
     "give a name a value; NAME=A..B[,STEP] tries all of them"},
    {OPTION_IF, 0, "if", "CONDITION", CLI_EXPLAIN, "only the lanes for which it holds take part"},
    {OPTION_ARCH, 0, "arch", "ARCH", CLI_EXPLAIN,
     "architecture: sm_90, 90 or 9.0 (default sm_90); all: a row\nfor each generation"},
    {OPTION_BANK_MODE, 0, "bank-mode", "BYTES", CLI_EXPLAIN,
     "where the banks of 3.x change: every 4 bytes (the default) or 8"},
    {OPTION_WARP, 0, "warp", "N", CLI_EXPLAIN, "only warp N of the block (default: all)"},
    {OPTION_WIDTH, 0, "width", "BYTES", CLI_EXPLAIN,
     "bytes that one lane accesses: 1, 2, 4, 8 or 16 (default:\nthose of the type)"},
    {OPTION_BASE, 0, "base", "BYTES", CLI_EXPLAIN, "where the first array starts (default 0)"},
    {OPTION_GRID, 0, "grid", "SHAPE", CLI_EXPLAIN, "gridDim (default 1)"},
    {OPTION_BLOCK_INDEX, 0, "block-index", "X,Y,Z", CLI_EXPLAIN, "blockIdx (default 0,0,0)"},
    {OPTION_REQUESTS, 0, "requests", "FILE", CLI_EXPLAIN,
     "read raw requests from a CSV file, which may be compressed by\ngzip; '-' is the standard "
     "input"},
    {OPTION_KEEP_GOING, 0, "keep-going", NULL, CLI_EXPLAIN,
     "report a bad row of --requests, leave it out and go on"},
    {OPTION_INSTRUCTION, 0, "instruction", "NAME", CLI_CALIBRATE,
     "measure only this one, like ld.shared.u32"},
    {OPTION_PATTERNS, 0, "patterns", "N", CLI_CALIBRATE,
     "patterns of lane addresses for each instruction (default 300)"},
    {OPTION_ARCH, 0, "arch", "ARCH", CLI_CALIBRATE,
     "hold the GPU against the model of another architecture\n(default: its own)"},
    {OPTION_SAVE, 0, "save", "FILE", CLI_CALIBRATE,
     "write the measurements to FILE.csv, compressed if it ends\nin .gz"},
    {OPTION_ARCH, 0, "arch", "ARCH", CLI_RUN,
     "architecture to simulate: sm_90, 90 or 9.0 (default sm_90);\nsm_90a: a .cu is compiled with "
     "the "
     "features of 9.0 alone"},
    {OPTION_ARCH, 0, "arch", "ARCH", CLI_NVCC_FLAGS,
     "architecture that the PTX is for: sm_90, 90 or 9.0 (default\nsm_90)"},
    {OPTION_DEVICES, 0, "devices", "N", CLI_RUN,
     "devices that a program sees, all of this architecture\n(default 1)"},
    {OPTION_THREADS, 0, "threads", "N", CLI_RUN,
     "host threads (default: one for each processor); the counts\ndo not depend on it"},
    {OPTION_LAUNCH, 0, "launch", "SPEC", CLI_RUN,
     "launch of a .ptx file: 'KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARGS)'"},
    {OPTION_DUMP, 0, "dump", "ARG=FILE", CLI_RUN,
     "write a buffer of the launch to FILE after the run; '-' prints\nits values on stdout"},
    {OPTION_FORMAT, 0, "format", "FORMAT", ALL, "text, json or csv (default text)"},
    {OPTION_OUTPUT, 'o', "output", "FILE", ALL, "write the report to FILE"},
    {OPTION_FAIL_ON, 0, "fail-on", "excess[=N]", BOTH,
     "exit with status 3 when more than N wavefronts (default 0)\nof shared memory are excess"},
    {OPTION_TRACE, 0, "trace", "FILE:LINE[:N]", CLI_RUN,
     "print the first N (default 8) shared-memory requests of a\nsource line as they happen; runs "
     "on one thread"},
    {OPTION_TRACE_OUTPUT, 0, "trace-output", "FILE", CLI_RUN,
     "write them to FILE; as CSV if it ends in .csv, which\nexplain --requests reads"},
    {OPTION_METRICS, 0, "metrics", NULL, BOTH,
     "show the figures that profilers have names for, old and new"},
    {OPTION_MAX_INSTRUCTIONS, 0, "max-instructions", "N", CLI_RUN,
     "stop a launch after N warp instructions"},
    {OPTION_BLOCKS, 0, "blocks", "N|P%", CLI_RUN,
     "run only N blocks (or P percent) of each launch and scale the\ncounts, with their likely "
     "error: for programs whose output does\nnot matter; launches whose blocks wait for each other "
     "run whole"},
    {OPTION_AS, 0, "as", "written|compiled", CLI_RUN,
     "count shared memory as PTX accesses it (the default), or as the\nmachine code does that "
     "ptxas makes of it, with neighbouring\naccesses merged; needs ptxas and nvdisasm"},
    {OPTION_NVCC, 0, "nvcc", "PATH", CLI_RUN, "the nvcc to compile .cu files with"},
    {OPTION_NVCC_FLAG, 0, "nvcc-flag", "FLAG", CLI_RUN,
     "hand FLAG to nvcc; may be given several times"},
    {OPTION_PASS, 'I', NULL, "DIR", CLI_RUN, "handed to nvcc, as are -DNAME, -UNAME, -LDIR,"},
    {OPTION_PASS, 'D', NULL, "NAME", CLI_RUN, NULL},
    {OPTION_PASS, 'U', NULL, "NAME", CLI_RUN, NULL},
    {OPTION_PASS, 'L', NULL, "DIR", CLI_RUN, NULL},
    {OPTION_PASS, 'l', NULL, "LIBRARY", CLI_RUN, NULL},
    {OPTION_PASS, 'X', NULL, "TOOL FLAG", CLI_RUN,
     "-lLIBRARY and -Xcompiler FLAG, -Xptxas FLAG, ..."},
    {OPTION_NO_CACHE, 0, "no-cache", NULL, CLI_RUN,
     "compile .cu files anew, and keep nothing of it"},
    {OPTION_NO_COUNT, 0, "no-count", NULL, CLI_RUN, "only run the program: no counts, no report"},
    {OPTION_FOLLOW, 0, "follow", NULL, CLI_RUN,
     "report on the processes that the program starts, too; always\nso for a command that is no "
     "CUDA program itself"},
    {OPTION_COLOR, 0, "color", "WHEN", ALL,
     "auto, always or never (default auto; NO_COLOR is heeded)"},
    {OPTION_QUIET, 'q', "quiet", NULL, CLI_RUN,
     "no report and no progress on stderr, only errors and faults"},
    {OPTION_VERBOSE, 'v', "verbose", NULL, BOTH,
     "show every site and launch, and the commands that are run"},
    {OPTION_VERBOSE, 'v', "verbose", NULL, CLI_CALIBRATE, "show every pattern that disagrees"},
    {OPTION_HELP, 'h', "help", NULL, ALL | CLI_CALIBRATE | CLI_NVCC_FLAGS, "show this help"},
};
enum { ROWS = sizeof rows / sizeof *rows };

void cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bankrun: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void options_init(struct cli_options *options) {
    *options = (struct cli_options){.arch = 90};
}

void options_free(struct cli_options *options) {
    vec_free(&options->dumps);
    vec_free(&options->nvcc_flags);
    vec_free(&options->explain.lets);
}

unsigned options_arch(const char *text) {
    for (const char *const *p = (const char *const[]){"sm_", "compute_", NULL}; *p; p++)
        if (!strncmp(text, *p, strlen(*p))) {
            text += strlen(*p);
            break;
        }
    unsigned digits = 0, value = 0;
    bool has_dot = false;
    for (; isdigit((unsigned char)*text) || (*text == '.' && digits && !has_dot); text++) {
        if (*text == '.') {
            has_dot = true;
        } else {
            value = value * 10 + (unsigned)(*text - '0');
            if (++digits > 3)
                return 0;
        }
    }
    if (!has_dot && (*text == 'a' || *text == 'f')) // architecture-specific features
        text++;
    return *text || digits < 2 ? 0 : value;
}

bool options_use_color(const struct cli_options *options, FILE *stream) {
    if (options->color != CLI_COLOR_AUTO)
        return options->color == CLI_COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((no_color && *no_color) || !terminal || !strcmp(terminal, "dumb"))
        return false;
    return isatty(fileno(stream));
}

bool options_show_progress(const struct cli_options *options) {
    return !options->quiet && isatty(STDERR_FILENO);
}

// Edits (insert, drop, replace, swap neighbours) that turn a into b; `limit` and more are alike.
static unsigned edit_distance(const char *a, const char *b, unsigned limit) {
    enum { LONGEST = 32 };
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return limit;
    unsigned cost[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (!i || !j) {
                cost[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = best < cost[i - 1][j] + 1 ? best : cost[i - 1][j] + 1;
            best = best < cost[i][j - 1] + 1 ? best : cost[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                cost[i - 2][j - 2] + 1 < best)
                best = cost[i - 2][j - 2] + 1;
            cost[i][j] = best;
        }
    return cost[m][n];
}

const char *cli_suggest(const char *word, const char *const *candidates) {
    const char *nearest = NULL;
    unsigned least = strlen(word) < 4 ? 2 : 3;
    for (; *candidates; candidates++) {
        unsigned distance = edit_distance(word, *candidates, least);
        if (distance < least) {
            least = distance;
            nearest = *candidates;
        }
    }
    return nearest;
}

static const char *command_name(enum cli_command command) {
    switch (command) {
    case CLI_RUN:
        return "run";
    case CLI_REPORT:
        return "report";
    case CLI_EXPLAIN:
        return "explain";
    case CLI_NVCC_FLAGS:
        return "nvcc-flags";
    case CLI_CALIBRATE:
        break;
    }
    return "calibrate";
}

static bool unknown_option(enum cli_command command, const char *word, size_t length) {
    const char *names[ROWS + 1];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].name && rows[i].commands & (unsigned)command)
            names[count++] = rows[i].name;
    names[count] = NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char *nearest = name[0] == '-' && name[1] == '-' ? cli_suggest(name + 2, names) : NULL;
    if (nearest)
        cli_error("unknown option '%s'; did you mean '--%s'?", name, nearest);
    else
        cli_error("unknown option '%s'; see 'bankrun %s --help'", name, command_name(command));
    return false;
}

// Takes the long option in argv[*index] and moves *index past it and its value.
static bool parse_long(struct cli_options *options, enum cli_command command, int argc, char **argv,
                       int *index) {
    const char *word = argv[(*index)++];
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &rows[i];
        if (!row->name || !(row->commands & (unsigned)command) || strlen(row->name) != length - 2 ||
            strncmp(row->name, word + 2, length - 2))
            continue;
        if (!row->argument && value) {
            cli_error("--%s takes no value", row->name);
            return false;
        }
        if (row->argument && !value) {
            if (*index >= argc) {
                cli_error("--%s needs a value: --%s %s", row->name, row->name, row->argument);
                return false;
            }
            value = argv[(*index)++];
        }
        return options_apply(options, row, value);
    }
    return unknown_option(command, word, length);
}

// -X is followed by the name of a tool, whose flag comes behind `=` or as the next argument; the
// other letters take their value at once or as the next argument.
static bool parse_short(struct cli_options *options, enum cli_command command, int argc,
                        char **argv, int *index) {
    const char *word = argv[(*index)++];
    const struct option_row *row = NULL;
    for (size_t i = 0; i < ROWS && !row; i++)
        if (rows[i].letter == word[1] && rows[i].commands & (unsigned)command)
            row = &rows[i];
    if (!row || (!row->argument && word[2]))
        return unknown_option(command, word, strlen(word));
    if (!row->argument)
        return options_apply(options, row, NULL);
    bool is_complete = row->letter == 'X' ? strchr(word, '=') != NULL : word[2] != 0;
    if (!is_complete && *index >= argc) {
        cli_error("%s needs a value: -%c %s", word, row->letter, row->argument);
        return false;
    }
    const char *next = is_complete ? NULL : argv[(*index)++];
    if (row->id != OPTION_PASS)
        return options_apply(options, row, next ? next : word + 2);
    vec_push(&options->nvcc_flags, word);
    if (next)
        vec_push(&options->nvcc_flags, next);
    return true;
}

int options_parse(struct cli_options *options, enum cli_command command, int argc, char **argv,
                  int first) {
    int index = first;
    while (index < argc && argv[index][0] == '-' && argv[index][1]) {
        if (!strcmp(argv[index], "--"))
            return index + 1;
        bool is_fine = argv[index][1] == '-' ? parse_long(options, command, argc, argv, &index)
                                             : parse_short(options, command, argc, argv, &index);
        if (!is_fine)
            return -1;
    }
    return index;
}

void options_print_help(enum cli_command command, FILE *out) {
    enum { HELP_COLUMN = 26 };
    fputs("Options:\n", out);
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &rows[i];
        if (!(row->commands & (unsigned)command) || !row->help)
            continue;
        char left[80];
        int length = 0;
        if (row->letter)
            length = snprintf(left, sizeof left, "  -%c", row->letter);
        else
            length = snprintf(left, sizeof left, "    ");
        if (row->name)
            length += snprintf(left + length, sizeof left - (size_t)length, "%s--%s",
                               row->letter ? ", " : "  ", row->name);
        if (row->argument)
            length += snprintf(left + length, sizeof left - (size_t)length, " %s", row->argument);
        fputs(left, out);
        if (length > HELP_COLUMN - 2)
            fprintf(out, "\n%*s", HELP_COLUMN, "");
        else
            fprintf(out, "%*s", HELP_COLUMN - length, "");
        for (const char *line = row->help; *line;) {
            size_t bytes = strcspn(line, "\n");
            fprintf(out, "%.*s\n", (int)bytes, line);
            line += bytes + (line[bytes] == '\n');
            if (*line)
                fprintf(out, "%*s", HELP_COLUMN, "");
        }
    }
}
