#include "toolchain/elf_read.h"

#include <stdint.h>
#include <string.h>

static bool lies_inside(const struct elf_file *file, uint64_t offset, uint64_t bytes) {
    return offset <= file->length && bytes <= file->length - offset;
}

enum elf_status elf_open(struct elf_file *file, const char *data, size_t length) {
    *file = (struct elf_file){.data = data, .length = length};
    if (length < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
        return ELF_NOT_ELF;
    if (length < EI_NIDENT)
        return ELF_DAMAGED;
    if (data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB)
        return ELF_OTHER_CLASS;
    if (length < sizeof(Elf64_Ehdr))
        return ELF_DAMAGED;
    file->header = (const Elf64_Ehdr *)data;
    uint64_t offset = file->header->e_shoff;
    if (!offset)
        return ELF_OK;
    if (offset % 8 || file->header->e_shentsize != sizeof(Elf64_Shdr) ||
        !lies_inside(file, offset, sizeof(Elf64_Shdr)))
        return ELF_DAMAGED;
    file->sections = (const Elf64_Shdr *)(data + offset);
    // Files with very many sections keep the count in the first one.
    uint64_t count = file->header->e_shnum ? file->header->e_shnum : file->sections[0].sh_size;
    if (count > (length - offset) / sizeof(Elf64_Shdr))
        return ELF_DAMAGED;
    file->section_count = (size_t)count;
    return ELF_OK;
}

// The NUL-terminated string at an offset of a string table; "" when it is not inside.
static const char *string_at(const char *table, size_t length, uint64_t offset) {
    if (!table || offset >= length || !memchr(table + offset, 0, length - (size_t)offset))
        return "";
    return table + offset;
}

const char *elf_section_data(const struct elf_file *file, const Elf64_Shdr *section, size_t *length,
                             bool *is_outside) {
    *is_outside = false;
    *length = 0;
    if (section->sh_type == SHT_NOBITS)
        return NULL;
    if (!lies_inside(file, section->sh_offset, section->sh_size)) {
        *is_outside = true;
        return NULL;
    }
    *length = (size_t)section->sh_size;
    return file->data + section->sh_offset;
}

static const char *linked_strings(const struct elf_file *file, uint64_t index, size_t *length) {
    bool is_outside;
    *length = 0;
    if (index >= file->section_count)
        return NULL;
    return elf_section_data(file, &file->sections[index], length, &is_outside);
}

const char *elf_section_name(const struct elf_file *file, const Elf64_Shdr *section) {
    uint64_t index = file->header->e_shstrndx;
    if (index == SHN_XINDEX && file->section_count)
        index = file->sections[0].sh_link;
    size_t length;
    const char *names = linked_strings(file, index, &length);
    return string_at(names, length, section->sh_name);
}

const Elf64_Shdr *elf_section(const struct elf_file *file, const char *name, size_t nth) {
    for (size_t i = 0; i < file->section_count; i++)
        if (strcmp(elf_section_name(file, &file->sections[i]), name) == 0 && nth-- == 0)
            return &file->sections[i];
    return NULL;
}

// The first string of this tag in the dynamic section that starts with `prefix`.
static const char *dynamic_string(const struct elf_file *file, Elf64_Sxword tag,
                                  const char *prefix) {
    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != SHT_DYNAMIC)
            continue;
        size_t length, string_length;
        bool is_outside;
        const char *data = elf_section_data(file, section, &length, &is_outside);
        const char *strings = linked_strings(file, section->sh_link, &string_length);
        for (size_t at = 0; data && at + sizeof(Elf64_Dyn) <= length; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            memcpy(&entry, data + at, sizeof entry);
            if (entry.d_tag != tag)
                continue;
            const char *name = string_at(strings, string_length, entry.d_un.d_val);
            if (strncmp(name, prefix, strlen(prefix)) == 0)
                return name;
        }
    }
    return NULL;
}

const char *elf_needed(const struct elf_file *file, const char *prefix) {
    return dynamic_string(file, DT_NEEDED, prefix);
}

bool elf_has_rpath(const struct elf_file *file) {
    return dynamic_string(file, DT_RPATH, "") && !dynamic_string(file, DT_RUNPATH, "");
}

static bool table_defines(const struct elf_file *file, const Elf64_Shdr *section,
                          const char *symbol) {
    size_t length, string_length;
    bool is_outside;
    const char *data = elf_section_data(file, section, &length, &is_outside);
    const char *strings = linked_strings(file, section->sh_link, &string_length);
    for (size_t at = 0; data && at + sizeof(Elf64_Sym) <= length; at += sizeof(Elf64_Sym)) {
        Elf64_Sym entry;
        memcpy(&entry, data + at, sizeof entry);
        if (entry.st_shndx != SHN_UNDEF &&
            strcmp(string_at(strings, string_length, entry.st_name), symbol) == 0)
            return true;
    }
    return false;
}

bool elf_defines(const struct elf_file *file, const char *symbol) {
    for (size_t i = 0; i < file->section_count; i++) {
        uint32_t type = file->sections[i].sh_type;
        if ((type == SHT_SYMTAB || type == SHT_DYNSYM) &&
            table_defines(file, &file->sections[i], symbol))
            return true;
    }
    return false;
}
