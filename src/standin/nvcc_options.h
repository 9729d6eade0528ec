// Inside the stand-in for nvcc: its command line.
#ifndef BANKRUN_STANDIN_NVCC_OPTIONS_H
#define BANKRUN_STANDIN_NVCC_OPTIONS_H

#include <stdbool.h>

#include "standin/tool.h"

enum nvcc_mode {
    NVCC_OTHER, // nothing of ours: printing, preprocessing, linking of device code into an object
    NVCC_HOST,  // objects, libraries and programs
    NVCC_PTX,
    NVCC_CUBIN,
    NVCC_FATBIN,
    NVCC_LINK, // device code into a cubin
};

struct nvcc_code {
    const char *arch; // "compute_90" of -gencode or -arch; "sm_90" is possible, too
    const char *code; // what is made for it, a list; NULL: as of -arch=sm_90 alone
};

struct nvcc_options {
    enum nvcc_mode mode;
    argument_list rest;             // all but the mode, outputs and architectures
    argument_list inputs;           // what of `rest` is no option, nor an option's value
    const char *output, *folder;    // -o and -odir; NULL: none
    VEC(struct nvcc_code) gencodes; // of -gencode
    struct nvcc_code single;        // of -arch and -code; NULLs: none
    unsigned most_registers;        // of -maxrregcount; 0: no limit
    bool has_lines, is_for_linking; // -lineinfo or -G; -dlto
};

// `arguments`: those behind the name.
void nvcc_options_read(char **arguments, struct nvcc_options *options);

// Whether machine code for exactly one architecture is asked for, which a cubin can hold.
bool nvcc_options_are_of_one_code(const struct nvcc_options *options);

// The architecture of the machine code that is asked for.
unsigned nvcc_options_arch(const struct nvcc_options *options);

// Adds the architectures as they were given; `native` is that of the simulated device.
void nvcc_add_codes(const struct nvcc_options *options, argument_list *arguments);
// Adds PTX of them, in place of machine code.
void nvcc_add_ptx_codes(const struct nvcc_options *options, argument_list *arguments);
// Adds PTX of those that have machine code alone.
void nvcc_add_missing_ptx(const struct nvcc_options *options, argument_list *arguments);

#endif
