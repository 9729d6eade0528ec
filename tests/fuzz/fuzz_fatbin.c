// Any bytes may be a fat binary or a program that holds some: whatever they are, the result is
// images inside the data, texts, or messages.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/elf_info.h"
#include "toolchain/fatbin.h"
#include "toolchain/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The fuzzer's inputs may claim sizes that are credible and large; unpacking those is slow.
enum { MAX_UNPACKED = 1 << 20 };

static void unpack_all(const struct toolchain_images *images, struct diag_list *diags) {
    for (size_t i = 0; i < images->count; i++) {
        const struct toolchain_image *image = &images->items[i];
        if (image->kind != TOOLCHAIN_PTX || image->unpacked_bytes > MAX_UNPACKED)
            continue;
        size_t length;
        char *text = toolchain_unpack(image, &length, diags);
        if (!text)
            continue;
        if (strlen(text) != length)
            abort();
        char *pair[] = {text, text};
        free(toolchain_link_ptx(pair, 2));
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = malloc(size ? size : 1); // aligned, and exactly as long
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    struct diag_list diags = {0};
    struct toolchain_images images = {0};
    struct toolchain_program program;
    bool is_good = toolchain_images_of_file(copy, size, "input", &images, &diags);
    if (is_good == (diags.errors > 0))
        abort();
    for (size_t i = 0; i < images.count; i++)
        if ((const char *)images.items[i].payload < copy ||
            images.items[i].stored_bytes >
                (size_t)(copy + size - (const char *)images.items[i].payload))
            abort();
    unpack_all(&images, &diags);
    bool is_above;
    toolchain_pick_ptx(&images, 90, &is_above);
    toolchain_inspect_memory(copy, size, "input", &program, &diags);
    toolchain_program_problem(program.kind);
    toolchain_images_free(&images);
    diag_free(&diags);
    free(copy);
    return 0;
}
