// What programs that hold random kernels against what is proved of them have in common: their
// command line, FIRST COUNT [FILE]; a device; a kernel for each seed, loaded; and counts.
#ifndef BANKRUN_FUZZ_RANDOM_RUN_H
#define BANKRUN_FUZZ_RANDOM_RUN_H

#include "random_kernel.h"
#include "sim/sim.h"

struct random_case { // a kernel that was made and loaded
    uint64_t seed;
    const struct random_kernel *text;
    struct sim *sim; // the device
    struct sim_kernel *kernel;
    uint8_t *buffer; // RANDOM_BUFFER_BYTES of its memory
    uint8_t *array;  // RANDOM_ARRAY_BYTES; NULL: the kernel has no such array in global memory
    void *totals;    // of all cases, the program's
};

struct random_program {
    const char *name;
    uint64_t most_instructions; // of a launch
    bool takes_file;            // in place of all random kernels
    bool is_silent;             // of texts that make no kernel: contradictions without words
    void (*make)(struct random_kernel *kernel, uint64_t seed);
    // False: a contradiction, and it was printed.
    bool (*is_good)(const struct random_case *given);
    void (*print_totals)(const void *totals);
};

enum { RANDOM_ARCH = 90 }; // of the device

// The program's main: seeds FIRST and on. Returns its exit status.
int random_main(const struct random_program *program, void *totals, int argc, char **argv);

// ---- Memory ---------------------------------------------------------------------------------

// What kernels read and may write: launches that are compared begin with the same.
struct random_content {
    uint8_t buffer[RANDOM_BUFFER_BYTES], array[RANDOM_ARRAY_BYTES];
};

// Zeros for an array that there is not.
void random_content_take(const struct random_case *given, struct random_content *content);
void random_content_put(const struct random_case *given, const struct random_content *content);
// As it is, but the buffer is random.
void random_content_make(const struct random_case *given, uint64_t *state,
                         struct random_content *content);

// ---- Reasons --------------------------------------------------------------------------------

enum { RANDOM_MOST_REASONS = 64 };

struct random_reasons { // zeroed: none; in the order in which they came first
    struct {
        const char *text; // of the prover, static
        uint64_t count;
    } list[RANDOM_MOST_REASONS];
};

void random_count_reason(struct random_reasons *reasons, const char *text);
void random_print_reasons(const struct random_reasons *reasons);

#endif
