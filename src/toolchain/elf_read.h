// Inside the toolchain: sections, symbols and needed libraries of an ELF file in memory. 64-bit
// little-endian files only: the only ones that hold CUDA programs.
#ifndef BANKRUN_TOOLCHAIN_ELF_READ_H
#define BANKRUN_TOOLCHAIN_ELF_READ_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_file { // borrows the data
    const char *data;
    size_t length;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections; // NULL: none
    size_t section_count;
};

enum elf_status {
    ELF_OK,
    ELF_NOT_ELF,     // another kind of file
    ELF_OTHER_CLASS, // 32 bit or big endian
    ELF_DAMAGED,     // tables lie outside the file
};

// `data` must be aligned to 8 bytes.
enum elf_status elf_open(struct elf_file *file, const char *data, size_t length);

// "" when there is none or it lies outside the file.
const char *elf_section_name(const struct elf_file *file, const Elf64_Shdr *section);
// NULL: no such section (or the `nth`, counted from 0).
const Elf64_Shdr *elf_section(const struct elf_file *file, const char *name, size_t nth);
// The section's bytes; NULL: it has none, or they lie outside the file (*is_outside).
const char *elf_section_data(const struct elf_file *file, const Elf64_Shdr *section, size_t *length,
                             bool *is_outside);

// The first needed library whose name starts with `prefix`; NULL: none.
const char *elf_needed(const struct elf_file *file, const char *prefix);
// True when the file says where its libraries are in a way that LD_LIBRARY_PATH does not override.
bool elf_has_rpath(const struct elf_file *file);
// True when some symbol table defines this name.
bool elf_defines(const struct elf_file *file, const char *symbol);

#endif
