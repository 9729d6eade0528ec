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
    char *name = base_demangle(kernel->name);
    const bool matches = profile_has_kernel(&run->kernels, name, kernel->name);
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

// A kernel that is asked for, and the jobs of its shapes.
struct subject {
    const struct ir_function *kernel;
    const struct ir_shared_layout *layout;
    enum prove_choice choice;
    struct prove_shape shapes[PROVE_SHAPES];
    size_t wanted, count, done;
    struct prove_job jobs[PROVE_SHAPES];
    bool misfits[PROVE_SHAPES];
};
typedef VEC(struct subject) subjects;

static void list_subjects(struct prove_run *run, const struct ir_module *ir, subjects *list) {
    for (uint32_t f = 0; f < ir->function_count; f++) {
        struct subject subject = {.kernel = ir->functions[f]};
        if (!is_wanted(run, subject.kernel))
            continue;
        subject.layout = ir_shared_layout(subject.kernel);
        subject.choice =
            prove_shapes_of(run, subject.kernel, subject.shapes, &subject.wanted, &subject.count);
        vec_push(list, subject);
    }
}

static struct prove_job job_of(const struct cli_options *options, const struct subject *subject,
                               size_t shape) {
    struct prove_job job = {.kernel = subject->kernel,
                            .launch = {.arch = options->arch,
                                       .layout = subject->layout,
                                       .wants_bounds = true,
                                       .wants_conditions = true,
                                       .has_dynamic = options->prove.has_shared,
                                       .dynamic_bytes = options->prove.shared}};
    memcpy(job.launch.block, subject->shapes[shape].block, sizeof job.launch.block);
    return job;
}

// How many of its shapes are to be proved by now: those that are wanted, then one more as long as
// threads of all before leave its arrays.
static size_t due_of(const struct subject *subject) {
    if (subject->done < subject->wanted)
        return subject->wanted;
    size_t misfits = 0;
    for (size_t i = 0; i < subject->done; i++)
        misfits += subject->misfits[i];
    return subject->done + (misfits == subject->done && subject->done < subject->count);
}

// What is due of all kernels. False: nothing is.
static bool prove_due(const struct cli_options *options, subjects *list) {
    VEC(struct prove_job) jobs = {0};
    for (size_t i = 0; i < list->length; i++)
        for (size_t n = list->data[i].done; n < due_of(&list->data[i]); n++)
            vec_push(&jobs, job_of(options, &list->data[i], n));
    prove_jobs_run(jobs.data, jobs.length, options->threads);
    const struct prove_job *next = jobs.data;
    for (size_t i = 0; i < list->length; i++) {
        struct subject *subject = &list->data[i];
        for (const size_t due = due_of(subject); subject->done < due; subject->done++) {
            subject->jobs[subject->done] = *next++;
            subject->misfits[subject->done] = subject->choice == PROVE_USUAL &&
                                              leaves_arrays(subject->jobs[subject->done].result);
        }
    }
    const bool is_any = jobs.length > 0;
    vec_free(&jobs);
    return is_any;
}

// Of usual shapes those for which the kernel is not made, as threads of theirs leave its arrays,
// are left out; unless none is left.
static void add_proofs(struct prove_report *report, const struct source *source,
                       const struct subject *subject) {
    const size_t first = report->proofs.length;
    char *name = base_demangle(subject->kernel->name);
    for (size_t i = 0; i < subject->done; i++) {
        const struct prove_job *job = &subject->jobs[i];
        struct prove_proof proof = {.kernel = arena_strndup(report->arena, name, strlen(name)),
                                    .symbol = arena_strndup(report->arena, subject->kernel->name,
                                                            strlen(subject->kernel->name)),
                                    .choice = subject->choice,
                                    .is_misfit = subject->misfits[i]};
        vec_push(&proof.shapes, subject->shapes[i]);
        prove_fill(report, source, subject->kernel, job->result, &proof);
        prove_fill_races(report, source, job->launch.block, &job->races, &proof);
        add(report, first, &proof);
        prove_free(job->result);
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
    subjects list = {0};
    if (ir)
        list_subjects(run, ir, &list);
    while (prove_due(run->report.options, &list))
        ;
    for (size_t i = 0; i < list.length; i++)
        add_proofs(&run->report, source, &list.data[i]);
    vec_free(&list);
    ir_free(ir);
    ptx_module_free(ptx);
    return is_good;
}
