// Holds the bank model against a GPU: runs one instruction at a time over patterns of lane
// addresses and compares the clock with the model. Nothing here needs permission for hardware
// counters.
#ifndef BANKRUN_CALIBRATE_CALIBRATE_H
#define BANKRUN_CALIBRATE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bankrun/banks.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"

// How the clock of an instruction follows its wavefronts.
enum calibrate_clock {
    CALIBRATE_EXACT, // rounds to them, or to the least time of the access
    CALIBRATE_SWAP,  // up to a ninth below: passes of neighbouring instructions overlap
    CALIBRATE_LOOP,  // far above: most of a compare-and-swap loop's time is waiting
};

struct calibrate_instruction {
    const char *name; // as in the files of truth/
    enum bankrun_access access;
    unsigned width, matrices;
    unsigned arch; // the lowest that has it
    enum calibrate_clock clock;
    const char *ptx; // one copy; see ptx_text.c for the registers
};

// All instructions, in the order of reports.
const struct calibrate_instruction *calibrate_instructions(size_t *count);
const struct calibrate_instruction *calibrate_find(const char *name); // NULL: there is none

struct calibrate_pattern { // as a kernel reads it: 33 words
    uint32_t mask;
    uint32_t offsets[BANKRUN_LANES];
};
enum { CALIBRATE_SHARED_BYTES = 32 * 1024, CALIBRATE_PATTERNS = 300 };

// The same patterns every time: strides, broadcasts, neighbours, columns, random ones, masks.
void calibrate_make_patterns(const struct calibrate_instruction *instruction, size_t count,
                             struct calibrate_pattern *patterns);

enum { CALIBRATE_WARPS = 32, CALIBRATE_COPIES = 64 };

// A module with the kernel measure(patterns, cycles): a block for each pattern, whose warps issue
// CALIBRATE_COPIES copies each. cycles[block] gets the clock cycles of all of them.
void calibrate_write_ptx(const struct calibrate_instruction *instruction, unsigned arch,
                         struct strbuf *out);

// Fills in the cycles of one warp-level instruction for each pattern. False: diags say why.
struct calibrate_meter {
    bool (*measure)(void *context, const struct calibrate_instruction *instruction,
                    const struct calibrate_pattern *patterns, size_t count, double *cycles,
                    struct diag_list *diags);
    void *context;
};

// The first GPU of the machine. NULL: there is none, or no driver; diags say which.
struct calibrate_gpu;
struct calibrate_gpu *calibrate_open_gpu(struct diag_list *diags);
void calibrate_close_gpu(struct calibrate_gpu *gpu);
unsigned calibrate_gpu_arch(const struct calibrate_gpu *gpu);    // 90 for 9.0
const char *calibrate_gpu_name(const struct calibrate_gpu *gpu); // "NVIDIA H200"
unsigned calibrate_gpu_cuda(const struct calibrate_gpu *gpu);    // 13000: CUDA 13.0
struct calibrate_meter calibrate_gpu_meter(struct calibrate_gpu *gpu);

struct calibrate_row {
    const struct calibrate_instruction *instruction;
    struct calibrate_pattern pattern;
    struct bankrun_cost cost;
    double cycles; // measured
    double model;  // least cycles by the model
    bool agrees;
};

struct calibrate_result {
    unsigned model_arch;
    double unit; // cycles of one wavefront, from 32-way conflicts of ld.shared.u32
    VEC(struct calibrate_row) rows;
    VEC(const struct calibrate_instruction *) left_out; // the GPU does not have them
    size_t agree;
};

struct calibrate_plan {
    const struct calibrate_instruction *only; // NULL: all
    size_t patterns;                          // of each instruction
    unsigned gpu_arch, model_arch;
};

// Whether a measured clock fits `model` cycles of `unit` each.
bool calibrate_agrees(enum calibrate_clock clock, double model, double cycles, double unit);

// Free the result in any case. False: diags say why.
bool calibrate_compare(const struct calibrate_plan *plan, const struct calibrate_meter *meter,
                       struct calibrate_result *result, struct diag_list *diags);
void calibrate_free(struct calibrate_result *result);

// A table of instructions, then at most `examples` patterns of each that disagree.
void calibrate_write_report(const struct calibrate_result *result, size_t examples,
                            struct strbuf *out);
// CSV with the columns of truth/h200_patterns.csv.gz; the counters' column stays empty.
void calibrate_write_truth(const struct calibrate_result *result, struct strbuf *out);

#endif
