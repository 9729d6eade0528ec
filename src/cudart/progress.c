// One line on stderr about a launch that takes long, drawn over itself and cleared at the end.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cudart/launch.h"

static const double first_after = 0.5, redraw_after = 0.1; // seconds
enum { SHOWN_NAME = 32 };

double cudart_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void cudart_progress_begin(struct cudart_progress *progress, struct cudart_state *state,
                           const char *kernel) {
    *progress = (struct cudart_progress){.kernel = kernel,
                                         .started = cudart_now(),
                                         .is_wanted = state->config.shows_progress,
                                         .state = state};
    progress->last = progress->started + first_after - redraw_after;
}

static void print_scaled(char *text, size_t size, double value) {
    static const char units[] = {' ', 'k', 'M', 'G', 'T'};
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units) {
        value /= 1000;
        unit++;
    }
    snprintf(text, size, "%.1f %c", value, units[unit]);
}

static void print_left(char *text, size_t size, double seconds) {
    if (seconds < 120)
        snprintf(text, size, "%.0f s left", seconds);
    else if (seconds < 7200)
        snprintf(text, size, "%.0f min left", seconds / 60);
    else
        snprintf(text, size, "%.1f h left", seconds / 3600);
}

bool cudart_progress_step(void *context, uint64_t blocks_done, uint64_t blocks,
                          uint64_t instructions) {
    struct cudart_progress *progress = context;
    double now = cudart_now();
    if (progress->is_wanted && now - progress->last >= redraw_after) {
        char rate[32], left[32] = "";
        double elapsed = now - progress->started;
        print_scaled(rate, sizeof rate, (double)instructions / elapsed);
        if (blocks_done)
            print_left(left, sizeof left,
                       elapsed / (double)blocks_done * (double)(blocks - blocks_done));
        fprintf(stderr, "\r\033[K%.*s: %llu of %llu blocks, %sinstructions/s%s%s", SHOWN_NAME,
                progress->kernel, (unsigned long long)blocks_done, (unsigned long long)blocks, rate,
                *left ? ", " : "", left);
        fflush(stderr);
        progress->last = now;
        progress->is_shown = true;
    }
    return !progress->state->dying;
}

void cudart_progress_end(struct cudart_progress *progress) {
    if (progress->is_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
