// mutants [--check] LAST FIRST COUNT FILE...: launches the kernels of mutants of the files, those
// of the seeds FIRST and on, until COUNT were taken; --check: while all checkers listen. The one
// that runs is in the file LAST.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "launch_all.h"
#include "mutate.h"

enum {
    PATIENCE = 120, // seconds of processor time, after which a mutant counts as one that never ends
    LONG_AGO = 3600, // the same by the clock, for those that wait
    SOME = 10000,    // mutants, after which it says how far it is
};

struct file {
    char *data;
    size_t length;
};

// Runs from memory of its own, without a NUL behind it: reads past the end are then found.
static bool run(const struct strbuf *mutant, const char *path, bool is_checked) {
    if (!file_write(path, strbuf_string(mutant), mutant->length)) {
        perror(path);
        exit(1);
    }
    uint8_t *exact = malloc(mutant->length ? mutant->length : 1);
    if (!exact)
        exit(1);
    for (size_t i = 0; i < mutant->length; i++)
        exact[i] = (uint8_t)mutant->data[i];
    const struct itimerval patience = {.it_value.tv_sec = PATIENCE};
    setitimer(ITIMER_PROF, &patience, NULL);
    alarm(LONG_AGO);
    const bool is_taken = fuzz_launch_all(exact, mutant->length, is_checked);
    free(exact);
    return is_taken;
}

static void run_all(const char *last, uint64_t seed, uint64_t count, const struct file *files,
                    size_t file_count, bool is_checked) {
    uint64_t taken = 0, tried = 0;
    for (; taken < count; seed++, tried++) {
        const struct file *file = &files[seed % file_count];
        const struct file *other = &files[seed / file_count * 7 % file_count];
        struct strbuf mutant = {0};
        mutate_ptx(file->data, file->length, other->data, other->length, seed, &mutant);
        const bool is_taken = run(&mutant, last, is_checked);
        taken += is_taken;
        if (is_taken && taken % SOME == 0 && taken < count)
            fprintf(stderr, "%" PRIu64 " of %" PRIu64 " ran; seed %" PRIu64 "\n", taken, tried + 1,
                    seed);
        strbuf_free(&mutant);
    }
    printf("%" PRIu64 " of %" PRIu64 " mutants ran; the next seed is %" PRIu64 "\n", taken, tried,
           seed);
}

int main(int argc, char **argv) {
    enum { FILES = 4 };
    const bool is_checked = argc > 1 && strcmp(argv[1], "--check") == 0;
    argv += is_checked;
    argc -= is_checked;
    if (argc <= FILES) {
        fprintf(stderr, "usage: mutants [--check] LAST FIRST COUNT FILE...\n");
        return 2;
    }
    const size_t count = (size_t)argc - FILES;
    struct file *files = base_alloc(count * sizeof *files);
    for (size_t i = 0; i < count; i++)
        if (!file_read(argv[FILES + i], &files[i].data, &files[i].length)) {
            perror(argv[FILES + i]);
            return 1;
        }
    run_all(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), files, count,
            is_checked);
    for (size_t i = 0; i < count; i++)
        free(files[i].data);
    free(files);
    return 0;
}
