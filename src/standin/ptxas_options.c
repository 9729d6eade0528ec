#include "standin/ptxas_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

// Options that have a value of their own: `--name=value` or `--name value`. That of others cannot
// be told from a file.
static const char *const valued[] = {
    "Ofast-compile",
    "Ofc",
    "allow-expensive-optimizations",
    "def-load-cache",
    "dlcm",
    "def-store-cache",
    "dscm",
    "device-function-maxrregcount",
    "func-maxrregcount",
    "device-stack-protector",
    "entry",
    "e",
    "fmad",
    "force-load-cache",
    "flcm",
    "force-store-cache",
    "fscm",
    "machine",
    "m",
    "maxntid",
    "minnctapersm",
    "opt-level",
    "O",
    "position-independent-code",
    "pic",
    "register-usage-level",
    "regUsageLevel",
    "regAllocOptLevel",
    "sanitize",
    "split-compile",
};

// The options that mean something here.
enum meaning {
    OUTPUT,
    ARCH,
    RELOCATABLE,
    VERBOSE,
    QUIET,
    STRICT,
    REGISTERS,
    HELP,
    VERSION,
    REFUSED
};
static const struct row {
    const char *name, *abbreviation;
    enum meaning meaning;
    bool has_value;
} rows[] = {
    {"output-file", "o", OUTPUT, true},
    {"gpu-name", "arch", ARCH, true},
    {"compile-only", "c", RELOCATABLE, false},
    {"verbose", "v", VERBOSE, false},
    {"disable-warnings", "w", QUIET, false},
    {"warning-as-error", "Werror", STRICT, false},
    {"maxrregcount", "maxrregcount", REGISTERS, true},
    {"help", "h", HELP, false},
    {"version", "V", VERSION, false},
    {"input-as-string", "ias", REFUSED, true},
    {"options-file", "optf", REFUSED, true},
};

static bool is_named(const char *text, size_t length, const char *name) {
    return name && strlen(name) == length && memcmp(text, name, length) == 0;
}

static const struct row *find_row(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_named(name, length, rows[i].name) || is_named(name, length, rows[i].abbreviation))
            return &rows[i];
    return NULL;
}

static bool has_value(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (is_named(name, length, valued[i]))
            return true;
    return false;
}

// `sm_90a` and its like; `compute_90`: only to be checked.
static bool read_arch(const char *text, struct ptxas_options *options) {
    const char *number = strchr(text, '_');
    if (!number || number[1] < '0' || number[1] > '9')
        return false;
    options->arch = (unsigned)strtoul(number + 1, NULL, 10);
    options->only_checks = strncmp(text, "sm_", 3) != 0;
    return true;
}

// Of a kernel; other words mean something to other versions of ptxas.
static bool read_registers(const char *text, struct ptxas_options *options,
                           struct strbuf *problem) {
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        strbuf_printf(problem, "Value '%s' is not defined for option 'maxrregcount'", text);
    options->most_registers = number < 255 ? (unsigned)number : 255;
    return !problem->length;
}

static bool apply(const struct row *row, const char *value, struct ptxas_options *options,
                  struct strbuf *problem) {
    switch (row->meaning) {
    case OUTPUT:
        options->output = value;
        return true;
    case ARCH:
        if (!read_arch(value, options))
            strbuf_printf(problem, "Value '%s' is not defined for option 'gpu-name'", value);
        return !problem->length;
    case RELOCATABLE:
        options->is_relocatable = true;
        return true;
    case VERBOSE:
        options->is_verbose = true;
        return true;
    case QUIET:
        options->is_quiet = true;
        return true;
    case STRICT:
        options->warnings_are_errors = true;
        return true;
    case REGISTERS:
        return read_registers(value, options, problem);
    case HELP:
        options->wants_help = true;
        return true;
    case VERSION:
        options->wants_version = true;
        return true;
    case REFUSED:
        break;
    }
    strbuf_printf(problem, "bankrun's ptxas has no option '%s'", row->name);
    return false;
}

// The option at argv[*at], and its value, which may be the next argument.
static bool read_option(int count, char **argv, int *at, struct ptxas_options *options,
                        struct strbuf *problem) {
    const char *name = argv[*at];
    while (*name == '-')
        name++;
    const size_t length = strcspn(name, "=");
    const struct row *row = find_row(name, length);
    const char *value = name[length] ? name + length + 1 : NULL;
    if (!value && (row ? row->has_value : has_value(name, length))) {
        if (*at + 1 == count) {
            strbuf_printf(problem, "Option '%s' needs a value", name);
            return false;
        }
        value = argv[++*at];
    }
    return !row || apply(row, value, options, problem);
}

bool ptxas_options_read(int count, char **argv, struct ptxas_options *options,
                        struct strbuf *problem) {
    *options = (struct ptxas_options){.output = "elf.o", .arch = 75};
    for (int i = 1; i < count; i++) {
        if (argv[i][0] == '-') {
            if (!read_option(count, argv, &i, options, problem))
                return false;
        } else if (options->input) {
            strbuf_printf(problem, "bankrun's ptxas takes one file, not '%s' and '%s'",
                          options->input, argv[i]);
            return false;
        } else {
            options->input = argv[i];
        }
    }
    if (!options->input && !options->wants_version)
        options->wants_help = true;
    return true;
}
