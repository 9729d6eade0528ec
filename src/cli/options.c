// Parses the command line by the table of options, and prints their help.
#include "cli/option_rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bankrun/banks.h"
#include "base/say.h"

void cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_list(stderr, format, arguments);
    va_end(arguments);
}

void options_init(struct cli_options *options) {
    *options = (struct cli_options){.arch = 90};
}

void options_free(struct cli_options *options) {
    vec_free(&options->dumps);
    vec_free(&options->nvcc_flags);
    vec_free(&options->explain.lets);
    profile_free_suppressions(options->accepted);
    for (size_t i = 0; i < options->gates.length; i++)
        free(options->gates.data[i].where);
    vec_free(&options->gates);
    profile_free(options->baseline);
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
    case CLI_LAYOUT:
        return "layout";
    case CLI_FIX:
        return "fix";
    case CLI_NVCC_FLAGS:
        return "nvcc-flags";
    case CLI_PROVE:
        return "prove";
    case CLI_DIFF:
        return "diff";
    case CLI_DOCTOR:
        return "doctor";
    case CLI_CALIBRATE:
        break;
    }
    return "calibrate";
}

static bool unknown_option(enum cli_command command, const char *word, size_t length) {
    const char *names[option_row_count + 1];
    size_t count = 0;
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].name && option_rows[i].commands & (unsigned)command)
            names[count++] = option_rows[i].name;
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
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
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
    for (size_t i = 0; i < option_row_count && !row; i++)
        if (option_rows[i].letter == word[1] && option_rows[i].commands & (unsigned)command)
            row = &option_rows[i];
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
    if (row->kind != OPTION_PASS)
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
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
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

static void print_choices(const struct option_row *row, FILE *out) {
    const char *separator = "";
    if (row->read == option_arch)
        for (const unsigned *arch = bankrun_architectures(); *arch; arch++, separator = " ")
            fprintf(out, "%ssm_%u", separator, *arch);
    if (row->read == option_arch && row->commands & CLI_EXPLAIN)
        fputs(" all", out);
    for (const struct option_choice *choice = row->choices; choice && choice->word; choice++) {
        fprintf(out, "%s%s", separator, choice->word);
        separator = " ";
    }
    if (row->read != option_arch && !row->choices)
        fputc('-', out);
}

void options_print_list(enum cli_command command, FILE *out) {
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!(row->commands & (unsigned)command) || !row->name)
            continue;
        fprintf(out, "--%s\t%c\t%s\t", row->name, row->letter ? row->letter : '-',
                row->argument ? row->argument : "-");
        print_choices(row, out);
        fputc('\t', out);
        for (const char *at = row->help; *at; at++)
            fputc(*at == '\n' ? ' ' : *at, out);
        fputc('\n', out);
    }
}
