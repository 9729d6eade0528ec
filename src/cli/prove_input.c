// What bankrun prove reads: PTX, what nvcc makes of a CUDA source, and what an executable holds.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/prove.h"
#include "toolchain/elf_info.h"
#include "toolchain/link.h"

static bool prove_source(const char *path, struct prove_run *run) {
    struct strbuf name = {0};
    struct source source = {0};
    run->is_source = true;
    char *text = cuda_source_ptx(path, run->report.options, &source.length);
    strbuf_printf(&name, "PTX of %s", path);
    source.name = name.data;
    source.text = text;
    const bool is_good = text && prove_module(&source, run);
    strbuf_free(&name);
    free(text);
    return is_good;
}

static char *read_whole(const char *path, size_t *length) {
    char *text;
    if (file_read_regular(path, &text, length))
        return text;
    cli_error("%s: %s", path, strerror(errno));
    return NULL;
}

static bool prove_ptx(const char *path, struct prove_run *run) {
    struct source source = {.name = run->report.name};
    char *text = read_whole(path, &source.length);
    source.text = text;
    const bool is_good = text && prove_module(&source, run);
    free(text);
    return is_good;
}

// ---- Executables ----------------------------------------------------------------------------

static bool prove_image(const char *path, const struct toolchain_image *image,
                        struct prove_run *run, struct diag_list *diags) {
    struct strbuf name = {0};
    struct source source = {0};
    char *text = toolchain_unpack(image, &source.length, diags);
    strbuf_printf(&name, "PTX of %s for sm_%u", path, image->arch);
    source.name = name.data;
    source.text = text;
    const bool is_good = text && (toolchain_is_device_runtime(text) || prove_module(&source, run));
    strbuf_free(&name);
    free(text);
    return is_good;
}

// A program of several sources holds PTX for each of them: all that is for the architecture that
// the first is taken for.
static bool prove_images(const char *path, const struct toolchain_images *images,
                         struct prove_run *run, struct diag_list *diags) {
    bool is_above, is_good = true;
    const struct toolchain_image *pick =
        toolchain_pick_ptx(images, run->report.options->arch, &is_above);
    if (!pick) {
        cli_error("%s holds no PTX: rebuild it with the flags that bankrun nvcc-flags prints, or "
                  "give bankrun prove the source",
                  path);
        return false;
    }
    for (size_t i = 0; i < images->count && is_good; i++) {
        const struct toolchain_image *image = &images->items[i];
        if (image->kind == TOOLCHAIN_PTX && image->arch == pick->arch &&
            image->suffix == pick->suffix)
            is_good = prove_image(path, image, run, diags);
    }
    return is_good;
}

static bool prove_elf(const char *path, struct prove_run *run) {
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    size_t length;
    char *data = read_whole(path, &length);
    if (!data)
        return false;
    const bool is_good = toolchain_images_of_file(data, length, path, &images, &diags) &&
                         prove_images(path, &images, run, &diags);
    print_diags(&diags, run->report.options);
    toolchain_images_free(&images);
    free(data);
    return is_good;
}

bool prove_file(const char *path, struct prove_run *run) {
    enum { HEAD_BYTES = 65536 };
    char *head = base_alloc(HEAD_BYTES);
    const long length = cli_read_head(path, head, HEAD_BYTES);
    const enum cli_kind kind =
        length < 0 ? CLI_KIND_OTHER : cli_kind_of(path, head, (size_t)length);
    free(head);
    if (length < 0)
        return false;
    switch (kind) {
    case CLI_KIND_PTX:
        return prove_ptx(path, run);
    case CLI_KIND_CUDA:
        return prove_source(path, run);
    case CLI_KIND_ELF:
        return prove_elf(path, run);
    case CLI_KIND_PROFILE:
        cli_error("%s is a saved profile; show it with: bankrun report %s", path, path);
        return false;
    case CLI_KIND_OTHER:
        break;
    }
    cli_error("%s: neither a CUDA source (.cu), nor PTX, nor an executable", path);
    return false;
}
