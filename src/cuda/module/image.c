#define _GNU_SOURCE // dl_iterate_phdr, dladdr
#include "cuda/module/image.h"
#include "cuda/module/calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cuda/core/state.h"
#include "cuda/module/kept.h"
#include "toolchain/cubin.h"
#include "toolchain/link.h"

struct segment {
    uintptr_t address;
    size_t room; // from the address to the end of the segment that holds it
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct segment *segment = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && segment->address - begin < header->p_memsz) {
            segment->room = header->p_memsz - (segment->address - begin);
            return 1;
        }
    }
    return 0;
}

// A container says its own size; what the program's file holds behind it is the bound.
static bool read_container(const void *container, struct toolchain_images *images,
                           struct diag_list *diags) {
    struct segment segment = {(uintptr_t)container, SIZE_MAX};
    dl_iterate_phdr(find_segment, &segment);
    uint64_t bytes = segment.room < 16 ? 0 : toolchain_fatbin_bytes(container);
    if (!bytes) {
        diag_error(diags, "the program registered something that is no fat binary");
        return false;
    }
    return toolchain_fatbin_read(container, bytes < segment.room ? (size_t)bytes : segment.room,
                                 "the program's fat binary", images, diags);
}

typedef VEC(char *) text_list;

char *cuda_image_of_cubin(const void *code, size_t length) {
    char *text = toolchain_cubin_ptx(code, length), *kept = text ? cuda_kept_ptx(text) : NULL;
    if (!kept)
        return text;
    free(text);
    return kept;
}

// What machine code for the architecture has of its PTX. NULL: nothing.
static char *text_of_code(const struct toolchain_images *images, unsigned arch,
                          struct diag_list *diags) {
    char *text = NULL;
    for (size_t i = 0; i < images->count && !text; i++) {
        const struct toolchain_image *image = &images->items[i];
        size_t length;
        if (image->kind != TOOLCHAIN_MACHINE_CODE || image->arch / 10 != arch / 10 ||
            image->arch > arch)
            continue;
        char *code = toolchain_unpack(image, &length, diags);
        if (code)
            text = cuda_image_of_cubin(code, length);
        free(code);
    }
    return text;
}

// Appends the container's PTX for the architecture. *arch_above: the best is for a later one.
static bool take_ptx(const void *container, unsigned arch, text_list *texts, unsigned *code_arch,
                     unsigned *arch_above, struct diag_list *diags) {
    struct toolchain_images images = {0};
    bool is_good = read_container(container, &images, diags);
    bool is_above;
    const struct toolchain_image *image = toolchain_pick_ptx(&images, arch, &is_above);
    for (size_t i = 0; i < images.count; i++)
        if (images.items[i].kind == TOOLCHAIN_MACHINE_CODE)
            *code_arch = images.items[i].arch;
    if (is_good && image) {
        size_t length;
        char *text = toolchain_unpack(image, &length, diags);
        is_good = text != NULL;
        if (text)
            vec_push(texts, text);
        if (is_above && text && !toolchain_is_device_runtime(text))
            *arch_above = image->arch;
    } else if (is_good) {
        char *text = text_of_code(&images, arch, diags);
        if (text)
            vec_push(texts, text);
    }
    toolchain_images_free(&images);
    return is_good;
}

static char *join(text_list *texts) {
    if (texts->length == 1)
        return texts->data[0];
    char *text = toolchain_link_ptx(texts->data, texts->length);
    for (size_t i = 0; i < texts->length; i++)
        free(texts->data[i]);
    return text;
}

// The library that holds the container; NULL: the program itself does.
static const struct link_map *library_of(const void *container) {
    Dl_info info;
    struct link_map *map = NULL;
    bool is_found = dladdr1(container, &info, (void **)&map, RTLD_DL_LINKMAP) && map;
    return is_found && *map->l_name ? map : NULL;
}

// True the first time for this library. Lock held.
static bool is_new(const struct link_map *library) {
    static VEC(const struct link_map *) known;
    for (size_t i = 0; i < known.length; i++)
        if (known.data[i] == library)
            return false;
    vec_push(&known, library);
    return true;
}

// A library has a module for each of its source files; one sentence is enough for all of them.
static void say_no_ptx(const void *container, bool has_code, unsigned arch) {
    const char *what = has_code ? "machine code only" : "no device code";
    const struct link_map *library = library_of(container);
    if (!library)
        cuda_note("the program holds %s and no PTX: rebuild it with nvcc "
                  "-gencode arch=compute_%u,code=compute_%u",
                  what, arch, arch);
    else if (is_new(library))
        cuda_note("%s holds %s and no PTX, so launches of its own kernels fail (PTX comes with "
                  "nvcc -gencode arch=compute_%u,code=compute_%u)",
                  library->l_name, what, arch, arch);
}

char *cuda_image_ptx(const struct toolchain_wrapper *wrapper, unsigned arch, bool is_quiet,
                     enum cuda_error *error) {
    struct diag_list diags = {0};
    text_list texts = {0};
    unsigned code_arch = 0, arch_above = 0;
    bool is_good = wrapper->magic == TOOLCHAIN_WRAPPER_MAGIC;
    if (!is_good)
        diag_error(&diags, "the program registered something that is no fat binary");
    else if (wrapper->version == 2) // one container for each source file
        for (const void *const *part = wrapper->extra; is_good && *part; part++)
            is_good = take_ptx(*part, arch, &texts, &code_arch, &arch_above, &diags);
    if (is_good && texts.length == 0)
        is_good = take_ptx(wrapper->data, arch, &texts, &code_arch, &arch_above, &diags);
    char *text = NULL;
    *error = cudaErrorInvalidKernelImage;
    if (is_good && texts.length == 0) {
        *error = cudaErrorNoKernelImageForDevice;
        say_no_ptx(wrapper, code_arch != 0, arch);
    } else if (is_good) {
        text = join(&texts);
        *error = cudaSuccess;
        if (arch_above && !is_quiet)
            cuda_say("the program holds no PTX for sm_%u: running its PTX for compute_%u", arch,
                     arch_above);
    }
    if (!text && texts.length > 0 && !is_good)
        for (size_t i = 0; i < texts.length; i++)
            free(texts.data[i]);
    vec_free(&texts);
    cuda_say_diags(&diags);
    diag_free(&diags);
    return text;
}

char *cuda_image_code(const struct toolchain_wrapper *wrapper, unsigned arch, size_t *length) {
    struct toolchain_images images = {0};
    struct diag_list diags = {0}; // what is wrong with the program's images was said before
    char *code = NULL;
    if (wrapper && wrapper->magic == TOOLCHAIN_WRAPPER_MAGIC &&
        read_container(wrapper->data, &images, &diags))
        for (size_t i = 0; i < images.count && !code; i++)
            if (images.items[i].kind == TOOLCHAIN_MACHINE_CODE && images.items[i].arch == arch)
                code = toolchain_unpack(&images.items[i], length, &diags);
    toolchain_images_free(&images);
    diag_free(&diags);
    return code;
}
