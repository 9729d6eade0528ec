// A line on a terminal that says how far a launch is.
#ifndef BANKRUN_CLI_PROGRESS_H
#define BANKRUN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"

struct progress {
    double start, shown; // seconds of the monotonic clock
    bool is_visible;
};

// Whether progress should be shown: stderr is a terminal and --quiet was not given.
bool progress_wanted(const struct cli_options *options);

void progress_begin(struct progress *progress);
// A sim_launch.progress: shows a line every now and then.
bool progress_update(void *progress, uint64_t blocks_done, uint64_t blocks, uint64_t instructions);
void progress_end(struct progress *progress); // takes the line away

#endif
