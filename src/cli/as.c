#include "cli/as.h"

#include <stdlib.h>
#include <string.h>

#include "toolchain/disassemble.h"

// What nobody asks for in words: BANKRUN_AS, else auto. False: that says nothing, which was
// printed.
static bool read_usual(enum cli_as *as) {
    const char *word = getenv("BANKRUN_AS");
    *as = !word || !*word || !strcmp(word, "auto") ? CLI_AS_AUTO
          : !strcmp(word, "written")               ? CLI_AS_WRITTEN
          : !strcmp(word, "compiled")              ? CLI_AS_COMPILED
                                                   : CLI_AS_USUAL;
    if (*as == CLI_AS_USUAL)
        cli_error("BANKRUN_AS=%s is none of written, compiled, auto", word);
    return *as != CLI_AS_USUAL;
}

// Where there is a choice: like the baseline, else as the machine code accesses it, but where PTX's
// accesses are what is asked about.
static void choose(struct cli_options *options) {
    const struct profile *baseline = options->baseline;
    if (baseline) {
        options->as_compiled = baseline->is_as_compiled;
        options->as_reason = baseline->is_as_compiled ? NULL : "the baseline's are counted so";
    } else if (options->sample.is_proved) {
        options->as_reason = "it is these that --blocks auto proves";
    } else {
        options->as_compiled = options->may_be_written = true;
    }
}

bool as_settle(struct cli_options *options) {
    enum cli_as as = options->as;
    const bool is_usual = as == CLI_AS_USUAL;
    options->as_compiled = options->may_be_written = false;
    options->as_reason = NULL;
    if ((is_usual || as == CLI_AS_AUTO) && (options->only_checks || options->no_count))
        return true;
    if (is_usual && !read_usual(&as))
        return false;
    if (as == CLI_AS_AUTO)
        choose(options);
    else
        options->as_compiled = as == CLI_AS_COMPILED;
    return true;
}

bool as_is_possible(const struct cli_options *options) {
    struct diag_list diags = {0};
    bool can = true;
    if (options->as_compiled && options->no_count)
        cli_error("--as compiled says what is counted: leave --no-count out");
    else
        can = !options->as_compiled || options->may_be_written || toolchain_can_disassemble(&diags);
    for (size_t i = 0; i < diags.count; i++)
        cli_error("--as compiled: %s", diags.items[i].message);
    diag_free(&diags);
    return can && !(options->as_compiled && options->no_count);
}
