// bankrun nvcc-flags: what a build system has to hand to nvcc.
#include <stdlib.h>

#include "cli/commands.h"
#include "toolchain/packages.h"

static void help(void) {
    fputs("Usage: bankrun nvcc-flags [--arch ARCH]\n"
          "\n"
          "Prints the flags with which nvcc makes a program that bankrun can run and report on by\n"
          "source line: line numbers, PTX for the architecture, the shared CUDA runtime.\n"
          "\n"
          "    nvcc $(bankrun nvcc-flags) -o app app.cu\n"
          "    NVCC_APPEND_FLAGS=\"$(bankrun nvcc-flags)\" make    # any build that uses nvcc\n"
          "    cmake -DCMAKE_CUDA_FLAGS=\"$(bankrun nvcc-flags)\" -S . -B build\n"
          "\n",
          stdout);
    options_print_help(CLI_NVCC_FLAGS, stdout);
}

// A compiler of Python's packages has no shared runtime under a name that the linker knows; the
// static one does as well, where it is told the folder.
static void print_flags(const struct cli_options *options) {
    const char features[] = {options->arch_features, 0}; // the `a` of 90a
    char *libraries = toolchain_packages_libraries("nvcc");
    printf("-lineinfo %s%s -gencode arch=compute_%u%s,code=compute_%u%s\n",
           libraries ? "-L" : "-cudart shared", libraries ? libraries : "", options->arch, features,
           options->arch, features);
    free(libraries);
}

int cmd_nvcc_flags(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE;
    int rest = options_parse(&options, CLI_NVCC_FLAGS, argc, argv, 0);
    if (rest >= 0 && rest < argc) {
        cli_error("nvcc-flags takes no arguments: '%s'", argv[rest]);
    } else if (rest >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (rest >= 0) {
        print_flags(&options);
        status = CLI_OK;
    }
    options_free(&options);
    return status;
}
