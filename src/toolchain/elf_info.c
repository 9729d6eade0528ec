#include "toolchain/elf_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "toolchain/elf_read.h"

// Where nvcc and clang put containers: code of whole programs, and of relocatable device code.
static const char *const container_sections[] = {".nv_fatbin", "__nv_relfatbin"};

static bool read_sections(const struct elf_file *file, const char *name,
                          struct toolchain_images *images, struct diag_list *diags) {
    for (size_t i = 0; i < sizeof container_sections / sizeof *container_sections; i++) {
        const Elf64_Shdr *section;
        for (size_t n = 0; (section = elf_section(file, container_sections[i], n)); n++) {
            size_t length;
            bool is_outside;
            const char *data = elf_section_data(file, section, &length, &is_outside);
            if (is_outside) {
                diag_error(diags, "%s: truncated file: section %s lies outside of it", name,
                           container_sections[i]);
                return false;
            }
            if (data && !toolchain_fatbin_read(data, length, name, images, diags))
                return false;
        }
    }
    return true;
}

static bool open_elf(struct elf_file *file, const char *data, size_t length, const char *name,
                     bool *is_elf, struct diag_list *diags) {
    *is_elf = true;
    switch (elf_open(file, data, length)) {
    case ELF_OK:
        return true;
    case ELF_NOT_ELF:
        *is_elf = false;
        return true;
    case ELF_OTHER_CLASS:
        diag_error(diags, "%s: not a 64-bit little-endian program", name);
        return false;
    case ELF_DAMAGED:
        break;
    }
    diag_error(diags, "%s: truncated file: its ELF section table lies outside of it", name);
    return false;
}

bool toolchain_images_of_file(const char *data, size_t length, const char *name,
                              struct toolchain_images *images, struct diag_list *diags) {
    struct elf_file file;
    bool is_elf;
    if (!open_elf(&file, data, length, name, &is_elf, diags))
        return false;
    if (is_elf)
        return read_sections(&file, name, images, diags);
    return toolchain_fatbin_read(data, length, name, images, diags);
}

static enum toolchain_program_kind classify(const struct elf_file *file,
                                            const struct toolchain_program *program) {
    if (file->header->e_type == ET_REL)
        return TOOLCHAIN_OBJECT;
    bool has_images = elf_section(file, ".nvFatBinSegment", 0) || program->ptx_count > 0 ||
                      program->code_count > 0;
    bool is_static = elf_defines(file, "__cudaRegisterFatBinary");
    bool has_code_only = program->code_count && !program->ptx_count;
    if (program->runtime[0])
        return has_code_only ? TOOLCHAIN_NO_PTX : TOOLCHAIN_SHARED_RUNTIME;
    if (is_static)
        return has_code_only ? TOOLCHAIN_NO_PTX : TOOLCHAIN_STATIC_RUNTIME;
    if (elf_needed(file, "libcuda.so"))
        return TOOLCHAIN_DRIVER;
    return has_images ? TOOLCHAIN_STRIPPED : TOOLCHAIN_NO_CUDA;
}

bool toolchain_inspect_memory(const char *data, size_t length, const char *name,
                              struct toolchain_program *program, struct diag_list *diags) {
    *program = (struct toolchain_program){.kind = TOOLCHAIN_NOT_ELF};
    struct elf_file file;
    bool is_elf;
    if (!open_elf(&file, data, length, name, &is_elf, diags))
        return false;
    if (!is_elf)
        return true;
    struct toolchain_images images = {0};
    bool is_good = read_sections(&file, name, &images, diags);
    for (size_t i = 0; i < images.count; i++) {
        if (images.items[i].kind == TOOLCHAIN_PTX) {
            program->ptx_count++;
        } else {
            program->code_count++;
            program->code_arch = images.items[i].arch;
        }
    }
    toolchain_images_free(&images);
    const char *runtime = elf_needed(&file, "libcudart.so");
    program->has_rpath = elf_has_rpath(&file);
    if (runtime)
        snprintf(program->runtime, sizeof program->runtime, "%s", runtime);
    program->kind = classify(&file, program);
    return is_good;
}

bool toolchain_inspect(const char *path, struct toolchain_program *program,
                       struct diag_list *diags) {
    char *data;
    size_t length;
    if (!file_read(path, &data, &length)) {
        diag_error(diags, "%s: %s", path, strerror(errno));
        return false;
    }
    bool is_good = toolchain_inspect_memory(data, length, path, program, diags);
    free(data);
    return is_good;
}

const char *toolchain_program_problem(enum toolchain_program_kind kind) {
    switch (kind) {
    case TOOLCHAIN_SHARED_RUNTIME:
    case TOOLCHAIN_STATIC_RUNTIME:
    case TOOLCHAIN_DRIVER:
        return NULL;
    case TOOLCHAIN_NOT_ELF:
        return "is neither a .cu or .ptx file nor an executable";
    case TOOLCHAIN_NO_CUDA:
        return "is not a CUDA program: it holds no device code and does not use the CUDA runtime";
    case TOOLCHAIN_STRIPPED:
        return "holds the static CUDA runtime without symbols: rebuild it with nvcc -cudart "
               "shared, "
               "or do not strip it";
    case TOOLCHAIN_OBJECT:
        return "is an object file: link it into a program first, nvcc -cudart shared";
    case TOOLCHAIN_NO_PTX:
        return "holds machine code only: rebuild it with embedded PTX, "
               "nvcc -gencode arch=compute_XX,code=compute_XX";
    }
    return "is of an unknown kind";
}
