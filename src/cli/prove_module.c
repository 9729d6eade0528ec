// The kernels of a module, each proved for its blocks.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "cli/commands.h"
#include "cli/prove.h"
#include "ptx/ptx.h"

static bool is_wanted(struct prove_run *run, const struct ir_function *kernel) {
    if (!kernel->ptx->is_entry)
        return false;
    run->has_kernel = true;
    if (!run->has_pattern)
        return true;
    char *name = base_demangle(kernel->name);
    const bool matches = regexec(&run->kernels, name, 0, NULL, 0) == 0 ||
                         regexec(&run->kernels, kernel->name, 0, NULL, 0) == 0;
    free(name);
    return matches;
}

// Proofs of one kernel that say the same become one, of several shapes.
static void add(struct prove_report *report, size_t first, struct prove_proof *proof) {
    for (size_t i = first; i < report->proofs.length; i++) {
        struct prove_proof *other = &report->proofs.data[i];
        if (prove_says_same(other, proof)) {
            vec_push(&other->shapes, proof->shapes.data[0]);
            prove_proof_free(proof);
            return;
        }
    }
    vec_push(&report->proofs, *proof);
}

// Proofs of the kernel that are misfits, if others are not.
static void leave_out(struct prove_report *report, size_t first) {
    size_t kept = first;
    for (size_t i = first; i < report->proofs.length; i++)
        kept += !report->proofs.data[i].is_misfit;
    if (kept == first || kept == report->proofs.length)
        return;
    kept = first;
    for (size_t i = first; i < report->proofs.length; i++) {
        struct prove_proof *proof = &report->proofs.data[i];
        if (proof->is_misfit) {
            prove_proof_free(proof);
            continue;
        }
        proof->is_fitting = true;
        report->proofs.data[kept++] = *proof;
    }
    report->proofs.length = kept;
}

static bool leaves_arrays(const struct prove_result *result) {
    for (uint32_t s = 0; s < result->site_count; s++)
        if (result->sites[s].bounds.fit == PROVE_MISFITS)
            return true;
    return false;
}

// Of usual shapes those for which the kernel is not made, as threads of theirs leave its arrays,
// are left out; unless none is left.
static void prove_one(struct prove_run *run, const struct source *source,
                      const struct ir_function *kernel) {
    struct prove_report *report = &run->report;
    struct prove_shape shapes[PROVE_SHAPES];
    size_t count, wanted, misfits = 0;
    const size_t first = report->proofs.length;
    const enum prove_choice choice = prove_shapes_of(run, kernel, shapes, &wanted, &count);
    char *name = base_demangle(kernel->name);
    for (size_t i = 0; i < count && (i < wanted || misfits == i); i++) {
        struct prove_launch launch = {.arch = report->options->arch,
                                      .wants_bounds = true,
                                      .wants_conditions = true,
                                      .has_dynamic = report->options->prove.has_shared,
                                      .dynamic_bytes = report->options->prove.shared};
        memcpy(launch.block, shapes[i].block, sizeof launch.block);
        struct prove_result *result = prove_kernel(kernel, &launch);
        struct prove_proof proof = {
            .kernel = arena_strndup(report->arena, name, strlen(name)),
            .symbol = arena_strndup(report->arena, kernel->name, strlen(kernel->name)),
            .choice = choice,
            .is_misfit = choice == PROVE_USUAL && leaves_arrays(result)};
        misfits += proof.is_misfit;
        vec_push(&proof.shapes, shapes[i]);
        prove_fill(report, source, kernel, result, &proof);
        const struct prove_races races = prove_races(kernel, &launch);
        prove_fill_races(report, source, launch.block, &races, &proof);
        add(report, first, &proof);
        prove_free(result);
    }
    leave_out(report, first);
    free(name);
}

bool prove_module(const struct source *source, struct prove_run *run) {
    struct diag_list diags = {0};
    struct ptx_module *ptx = ptx_parse(source, &diags);
    struct ir_module *ir = diags.errors ? NULL : ir_build(ptx, &diags);
    const bool is_good = ir != NULL;
    print_diags(&diags, run->report.options);
    for (uint32_t f = 0; ir && f < ir->function_count; f++)
        if (is_wanted(run, ir->functions[f]))
            prove_one(run, source, ir->functions[f]);
    ir_free(ir);
    ptx_module_free(ptx);
    return is_good;
}
