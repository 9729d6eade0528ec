#include "cli/cuda_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "cli/commands.h"
#include "cli/environment.h"

char *cuda_source_fetched_compiler(void) {
    struct strbuf path = {0};
    if (environment_own_folder(&path)) {
        strbuf_puts(&path, "nvcc");
        if (access(path.data, X_OK) == 0)
            return strbuf_take(&path);
    }
    strbuf_free(&path);
    return NULL;
}

bool cuda_source_compile(const char *path, bool to_ptx, const struct cli_options *options,
                         struct toolchain_build *build) {
    char *fetched = cuda_source_fetched_compiler(), *cache = environment_cache_folder(options);
    struct toolchain_options compile = {.source = path,
                                        .to_ptx = to_ptx,
                                        .arch = options->arch,
                                        .features = options->arch_features,
                                        .flags = (char *const *)options->nvcc_flags.data,
                                        .flag_count = options->nvcc_flags.length,
                                        .compiler = options->nvcc,
                                        .last_compiler = fetched,
                                        .temp_folder = environment_temporary_folder(),
                                        .cache_folder = cache};
    struct diag_list diags = {0};
    enum toolchain_status compiled = toolchain_compile(&compile, build, &diags);
    free(fetched);
    free(cache);
    print_diags(&diags, options);
    if (compiled != TOOLCHAIN_REFUSED)
        return compiled == TOOLCHAIN_OK;
    cli_error("%s was not compiled: the compiler ended with status %d", path, build->exit_code);
    if (!to_ptx && build->may_lack && !cuda_source_has_main(path))
        cli_error("it has no main(): --launch 'KERNEL<<<GRID, BLOCK>>>(ARGUMENTS)' runs one of its "
                  "kernels, and bankrun prove needs neither");
    return false;
}

char *cuda_source_ptx(const char *path, const struct cli_options *options, size_t *length) {
    struct toolchain_build build = {0};
    char *text = NULL;
    if (cuda_source_compile(path, true, options, &build) &&
        !file_read_regular(build.path, &text, length)) {
        cli_error("%s: the PTX of it cannot be read: %s", path, strerror(errno));
        text = NULL;
    }
    toolchain_build_remove(&build);
    return text;
}

// ---- main() ---------------------------------------------------------------------------------

bool cuda_source_names_main(const struct patch_text *source) {
    for (size_t at = 0; at < source->tokens.length; at++)
        if (patch_is(source, at, "main") && patch_is(source, at + 1, "("))
            return true;
    return false;
}

bool cuda_source_has_main(const char *path) {
    struct patch_text source;
    char *text;
    size_t length;
    if (!file_read_regular(path, &text, &length))
        return false;
    patch_tokenize(&source, text, length);
    const bool has_main = cuda_source_names_main(&source);
    patch_text_free(&source);
    free(text);
    return has_main;
}
