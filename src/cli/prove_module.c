// The kernels of a module, and the blocks that they are proved for.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "cli/commands.h"
#include "cli/prove.h"
#include "ptx/ptx.h"

static bool is_wanted(const struct prove_run *run, const struct ir_function *kernel) {
    if (!kernel->ptx->is_entry)
        return false;
    if (!run->has_pattern)
        return true;
    char *name = base_demangle(kernel->name);
    const bool matches = regexec(&run->kernels, name, 0, NULL, 0) == 0 ||
                         regexec(&run->kernels, kernel->name, 0, NULL, 0) == 0;
    free(name);
    return matches;
}

static void prove_block(struct prove_run *run, const struct ir_function *kernel,
                        const uint32_t block[3], const char *why) {
    struct prove_launch launch = {.arch = run->options->arch,
                                  .block = {block[0], block[1], block[2]}};
    struct prove_result *result = prove_kernel(kernel, &launch);
    prove_print(run, kernel, &launch, why, result);
    prove_free(result);
}

// Does the kernel ask where a thread is in y, or in z?
static unsigned axes_of(const struct ir_function *kernel) {
    unsigned axes = 1;
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        for (uint32_t o = 0; o < kernel->instructions[i].operand_count; o++) {
            const struct ir_operand *operand = &kernel->instructions[i].operands[o];
            if (operand->kind != IR_OPERAND_SREG)
                continue;
            if (operand->sreg == PTX_SREG_tid_y && axes < 2)
                axes = 2;
            if (operand->sreg == PTX_SREG_tid_z)
                axes = 3;
        }
    return axes;
}

// What is asked for, what the kernel says, or what is usual.
static void prove_one(struct prove_run *run, const struct ir_function *kernel) {
    static const uint32_t usual[4][3] = {{0}, {256, 1, 1}, {32, 8, 1}, {8, 8, 4}};
    static const uint32_t square[3] = {16, 16, 1}, full[3] = {32, 32, 1};
    const uint32_t *required = kernel->ptx->required_threads, *most = kernel->ptx->max_threads;
    run->kernel_count++;
    if (run->has_block) {
        prove_block(run, kernel, run->block, "");
    } else if (required[0]) {
        const uint32_t block[3] = {required[0], required[1] ? required[1] : 1,
                                   required[2] ? required[2] : 1};
        prove_block(run, kernel, block, ", which it requires");
    } else if (most[0]) {
        const uint32_t block[3] = {most[0], most[1] ? most[1] : 1, most[2] ? most[2] : 1};
        prove_block(run, kernel, block, ", the most that it is declared for");
    } else {
        const unsigned axes = axes_of(kernel);
        prove_block(run, kernel, usual[axes], ", a usual shape; --block has others");
        if (axes == 2) {
            prove_block(run, kernel, square, ", another usual one");
            prove_block(run, kernel, full, ", another usual one");
        }
    }
}

int prove_module(const struct source *source, struct prove_run *run) {
    struct diag_list diags = {0};
    struct ptx_module *ptx = ptx_parse(source, &diags);
    struct ir_module *ir = diags.errors ? NULL : ir_build(ptx, &diags);
    print_diags(&diags, run->options);
    for (uint32_t f = 0; ir && f < ir->function_count; f++)
        if (is_wanted(run, ir->functions[f]))
            prove_one(run, ir->functions[f]);
    if (ir && !run->kernel_count)
        cli_error(run->has_pattern ? "%s: no kernel matches --kernel" : "%s has no kernel",
                  source->name);
    const bool is_good = ir && run->kernel_count;
    ir_free(ir);
    ptx_module_free(ptx);
    return is_good ? CLI_OK : CLI_USAGE;
}
