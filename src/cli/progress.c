#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool progress_wanted(const struct cli_options *options) {
    return !options->quiet && isatty(STDERR_FILENO);
}

void progress_begin(struct progress *progress) {
    *progress = (struct progress){.start = now()};
    progress->shown = progress->start + 0.5; // short launches show nothing
}

bool progress_update(void *context, uint64_t blocks_done, uint64_t blocks, uint64_t instructions) {
    struct progress *progress = context;
    double time = now();
    if (time - progress->shown < 0.2)
        return true;
    progress->shown = time;
    progress->is_visible = true;
    double elapsed = time - progress->start;
    fprintf(stderr, "\r\033[K%llu of %llu blocks, %.0f million instructions/s",
            (unsigned long long)blocks_done, (unsigned long long)blocks,
            (double)instructions / elapsed * 1e-6);
    if (blocks_done && blocks_done < blocks) {
        double left = elapsed * (double)(blocks - blocks_done) / (double)blocks_done;
        fprintf(stderr, ", %.0f s left", left);
    }
    fflush(stderr);
    return true;
}

void progress_end(struct progress *progress) {
    if (progress->is_visible)
        fputs("\r\033[K", stderr);
}
