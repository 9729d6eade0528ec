// The launch of one kernel, written as text:
//
//   scan<<<64, 256>>>(out:u64[16384], in:u8[16384]=iota, 16384)
//
//   launch    kernel '<<<' shape ',' shape [',' shared bytes] '>>>' '(' [argument {',' argument}]
//   ')' shape     N | NxM | NxMxK | '(' x [',' y [',' z]] ')' argument  [name ':'] type '[' [count]
//   ']' ['=' init]     a buffer in device memory
//           | [name ':'] type '=' number                     a scalar
//           | number                                         a scalar of the parameter's type
//   type      u8 .. u64, s8 .. s64, f16, bf16, f32, f64, b8 .. b64
//   init      zero | iota | rand[:SEED] | number | '{' number {',' number} '}' | '@' file
//
// A count may be a product (4000*4000), and may be left out where a list or a file gives it. A
// number may be decimal, hexadecimal bits (0x3f800000, of floating types too), inf or nan. `rand`
// is uniform: over all bits of integers, over [0, 1) of floating types.
#ifndef BANKRUN_CLI_LAUNCH_SPEC_H
#define BANKRUN_CLI_LAUNCH_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/ptx.h"

enum launch_init {
    LAUNCH_ZERO,
    LAUNCH_IOTA,
    LAUNCH_RANDOM,
    LAUNCH_VALUES, // one: all elements have it; several: the first elements, zeros follow
    LAUNCH_FILE,
};

struct launch_argument {
    const char *name;   // NULL: none given
    enum ptx_type type; // PTX_NO_TYPE: a bare number before launch_spec_fit
    bool is_buffer, has_count;
    uint64_t count; // elements of a buffer, 1 for a scalar
    enum launch_init init;
    uint64_t seed;
    uint64_t *values; // bits of the type
    size_t value_count;
    bool is_list;     // written in braces
    const char *path; // LAUNCH_FILE
    struct source_range range, value_range;
    bool is_by_value; // launch_spec_fit: the buffer is the bytes of a structure parameter
};

struct launch_spec {
    const char *kernel;
    struct source_range kernel_range, grid_range, block_range, shared_range, arguments_range;
    uint32_t grid[3], block[3], shared_bytes;
    struct launch_argument *arguments;
    size_t argument_count;
};

// Parses a whole specification. What hangs on *spec is owned by the arena. False: diags grew.
bool launch_spec_parse(const struct source *source, struct arena *arena, struct launch_spec *spec,
                       struct diag_list *diags);

// The kernel that the specification names: its symbol, or the plain name of a C++ function when
// only one kernel has it. NULL: diags grew.
const struct ptx_function *launch_spec_kernel(const struct launch_spec *spec,
                                              const struct source *source,
                                              const struct ptx_module *module,
                                              struct diag_list *diags);

// Holds the arguments against the kernel's parameters and gives bare numbers their types. False:
// diags grew by every argument that does not fit.
bool launch_spec_fit(struct launch_spec *spec, const struct source *source,
                     const struct ptx_function *kernel, struct arena *arena,
                     struct diag_list *diags);

// ---- Values (launch_values.c) -------------------------------------------------------------

// The bits of a number in a type. False: *why says what is wrong with it.
bool launch_number(const char *text, size_t length, enum ptx_type type, uint64_t *bits,
                   const char **why);

// Type of an argument by its text; PTX_NO_TYPE: none of those that arguments may have.
enum ptx_type launch_type(const char *text, size_t length);

// Writes the initial value of an argument that is not LAUNCH_FILE: count elements.
void launch_fill(const struct launch_argument *argument, void *memory);

// Writes elements as text, separated by blanks, no newline at the end.
void launch_print_values(enum ptx_type type, const void *memory, uint64_t count, FILE *out);

#endif
