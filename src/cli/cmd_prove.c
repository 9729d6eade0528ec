// bankrun prove: what holds for every block, every round of a loop and every input.
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/prove.h"

static void help(void) {
    fputs("Usage: bankrun prove [OPTIONS] FILE\n"
          "\n"
          "Proves what accesses to shared memory cost for every block, every round of a loop and\n"
          "every input: the kernels are not run, and need neither inputs nor a main(). FILE is a\n"
          "PTX module or a CUDA source.\n"
          "\n"
          "    bankrun prove transpose.cu --block 32x32\n"
          "    bankrun prove --kernel scan kernels.ptx\n"
          "\n"
          "For each access:\n"
          "  proved n-way     every request of every warp takes that; several numbers: the warps,\n"
          "                   or the rounds of a loop, differ\n"
          "  depends on s     the degree for each value of a number s modulo 32\n"
          "  at most n-way    no request takes more\n"
          "  not proved       and why\n"
          "\n",
          stdout);
    options_print_help(CLI_PROVE, stdout);
}

// "256", "32x8", "8x8x4".
static bool read_shape(const char *text, uint32_t block[3]) {
    const char *at = text;
    block[0] = block[1] = block[2] = 1;
    for (int axis = 0; axis < 3; axis++) {
        char *end;
        const unsigned long number = strtoul(at, &end, 10);
        if (end == at || number == 0 || number > 1024)
            break;
        block[axis] = (uint32_t)number;
        if (!*end)
            return (uint64_t)block[0] * block[1] * block[2] <= 1024;
        if (*end != 'x' && *end != ',')
            break;
        at = end + 1;
    }
    cli_error("--block: '%s' is no shape of at most 1024 threads, like 256, 32x8 or 8x8x4", text);
    return false;
}

static bool prepare(const struct cli_options *options, struct prove_run *run) {
    *run = (struct prove_run){.options = options, .out = stdout};
    if (options->prove.block && !read_shape(options->prove.block, run->block))
        return false;
    run->has_block = options->prove.block != NULL;
    if (!options->prove.kernel)
        return true;
    const int error = regcomp(&run->kernels, options->prove.kernel, REG_EXTENDED | REG_NOSUB);
    char text[200];
    regerror(error, &run->kernels, text, sizeof text);
    if (error)
        cli_error("--kernel: '%s': %s", options->prove.kernel, text);
    run->has_pattern = error == 0;
    return error == 0;
}

static int prove_file(const char *path, struct prove_run *run) {
    struct source source = {.name = path};
    char *text;
    if (!file_read_regular(path, &text, &source.length)) {
        cli_error("%s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    source.text = text;
    const int status = prove_module(&source, run);
    free(text);
    return status;
}

int cmd_prove(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    struct prove_run run = {0};
    int status = CLI_USAGE;
    const char *file = NULL;
    int at = 0;
    while ((at = options_parse(&options, CLI_PROVE, argc, argv, at)) >= 0 && at < argc) {
        if (file) {
            cli_error("prove takes one file: '%s'", argv[at]);
            at = -1;
            break;
        }
        file = argv[at++];
    }
    if (at >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (at >= 0 && !file) {
        cli_error("prove what? bankrun prove [OPTIONS] FILE; see bankrun prove --help");
    } else if (at >= 0 && prepare(&options, &run)) {
        status = prove_file(file, &run);
    }
    if (run.has_pattern)
        regfree(&run.kernels);
    options_free(&options);
    return status;
}
