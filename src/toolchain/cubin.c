#include "toolchain/cubin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "toolchain/elf_read.h"

static const char section_name[] = ".nv_debug_ptx_txt";

static uint64_t later(uint64_t end, uint64_t offset, uint64_t bytes) {
    return offset + bytes > end && bytes <= SIZE_MAX / 4 && offset <= SIZE_MAX / 4 ? offset + bytes
                                                                                   : end;
}

size_t toolchain_cubin_bytes(const void *image) {
    Elf64_Ehdr header;
    if (memcmp(image, ELFMAG, SELFMAG) != 0)
        return 0;
    memcpy(header.e_ident, image, EI_NIDENT);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return 0;
    memcpy(&header, image, sizeof header);
    if (header.e_machine != EM_CUDA || header.e_shentsize != sizeof(Elf64_Shdr))
        return 0;
    uint64_t end = sizeof header;
    end = later(end, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
    end = later(end, header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, (const char *)image + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS)
            end = later(end, section.sh_offset, section.sh_size);
    }
    return (size_t)end;
}

bool toolchain_cubin_is_whole(const void *image, size_t length) {
    Elf64_Ehdr header;
    if (length < SELFMAG || memcmp(image, ELFMAG, SELFMAG) != 0)
        return true;
    if (length < sizeof header)
        return false;
    memcpy(&header, image, sizeof header);
    const uint64_t tables = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
    return header.e_shoff <= length && tables <= length - header.e_shoff &&
           toolchain_cubin_bytes(image) <= length;
}

// The section is a list of lines, each with a NUL behind it.
static char *text_of_lines(const char *lines, size_t length) {
    char *text = base_alloc(length + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = lines[i] ? lines[i] : '\n';
    return text;
}

// One module begins with one .version.
static bool is_one_module(const char *text) {
    static const char word[] = ".version";
    const char *first = strstr(text, word);
    return first && !strstr(first + sizeof word, "\n.version");
}

static char *ptx_in(const struct elf_file *file) {
    const Elf64_Shdr *section = elf_section(file, section_name, 0);
    size_t length = 0;
    bool is_outside;
    if (!section || section->sh_flags & SHF_COMPRESSED || elf_section(file, section_name, 1))
        return NULL;
    const char *lines = elf_section_data(file, section, &length, &is_outside);
    char *text = lines && length ? text_of_lines(lines, length) : NULL;
    if (text && is_one_module(text))
        return text;
    free(text);
    return NULL;
}

char *toolchain_cubin_ptx(const void *image, size_t length) {
    struct elf_file file;
    char *aligned = base_alloc(length + 1), *text = NULL;
    memcpy(aligned, image, length);
    if (elf_open(&file, aligned, length) == ELF_OK && file.header->e_machine == EM_CUDA)
        text = ptx_in(&file);
    free(aligned);
    return text;
}

// ---- Comparing --------------------------------------------------------------------------------

struct line {
    const char *begin, *end;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool begins_with(struct line line, const char *word) {
    size_t length = strlen(word);
    return (size_t)(line.end - line.begin) >= length && memcmp(line.begin, word, length) == 0;
}

// The next line with code, from *at on; false: there is none.
static bool next_line(const char **at, struct line *line) {
    while (**at) {
        const char *end = *at + strcspn(*at, "\n"), *comment = *at;
        *line = (struct line){*at, end};
        *at = *end ? end + 1 : end;
        while (comment + 1 < end && (comment[0] != '/' || comment[1] != '/'))
            comment++;
        if (comment + 1 < end)
            line->end = comment;
        while (line->begin < line->end && is_blank(*line->begin))
            line->begin++;
        while (line->begin < line->end && is_blank(line->end[-1]))
            line->end--;
        if (line->begin < line->end && !begins_with(*line, ".loc") && !begins_with(*line, ".file"))
            return true;
    }
    return false;
}

bool toolchain_same_ptx(const char *left, const char *right) {
    struct line a, b;
    for (;;) {
        bool has_left = next_line(&left, &a), has_right = next_line(&right, &b);
        if (!has_left || !has_right)
            return has_left == has_right;
        size_t length = (size_t)(a.end - a.begin);
        if (length != (size_t)(b.end - b.begin) || memcmp(a.begin, b.begin, length) != 0)
            return false;
    }
}
