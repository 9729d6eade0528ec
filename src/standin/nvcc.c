// A program that takes the place of `nvcc` in the processes that bankrun follows. NVIDIA's does the
// work; it is asked for PTX where machine code is wanted. What comes out:
//   -cubin    PTX in a carrier (toolchain/carrier.h), of .ptx files by our ptxas
//   -fatbin   a fat binary of PTX
//   -ptx      PTX
//   -dlink -cubin   what was compiled for linking, linked as PTX, in a carrier
// all with lines. Of a source in a folder for temporary files, which the caller will take away, PTX
// names a copy. Objects, libraries and programs are what they are, with PTX beside machine code.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "standin/nvcc_options.h"
#include "toolchain/carrier.h"
#include "toolchain/fatbin.h"
#include "toolchain/registers.h"
#include "toolchain/sources.h"

static const char name[] = "nvcc";

static char *format(const char *a, const char *b, const char *c) {
    struct strbuf made = {0};
    strbuf_printf(&made, "%s%s%s", a, b, c);
    return strbuf_take(&made);
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), own = strlen(end);
    return length >= own && strcmp(text + length - own, end) == 0;
}

// What all commands begin with.
static argument_list common(const struct nvcc_options *options) {
    argument_list arguments = {0};
    for (size_t i = 0; i < options->rest.length; i++)
        vec_push(&arguments, options->rest.data[i]);
    // What is linked as intermediate code must agree on whether it has lines.
    if (!options->has_lines && !options->is_for_linking)
        vec_push(&arguments, "-lineinfo");
    return arguments;
}

// ---- What was made ----------------------------------------------------------------------------

// As it was made, with sources that stay.
static bool write_ptx(const char *data, const char *path) {
    char *ptx = toolchain_keep_sources(data);
    const bool is_good = tool_write(name, path, ptx, strlen(ptx));
    free(ptx);
    return is_good;
}

// What stands for machine code: as nvcc would have ptxas make it.
static char *limited(const struct nvcc_options *options, const char *data) {
    return toolchain_limit_registers(toolchain_keep_sources(data), options->most_registers);
}

static bool write_carrier(const struct nvcc_options *options, const char *data, const char *path) {
    const unsigned arch = nvcc_options_arch(options);
    size_t bytes;
    char *ptx = limited(options, data);
    char *carrier = toolchain_carrier_make(ptx, strlen(ptx), arch, &bytes);
    const bool is_good = tool_write(name, path, carrier, bytes);
    free(carrier);
    free(ptx);
    return is_good;
}

static bool add_image(const struct nvcc_options *options, const struct toolchain_image *image,
                      struct toolchain_ptx_image *made, struct diag_list *diags) {
    size_t length;
    char *ptx = image->kind == TOOLCHAIN_PTX ? toolchain_unpack(image, &length, diags) : NULL;
    if (ptx)
        *made = (struct toolchain_ptx_image){limited(options, ptx), image->arch, image->suffix};
    free(ptx);
    return ptx != NULL;
}

static bool write_fatbin(const struct nvcc_options *options, const char *data, size_t length,
                         const char *path) {
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    VEC(struct toolchain_ptx_image) made = {0};
    bool is_good = toolchain_fatbin_read(data, length, path, &images, &diags);
    for (size_t i = 0; i < images.count && is_good; i++) {
        struct toolchain_ptx_image image;
        if (add_image(options, &images.items[i], &image, &diags))
            vec_push(&made, image);
        is_good = !diags.errors;
    }
    if (!is_good || !made.length) {
        is_good = tool_fail(name, "%s: %s", path,
                            diags.count ? diags.items[0].message : "nvcc made no PTX");
    } else {
        size_t bytes;
        char *fatbin = toolchain_fatbin_make(made.data, made.length, &bytes);
        is_good = tool_write(name, path, fatbin, bytes);
        free(fatbin);
    }
    for (size_t i = 0; i < made.length; i++)
        free((char *)made.data[i].ptx);
    vec_free(&made);
    toolchain_images_free(&images);
    diag_free(&diags);
    return is_good;
}

static bool hand_on(const struct nvcc_options *options, const char *made, const char *path) {
    char *data;
    size_t length;
    if (!file_read_regular(made, &data, &length))
        return tool_fail(name, "%s: %s", made, strerror(errno));
    bool is_good = options->mode == NVCC_PTX     ? write_ptx(data, path)
                   : options->mode == NVCC_CUBIN ? write_carrier(options, data, path)
                                                 : write_fatbin(options, data, length, path);
    free(data);
    return is_good;
}

// Where a file that was made in our folder is to lie, with another ending; caller frees.
static char *beside(const struct nvcc_options *options, const char *file, const char *ending) {
    char *stem = base_strndup(file, (size_t)(strrchr(file, '.') - file));
    char *place = options->folder ? format(options->folder, "/", stem) : base_strdup(stem);
    char *whole = format(place, ending, "");
    free(place);
    free(stem);
    return whole;
}

// What -o says; NULL: nothing.
static char *output_of(const struct nvcc_options *options) {
    if (options->output && options->folder && *options->output != '/')
        return format(options->folder, "/", options->output);
    return options->output ? base_strdup(options->output) : NULL;
}

static char *place_of(const struct nvcc_options *options, const char *file) {
    static const char *const endings[] = {
        [NVCC_PTX] = ".ptx", [NVCC_CUBIN] = ".cubin", [NVCC_FATBIN] = ".fatbin"};
    char *output = output_of(options);
    return output ? output : beside(options, file, endings[options->mode]);
}

// What -MD and its like wrote beside what was made: with the name of what the caller gets, where
// nvcc would have written it.
static bool hand_on_dependencies(const struct nvcc_options *options, const char *made,
                                 const char *file) {
    char *data, *output = output_of(options);
    size_t length;
    if (!file_read_regular(made, &data, &length))
        return tool_fail(name, "%s: %s", made, strerror(errno));
    char *target = output ? base_strdup(output) : beside(options, file, ".o"), *place;
    if (output) {
        char *point = strrchr(output, '.');
        if (point > text_file_name(output))
            *point = '\0';
        place = format(output, ".d", "");
    } else {
        place = beside(options, file, ".d");
    }
    const char *rest = strstr(data, " :");
    char *text = format(target, rest ? rest : data, "");
    const bool is_good = tool_write(name, place, text, strlen(text));
    free(text);
    free(place);
    free(target);
    free(output);
    free(data);
    return is_good;
}

static bool hand_on_file(const struct nvcc_options *options, const char *folder, const char *file) {
    const bool is_code = ends_with(file, ".ptx") || ends_with(file, ".fatbin");
    if (!is_code && !ends_with(file, ".d"))
        return true;
    char *made = format(folder, "/", file), *place = place_of(options, file);
    const bool is_good =
        is_code ? hand_on(options, made, place) : hand_on_dependencies(options, made, file);
    free(place);
    free(made);
    return is_good;
}

static bool hand_on_all(const struct nvcc_options *options, const char *folder) {
    DIR *entries = opendir(folder);
    bool is_good = entries != NULL;
    for (const struct dirent *entry; is_good && (entry = readdir(entries));)
        is_good = hand_on_file(options, folder, entry->d_name);
    if (entries)
        closedir(entries);
    return is_good;
}

// ---- Making -----------------------------------------------------------------------------------

static bool is_asked(const struct nvcc_options *options, const char *a, const char *b) {
    for (size_t i = 0; i < options->rest.length; i++) {
        const char *word = options->rest.data[i] + strspn(options->rest.data[i], "-");
        const size_t length = strcspn(word, "=");
        if (*options->rest.data[i] == '-' &&
            ((strlen(a) == length && memcmp(word, a, length) == 0) ||
             (strlen(b) == length && memcmp(word, b, length) == 0)))
            return true;
    }
    return false;
}

// Dependencies that go to a file of the caller's name what they would have named.
static void add_target(const struct nvcc_options *options, argument_list *arguments) {
    if (!is_asked(options, "MF", "dependency-output") ||
        is_asked(options, "MT", "dependency-target-name") || options->inputs.length != 1)
        return;
    const char *file = text_file_name(options->inputs.data[0]);
    char *output = output_of(options);
    vec_push(arguments, "-MT");
    vec_push(arguments, output ? output : strchr(file, '.') ? beside(options, file, ".o") : file);
}

static int compile(const struct nvcc_options *options) {
    const char *folder = tool_folder(name);
    argument_list arguments = common(options);
    add_target(options, &arguments);
    if (options->mode == NVCC_FATBIN) {
        vec_push(&arguments, "-fatbin");
        nvcc_add_ptx_codes(options, &arguments);
    } else {
        vec_push(&arguments, "-ptx");
        nvcc_add_codes(options, &arguments);
    }
    if (options->output) {
        vec_push(&arguments, "-o");
        vec_push(&arguments,
                 format(folder, "/made", options->mode == NVCC_FATBIN ? ".fatbin" : ".ptx"));
    } else {
        vec_push(&arguments, "-odir");
        vec_push(&arguments, folder);
    }
    const int status = tool_run(name, &arguments);
    return status ? status : !hand_on_all(options, folder);
}

// By our ptxas, which lies beside us.
static int assemble(const struct nvcc_options *options) {
    char own[4096], arch[16], registers[32];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (options->inputs.length != 1 || length <= 0)
        return !tool_fail(name, "bankrun's nvcc takes one file of PTX at a time");
    own[length] = '\0';
    const char *input = options->inputs.data[0], *file = text_file_name(input);
    char *ptxas = base_strndup(own, (size_t)(text_file_name(own) - own));
    snprintf(arch, sizeof arch, "sm_%u", nvcc_options_arch(options));
    snprintf(registers, sizeof registers, "-maxrregcount=%u", options->most_registers);
    ptxas = format(ptxas, "ptxas", "");
    char *argv[] = {ptxas,        (char *)"-arch",         arch,      (char *)input,
                    (char *)"-o", place_of(options, file), registers, NULL};
    execv(ptxas, argv);
    return !tool_fail(name, "%s cannot be started: %s", ptxas, strerror(errno));
}

// Objects, archives and cubins; what -l and -L name is of the host, or the device runtime.
static int link_code(const struct nvcc_options *options) {
    return !tool_link(name, (char *const *)options->inputs.data, options->inputs.length,
                      nvcc_options_arch(options),
                      options->output ? options->output : "a_dlink.cubin");
}

_Noreturn static void make_host_code(const struct nvcc_options *options) {
    argument_list arguments = common(options);
    nvcc_add_codes(options, &arguments);
    nvcc_add_missing_ptx(options, &arguments);
    if (options->output) {
        vec_push(&arguments, "-o");
        vec_push(&arguments, options->output);
    }
    if (options->folder) {
        vec_push(&arguments, "-odir");
        vec_push(&arguments, options->folder);
    }
    tool_become(name, &arguments);
}

_Noreturn static void change_nothing(char **arguments) {
    argument_list list = {0};
    for (; *arguments; arguments++)
        vec_push(&list, *arguments);
    tool_become(name, &list);
}

int main(int count, char **argv) {
    struct nvcc_options options;
    tool_path(name);
    nvcc_options_read(argv + (count > 0), &options);
    switch (options.mode) {
    case NVCC_OTHER:
        change_nothing(argv + 1);
    case NVCC_HOST:
        make_host_code(&options);
    case NVCC_LINK:
        return link_code(&options);
    case NVCC_CUBIN:
        if (!nvcc_options_are_of_one_code(&options))
            change_nothing(argv + 1); // which nvcc refuses itself
        if (ends_with(options.inputs.data[0], ".ptx"))
            return assemble(&options);
        return compile(&options);
    case NVCC_PTX:
    case NVCC_FATBIN:
        return compile(&options);
    }
    return 1;
}
