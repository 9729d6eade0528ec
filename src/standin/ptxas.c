// A program that takes the place of NVIDIA's `ptxas` where a compiler of the processes that bankrun
// follows would start it: it checks PTX and hands it on in a carrier, in place of machine code
// (toolchain/carrier.h). What it prints, and its exit status, are as callers know them of `ptxas`.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "ir/ir.h"
#include "ptx/ptx.h"
#include "standin/ptxas_options.h"
#include "toolchain/carrier.h"
#include "toolchain/registers.h"

enum { OK = 0, FAILED = 255 };

static const char version[] =
    "ptxas: stand-in of bankrun " BANKRUN_VERSION
    " for NVIDIA (R) Ptx optimizing assembler: checks PTX, makes no machine code\n"
    "Cuda compilation tools, release 13.0, V13.0.0\n";

static const char help[] =
    "Usage: ptxas [options] FILE.ptx\n"
    "\n"
    "Checks PTX and writes it where machine code is expected, for programs under bankrun.\n"
    "\n"
    "  -o, --output-file FILE  where to (elf.o)\n"
    "  -arch, --gpu-name NAME  the architecture (sm_75); compute_NN: checks only\n"
    "  -c, --compile-only      functions may be missing\n"
    "  -v, --verbose           names the kernels\n"
    "  -w, --disable-warnings  no warnings\n"
    "  -Werror                 warnings are errors\n"
    "  -maxrregcount N         the most registers of a thread\n"
    "  --version, --help\n"
    "\n"
    "All other options of ptxas are taken, and mean nothing here.\n";

// One line for each, as ptxas has them.
static void print(const struct diag_list *diags, const struct ptxas_options *options) {
    static const char *const words[] = {
        [DIAG_ERROR] = "error  ", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "info   "};
    for (size_t i = 0; i < diags->count; i++) {
        const struct diag *diag = &diags->items[i];
        uint32_t line = 0, column;
        if (diag->severity == DIAG_WARNING && options->is_quiet)
            continue;
        if (diag->source)
            source_position(diag->source, diag->range.begin, &line, &column);
        if (line)
            fprintf(stderr, "ptxas %s, line %u; %s : %s\n", diag->source->name, line,
                    words[diag->severity], diag->message);
        else
            fprintf(stderr, "ptxas %s : %s\n", words[diag->severity], diag->message);
    }
}

static bool has_warnings(const struct diag_list *diags) {
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == DIAG_WARNING)
            return true;
    return false;
}

static void print_kernels(const struct ptx_module *module, const struct ptxas_options *options) {
    for (size_t i = 0; i < module->function_count; i++)
        if (module->functions[i].is_entry)
            fprintf(stderr, "ptxas info    : Entry function '%s' for 'sm_%u'\n",
                    module->functions[i].name, options->arch);
}

// Whether the text can be simulated; says what cannot.
static bool check(const struct source *source, const struct ptxas_options *options) {
    struct diag_list diags = {0};
    struct ptx_module *module = ptx_parse(source, &diags);
    if (!diags.errors && module->target > options->arch)
        diag_error(
            &diags,
            "SM version specified by .target (sm_%u) is higher than sm_%u, which is compiled for",
            module->target, options->arch);
    if (!diags.errors && !options->is_relocatable)
        ir_free(ir_build(module, &diags));
    bool is_good = !diags.errors && !(options->warnings_are_errors && has_warnings(&diags));
    print(&diags, options);
    if (is_good && options->is_verbose)
        print_kernels(module, options);
    ptx_module_free(module);
    diag_free(&diags);
    return is_good;
}

static bool write_carrier(const struct source *source, const struct ptxas_options *options) {
    size_t bytes;
    char *text = toolchain_limit_registers(base_strndup(source->text, source->length),
                                           options->most_registers);
    char *carrier = toolchain_carrier_make(text, strlen(text), options->arch, &bytes);
    bool is_written = file_write(options->output, carrier, bytes);
    if (!is_written)
        fprintf(stderr, "ptxas fatal   : Could not open output file '%s': %s\n", options->output,
                strerror(errno));
    free(carrier);
    free(text);
    return is_written;
}

static bool assemble(const struct ptxas_options *options) {
    char *text;
    size_t length;
    if (!file_read(options->input, &text, &length)) {
        fprintf(stderr, "ptxas fatal   : Input file '%s' could not be opened: %s\n", options->input,
                strerror(errno));
        return false;
    }
    struct source source = {options->input, text, length};
    bool is_good = check(&source, options);
    if (!is_good)
        fputs("ptxas fatal   : Ptx assembly aborted due to errors\n", stderr);
    else if (!options->only_checks)
        is_good = write_carrier(&source, options);
    free(text);
    return is_good;
}

int main(int count, char **argv) {
    struct ptxas_options options;
    struct strbuf problem = {0};
    if (!ptxas_options_read(count, argv, &options, &problem)) {
        fprintf(stderr, "ptxas fatal   : %s\n", strbuf_string(&problem));
        strbuf_free(&problem);
        return FAILED;
    }
    if (options.wants_help || options.wants_version)
        return fputs(options.wants_help ? help : version, stdout) < 0 || fflush(stdout) ? FAILED
                                                                                        : OK;
    return assemble(&options) ? OK : FAILED;
}
