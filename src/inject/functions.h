// Inside the injected library: functions of a loaded object, as its file's symbol tables name them,
// and the memory that their code lies in.
#ifndef BANKRUN_INJECT_FUNCTIONS_H
#define BANKRUN_INJECT_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "toolchain/elf_read.h"

struct inject_function {
    uintptr_t address;
    size_t bytes;     // as the table has it
    const char *name; // in the mapped file
};
typedef VEC(struct inject_function) inject_functions;

// The whole file, for reading; munmap() of elf->length bytes ends it. NULL: it cannot be read, or
// is no ELF file.
char *inject_map_file(const char *path, struct elf_file *elf);

// All functions of the file's symbol table of that kind, sorted by address. `base` is where the
// object was loaded.
void inject_functions_read(const struct elf_file *file, uint32_t kind, uintptr_t base,
                           inject_functions *list);

// Bytes up to the next function, of a table that has them all; the linker fills the gap with
// nothing that is run.
size_t inject_functions_room(const inject_functions *list, size_t index);

// mprotect of all pages from `first` to `last`.
bool inject_protect(uintptr_t first, uintptr_t last, int protection);

#endif
