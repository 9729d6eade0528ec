#include "cli/engine.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

static const char *const words[] = {
    [CLI_ENGINE_USUAL] = "", // whoever is asked next settles it
    [CLI_ENGINE_AUTO] = "auto",
    [CLI_ENGINE_INTERPRET] = "interpret",
    [CLI_ENGINE_COMPILE] = "compile",
};

static bool read_usual(enum cli_engine *engine) {
    const char *word = getenv("BANKRUN_ENGINE");
    *engine = CLI_ENGINE_AUTO;
    if (!word || !*word)
        return true;
    for (enum cli_engine e = CLI_ENGINE_AUTO; e <= CLI_ENGINE_COMPILE; e++)
        if (strcmp(word, words[e]) == 0) {
            *engine = e;
            return true;
        }
    cli_error("BANKRUN_ENGINE=%s is none of auto, interpret, compile", word);
    return false;
}

bool engine_settle(struct cli_options *options) {
    if (options->engine == CLI_ENGINE_USUAL && !read_usual(&options->engine))
        return false;
    sim_compiler_at(getenv("BANKRUN_COMPILER"));
    const char *why = options->engine == CLI_ENGINE_COMPILE ? sim_compiler_missing() : NULL;
    if (why)
        cli_error("--engine compile: kernels cannot be compiled: %s", why);
    return !why;
}

const char *engine_word(const struct cli_options *options) {
    return words[options->engine];
}
