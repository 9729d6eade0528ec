// What --fail-on is told: words between commas, some with a limit and a place.
//
//     fault  check  excess[=N | >=N][@WHERE]  degree>=N[@WHERE]  regression[=N | =N%][@WHERE]
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_rows.h"

static bool is_word(const char *word, size_t length, const char *name) {
    return strlen(name) == length && !strncmp(word, name, length);
}

static bool wrong(const struct cli_gate *gate, const char *why) {
    cli_error("--fail-on: '%.*s': %s", gate->length, gate->text, why);
    return false;
}

// Reads digits, and moves *at behind them.
static bool read_number(const char **at, uint64_t *number) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return !errno;
}

// "=N", and N passes, or ">=N", and N is too much.
static bool read_limit(struct cli_gate *gate, const char **at) {
    const bool is_least = **at == '>';
    const char *begin = *at;
    *at += is_least;
    if (**at != '=')
        return *at == begin || wrong(gate, "a limit is =N or >=N");
    ++*at;
    if (!read_number(at, &gate->most))
        return wrong(gate, "the limit is no number");
    if (is_least && gate->most-- == 0)
        return wrong(gate, ">=0 would always fail");
    if (is_least && gate->kind == CLI_GATE_REGRESSION)
        return wrong(gate, "of a regression =N or =N% may remain");
    if (!is_least && gate->kind == CLI_GATE_DEGREE)
        return wrong(gate, "write degree>=N");
    gate->is_percent = gate->kind == CLI_GATE_REGRESSION && **at == '%';
    *at += gate->is_percent;
    return true;
}

static bool read_where(struct cli_gate *gate, const char *at, const char *end) {
    if (at < end && *at != '@')
        return wrong(gate, "behind the limit only @WHERE may stand");
    if (at + 1 == end)
        return wrong(gate, "where? @FILE:LINE or @KERNEL");
    gate->where = at < end ? base_strndup(at + 1, (size_t)(end - at - 1)) : NULL;
    return true;
}

static bool is_same_question(const struct cli_gate *a, const struct cli_gate *b) {
    return a->kind == b->kind &&
           (a->where && b->where ? !strcmp(a->where, b->where) : a->where == b->where);
}

// The last word about a place counts.
static void add_gate(struct cli_options *options, const struct cli_gate *gate) {
    for (size_t i = 0; i < options->gates.length; i++)
        if (is_same_question(&options->gates.data[i], gate)) {
            free(options->gates.data[i].where);
            options->gates.data[i] = *gate;
            return;
        }
    vec_push(&options->gates, *gate);
}

static bool read_counted(struct cli_options *options, const char *word, size_t length) {
    static const char *const names[] = {
        [CLI_GATE_EXCESS] = "excess",
        [CLI_GATE_DEGREE] = "degree",
        [CLI_GATE_REGRESSION] = "regression",
    };
    const size_t name = strspn(word, "abcdefghijklmnopqrstuvwxyz"),
                 kinds = sizeof names / sizeof *names;
    struct cli_gate gate = {.text = word, .length = (int)length};
    size_t kind = 0;
    while (kind < kinds && !is_word(word, name, names[kind]))
        kind++;
    if (kind == kinds) {
        cli_error(
            "--fail-on: '%.*s' is none of fault, excess, excess=N, degree>=N, regression, check",
            (int)length, word);
        return false;
    }
    gate.kind = kind;
    const char *at = word + name;
    if (gate.kind == CLI_GATE_DEGREE && *at != '>')
        return wrong(&gate, "write degree>=N");
    if (!read_limit(&gate, &at) || !read_where(&gate, at, word + length))
        return false;
    add_gate(options, &gate);
    return true;
}

static bool read_gate(struct cli_options *options, const char *word, size_t length) {
    options->fail_on_fault = true;
    if (is_word(word, length, "fault"))
        return true;
    if (is_word(word, length, "check"))
        return options->fail_on_check = true;
    return read_counted(options, word, length);
}

// Words between commas that stand in no angle brackets or parentheses: those are of a kernel's
// name.
static size_t word_length(const char *text) {
    int depth = 0;
    size_t length = 0;
    for (; text[length] && (text[length] != ',' || depth > 0); length++) {
        const bool is_limit = text[length] == '>' && text[length + 1] == '=';
        depth += text[length] == '<' || text[length] == '(';
        depth -= depth > 0 && !is_limit && (text[length] == '>' || text[length] == ')');
    }
    return length;
}

bool option_fail_on(struct cli_options *options, const struct option_row *row, const char *value) {
    (void)row;
    for (;; value++) {
        const size_t length = word_length(value);
        if (!read_gate(options, value, length))
            return false;
        value += length;
        if (!*value)
            return true;
    }
}
