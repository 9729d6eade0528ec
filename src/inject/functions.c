#include "inject/functions.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *inject_map_file(const char *path, struct elf_file *elf) {
    struct stat status;
    char *data = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data == MAP_FAILED) {
            data = NULL;
        } else if (elf_open(elf, data, (size_t)status.st_size) != ELF_OK) {
            munmap(data, (size_t)status.st_size);
            data = NULL;
        }
    }
    close(file);
    return data;
}

static int by_address(const void *left, const void *right) {
    const struct inject_function *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

void inject_functions_read(const struct elf_file *file, uint32_t kind, uintptr_t base,
                           inject_functions *list) {
    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != kind || section->sh_link >= file->section_count)
            continue;
        size_t length, names_length;
        bool is_outside;
        const char *data = elf_section_data(file, section, &length, &is_outside);
        const char *names =
            elf_section_data(file, &file->sections[section->sh_link], &names_length, &is_outside);
        for (size_t at = 0; data && names && at + sizeof(Elf64_Sym) <= length;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, data + at, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
                symbol.st_name < names_length)
                vec_push(list, (struct inject_function){base + symbol.st_value, symbol.st_size,
                                                        names + symbol.st_name});
        }
    }
    if (list->length)
        qsort(list->data, list->length, sizeof *list->data, by_address);
}

size_t inject_functions_room(const inject_functions *list, size_t index) {
    enum { ENOUGH = 64 };
    for (size_t i = index + 1; i < list->length; i++)
        if (list->data[i].address != list->data[index].address)
            return list->data[i].address - list->data[index].address;
    return ENOUGH;
}

bool inject_protect(uintptr_t first, uintptr_t last, int protection) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = first / page * page;
    return mprotect((void *)begin, last - begin, protection) == 0;
}
