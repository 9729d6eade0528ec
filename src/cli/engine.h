// Which engine runs kernels: --engine, else BANKRUN_ENGINE, else auto.
#ifndef BANKRUN_CLI_ENGINE_H
#define BANKRUN_CLI_ENGINE_H

#include "cli/options.h"

// Settles options->engine. False: a word means nothing, or kernels cannot be compiled, which was
// printed.
bool engine_settle(struct cli_options *options);
// In words, as the option and the variable have it.
const char *engine_word(const struct cli_options *options);

#endif
