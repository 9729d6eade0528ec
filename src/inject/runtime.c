// The static CUDA runtime inside of a program: found by symbols, replaced function by function.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "inject/inject.h"
#include "toolchain/elf_read.h"

struct function {
    uintptr_t address;
    const char *name; // in the mapped file
};
typedef VEC(struct function) function_list;

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// All functions of the file's symbol table, sorted by address.
static int by_address(const void *left, const void *right) {
    const struct function *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void read_functions(const struct elf_file *file, uintptr_t base, function_list *list) {
    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= file->section_count)
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
                vec_push(list, (struct function){base + symbol.st_value, names + symbol.st_name});
        }
    }
    if (list->length)
        qsort(list->data, list->length, sizeof *list->data, by_address);
}

static bool has(const function_list *list, const char *name) {
    for (size_t i = 0; i < list->length; i++)
        if (strcmp(list->data[i].name, name) == 0)
            return true;
    return false;
}

// The names that came and went tell the version.
static const char *library_of(const function_list *list) {
    if (has(list, "cudaGetDeviceProperties_v2"))
        return "libcudart.so.12";
    return has(list, "cudaThreadSynchronize") ? "libcudart.so.11.0" : "libcudart.so.13";
}

// Bytes up to the next function; the linker fills the gap with nothing that is run.
static size_t room_of(const function_list *list, size_t index) {
    enum { ENOUGH = 64 };
    for (size_t i = index + 1; i < list->length; i++)
        if (list->data[i].address != list->data[index].address)
            return list->data[i].address - list->data[index].address;
    return ENOUGH;
}

static bool protect(uintptr_t first, uintptr_t last, int protection) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = first / page * page;
    return mprotect((void *)begin, last - begin, protection) == 0;
}

static bool replace_all(const function_list *list, void *library) {
    VEC(size_t) chosen = {0};
    for (size_t i = 0; i < list->length; i++) {
        const char *name = list->data[i].name;
        if ((starts_with(name, "cuda") || starts_with(name, "__cuda")) && dlsym(library, name))
            vec_push(&chosen, i);
    }
    if (!chosen.length)
        return false;
    uintptr_t first = list->data[chosen.data[0]].address;
    uintptr_t last = list->data[chosen.data[chosen.length - 1]].address + 16;
    bool is_good = protect(first, last, PROT_READ | PROT_WRITE);
    for (size_t i = 0; is_good && i < chosen.length; i++) {
        const struct function *function = &list->data[chosen.data[i]];
        is_good = inject_jump((void *)function->address, room_of(list, chosen.data[i]),
                              dlsym(library, function->name));
        if (!is_good)
            inject_note("the static CUDA runtime's %s leaves no room for a jump", function->name);
    }
    if (!protect(first, last, PROT_READ | PROT_EXEC))
        is_good = false;
    vec_free(&chosen);
    return is_good;
}

static enum inject_runtime replace_in(const struct elf_file *file,
                                      const struct inject_object *object, const char *folder) {
    function_list list = {0};
    char path[4096];
    if (elf_needed(file, "libcudart.so"))
        return INJECT_NONE;
    read_functions(file, object->base, &list);
    bool has_runtime = has(&list, "__cudaRegisterFatBinary") && has(&list, "cudaMalloc");
    enum inject_runtime result = INJECT_NONE;
    if (!has_runtime && elf_section(file, ".nvFatBinSegment", 0) && !list.length)
        result = INJECT_STRIPPED;
    if (has_runtime) {
        snprintf(path, sizeof path, "%s/%s", folder, library_of(&list));
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            inject_note("%s", dlerror());
        result = library && replace_all(&list, library) ? INJECT_STATIC : INJECT_FAILED;
    }
    vec_free(&list);
    return result;
}

enum inject_runtime inject_replace(const struct inject_object *object, const char *folder) {
    enum inject_runtime result = INJECT_NONE;
    struct stat status;
    int file = open(object->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return INJECT_NONE;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        size_t length = (size_t)status.st_size;
        void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
        struct elf_file elf;
        if (data != MAP_FAILED && elf_open(&elf, data, length) == ELF_OK &&
            elf_section(&elf, ".nv_fatbin", 0))
            result = replace_in(&elf, object, folder);
        if (data != MAP_FAILED)
            munmap(data, length);
    }
    close(file);
    return result;
}
