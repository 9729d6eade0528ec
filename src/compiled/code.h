// What the code generator made of the accesses to shared memory: for each source line of a kernel
// the widths of the loads and stores in its machine code, and each of these with its place, read
// from a disassembly. A place is a line with the lines of the calls that it was inlined by: each
// inlined copy of a line is one of its own.
#ifndef BANKRUN_COMPILED_CODE_H
#define BANKRUN_COMPILED_CODE_H

#include <stdint.h>

#include "ir/site.h"

struct compiled_code;

// `listing` is what `nvdisasm -gi -c` prints of a cubin with line numbers; a line "// by MAKER"
// before it says who made the code. The result keeps nothing of it. Never NULL: a listing without
// accesses gives none.
struct compiled_code *compiled_code_parse(const char *listing);
void compiled_code_free(struct compiled_code *compiled); // NULL is allowed
// "ptxas 13.0"; "ptxas" where the listing does not say.
const char *compiled_code_maker(const struct compiled_code *compiled);

struct compiled_line {
    uint64_t file; // hash of the file's name without folders
    uint32_t line; // 0: unknown
    // The sum of the widths in bytes (1, 2, 4, 8, 16) of its loads and of its stores; bits.
    uint8_t widths[SITE_STORE + 1];
    uint32_t bytes[SITE_STORE + 1]; // of all of them in the code, added up
};

// The lines of a kernel that have such accesses, each once. NULL: the listing has no such kernel.
const struct compiled_line *compiled_code_lines(const struct compiled_code *compiled,
                                                const char *kernel, uint32_t *count);
uint64_t compiled_file(const char *path); // as in `file`; NULL is allowed
// The place of a line, or with `inner` of one that has more calls around it, from inside outwards.
uint64_t compiled_place(uint64_t inner, uint64_t file, uint32_t line);

struct compiled_access {
    uint64_t place;
    uint64_t base; // hash of its address's registers, as they are written
    int64_t offset;
    enum site_op op; // SITE_LOAD or SITE_STORE
    uint8_t width;
};

// All of a kernel, in the order of the code. NULL: there are none.
const struct compiled_access *compiled_code_accesses(const struct compiled_code *compiled,
                                                     const char *kernel, uint32_t *count);

struct compiled_branch { // forwards, on a condition
    uint64_t place;
    uint64_t target;     // hash of the label
    uint32_t first, end; // accesses that it goes past; end 0: its label does not follow
};

const struct compiled_branch *compiled_code_branches(const struct compiled_code *compiled,
                                                     const char *kernel, uint32_t *count);

#endif
