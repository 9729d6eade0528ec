#include "base/progress.h"

#include <stdlib.h>
#include <time.h>

#include "base/demangle.h"

static const double first_after = 0.5, redraw_after = 0.1; // seconds

double progress_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(struct progress *progress, FILE *out, const char *name) {
    *progress = (struct progress){.out = out, .name = name, .start = progress_now()};
    progress->shown = progress->start + first_after - redraw_after;
}

static void print_scaled(FILE *out, double value) {
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    fprintf(out, "%.1f %s", value, units[unit]);
}

static void print_left(FILE *out, double seconds) {
    if (seconds < 120)
        fprintf(out, ", %.0f s left", seconds);
    else if (seconds < 7200)
        fprintf(out, ", %.0f min left", seconds / 60);
    else
        fprintf(out, ", %.1f h left", seconds / 3600);
}

// Most launches are done before anybody would read it.
static void make_label(struct progress *progress) {
    char *name = base_drop_parameters(base_demangle(progress->name));
    snprintf(progress->label, sizeof progress->label, "%s", name);
    free(name);
}

void progress_update(struct progress *progress, uint64_t blocks_done, uint64_t blocks,
                     uint64_t instructions) {
    FILE *out = progress->out;
    if (!out)
        return;
    double now = progress_now();
    if (now - progress->shown < redraw_after)
        return;
    progress->shown = now;
    if (!progress->is_visible)
        make_label(progress);
    progress->is_visible = true;
    double elapsed = now - progress->start;
    fprintf(out, "\r\033[K%s: %llu of %llu blocks, ", progress->label,
            (unsigned long long)blocks_done, (unsigned long long)blocks);
    print_scaled(out, (double)instructions / elapsed);
    fputs("instructions/s", out);
    if (blocks_done && blocks_done <= blocks)
        print_left(out, elapsed / (double)blocks_done * (double)(blocks - blocks_done));
    fflush(out);
}

void progress_end(struct progress *progress) {
    if (!progress->is_visible)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
}
