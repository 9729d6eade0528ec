// What bankrun prove was asked, and how it says what it found.
#ifndef BANKRUN_CLI_PROVE_H
#define BANKRUN_CLI_PROVE_H

#include <regex.h>

#include "cli/options.h"
#include "ir/ir.h"
#include "prove/prove.h"

struct prove_run {
    const struct cli_options *options;
    FILE *out;
    bool has_block, has_pattern;
    uint32_t block[3];
    regex_t kernels;
    uint32_t sites, counts[PROVE_OBSERVED + 1]; // over all kernels
    uint32_t kernel_count;
};

// Proves the kernels of a PTX module. Returns an exit status.
int prove_module(const struct source *source, struct prove_run *run);

// One kernel for one shape of blocks.
void prove_print(struct prove_run *run, const struct ir_function *kernel,
                 const struct prove_launch *launch, const char *why_block,
                 const struct prove_result *result);
// In words: "proved 32-way". Caller frees.
char *prove_words(const struct prove_site *site);

#endif
