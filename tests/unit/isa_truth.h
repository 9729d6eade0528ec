// Reads the files of truth/isa: instruction forms, their kernels, tables of operands, and what an
// H200 computed. truth/README.md describes the format, tools/truth_isa.py writes it.
#ifndef BANKRUN_TESTS_ISA_TRUTH_H
#define BANKRUN_TESTS_ISA_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rows of operands or of results: fields one after the other, each at a multiple of its size (of at
// least four bytes in operands).
struct truth_layout {
    char kinds[256]; // "f32,f32,pred"
    unsigned row_bytes;
};

struct truth_table {
    struct truth_layout layout;
    unsigned rows;
    const uint8_t *data;
};

struct truth_form {
    const char *text; // the instruction
    const struct truth_table *table;
    unsigned block, shared; // threads of a block, bytes of dynamic shared memory
    struct truth_layout results;
    unsigned ulp;    // results may be so many units in the last place away
    bool is_stated;  // known to differ from the GPU: see truth_state_differences()
    char *kernel;    // PTX of .entry kN, N being the form's index
    uint8_t *expect; // table->rows rows
};

struct truth_file {
    char *contents, *head; // head: PTX in front of all kernels
    struct truth_table *tables;
    struct truth_form *forms;
    unsigned table_count, form_count;
};

// False: it cannot be read or is malformed; `error` says where. Free it all the same.
bool truth_read(struct truth_file *file, const char *path, char error[256]);
void truth_free(struct truth_file *file);
// Marks the forms whose text is a line of the list. False: the list cannot be read.
bool truth_state_differences(struct truth_file *file, const char *path);

// Writes a row's fields as "f32 0x3f800000, u32 0x7".
void truth_print_row(char *out, size_t size, const struct truth_layout *layout, bool is_operands,
                     const uint8_t *row);
// How far results are from what is expected, as the form allows: true when none is too far.
bool truth_row_agrees(const struct truth_form *form, const uint8_t *expect, const uint8_t *got);

#endif
