// The profile as a value: created, grown, freed.
#include "profile/profile.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/as.h"
#include "profile/quotes.h"
#include "profile/recorder.h"

const char *const profile_op_text[PROFILE_OPS] = {
    [PROFILE_LOAD] = "load",
    [PROFILE_STORE] = "store",
    [PROFILE_ATOMIC] = "atomic",
    [PROFILE_MATRIX_LOAD] = "matrix_load",
    [PROFILE_MATRIX_STORE] = "matrix_store",
    [PROFILE_ASYNC_COPY] = "async_copy",
};

struct profile *profile_create(unsigned arch, char *const *argv, size_t argc) {
    struct profile *profile = base_alloc(sizeof *profile);
    profile->arch = arch;
    profile->program = base_alloc((argc + 1) * sizeof(char *));
    for (size_t i = 0; i < argc; i++)
        profile->program[i] = base_strdup(argv[i]);
    profile->program_count = argc;
    return profile;
}

struct profile_launch *profile_add_launch(struct profile *profile) {
    if (profile->launch_count == profile->launch_capacity) {
        profile->launch_capacity = profile->launch_capacity ? 2 * profile->launch_capacity : 4;
        profile->launches =
            base_realloc(profile->launches, profile->launch_capacity * sizeof *profile->launches);
    }
    struct profile_launch *launch = &profile->launches[profile->launch_count++];
    uint32_t index = (uint32_t)profile->launched++;
    *launch = (struct profile_launch){.index = index};
    profile_repeat_launch(launch, index);
    return launch;
}

void profile_repeat_launch(struct profile_launch *launch, uint32_t index) {
    struct profile_run *run = launch->run_count ? &launch->runs[launch->run_count - 1] : NULL;
    launch->repeats++;
    if (run && (run->count == 1 || index - run->first == run->count * run->step)) {
        run->step = (index - run->first) / run->count;
        run->count++;
        return;
    }
    launch->runs = base_realloc(launch->runs, (launch->run_count + 1) * sizeof *launch->runs);
    launch->runs[launch->run_count++] = (struct profile_run){index, 1, 1};
}

bool profile_count_repeat(struct profile *profile, size_t kept) {
    if (kept >= profile->launch_count)
        return false;
    profile_repeat_launch(&profile->launches[kept], (uint32_t)profile->launched++);
    return true;
}

void profile_free_launch(struct profile_launch *launch) {
    for (size_t i = 0; i < launch->site_count; i++)
        profile_free_site(&launch->sites[i]);
    for (size_t i = 0; i < launch->cure_count; i++)
        profile_free_cure(&launch->cures[i]);
    free(launch->sites);
    free(launch->cures);
    free(launch->runs);
    free(launch->kernel);
    free(launch->symbol);
    free(launch->fault);
    free(launch->whole_reason);
    free(launch->races);
    profile_free_faults(launch);
    profile_free_findings(&launch->findings);
}

static void free_texts(char **texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

struct profile_process *profile_add_process(struct profile *profile) {
    profile->processes =
        base_realloc(profile->processes, (profile->process_count + 1) * sizeof *profile->processes);
    struct profile_process *process = &profile->processes[profile->process_count++];
    *process = (struct profile_process){0};
    return process;
}

// Those that it has, or the one that it is of.
static void append_processes(struct profile *profile, struct profile *from) {
    for (size_t i = 0; i < from->process_count; i++)
        *profile_add_process(profile) = from->processes[i];
    if (from->process_count == 0) {
        *profile_add_process(profile) =
            (struct profile_process){.program = from->program,
                                     .program_count = from->program_count,
                                     .launched = from->launched};
        from->program = NULL;
        from->program_count = 0;
    }
    from->process_count = 0;
}

void profile_append(struct profile *profile, struct profile *from) {
    const size_t processes = profile->process_count;
    append_processes(profile, from);
    profile_join_as(profile, from);
    profile->is_uncounted |= from->is_uncounted;
    profile->checks |= from->checks;
    uint32_t before = (uint32_t)profile->launched;
    for (size_t i = 0; i < from->launch_count; i++) {
        struct profile_launch *launch = profile_add_launch(profile);
        free(launch->runs);
        *launch = from->launches[i];
        launch->index += before;
        for (size_t r = 0; r < launch->run_count; r++)
            launch->runs[r].first += before;
    }
    profile->launched = before + from->launched;
    from->launch_count = 0;
    profile_append_failures(profile, from, before, processes);
    profile_append_findings(profile, from);
    profile_append_quotes(profile, from);
    profile_free(from);
}

unsigned profile_launch_arch(unsigned arch, const struct profile_launch *launch) {
    return launch->bank_bytes == 8 ? arch | BANKRUN_EIGHT_BYTE_BANKS : arch;
}

void profile_free(struct profile *profile) {
    if (!profile)
        return;
    for (size_t i = 0; i < profile->launch_count; i++)
        profile_free_launch(&profile->launches[i]);
    free(profile->launches);
    free(profile->only);
    free(profile->compiled_by);
    free(profile->as_reason);
    free_texts(profile->program, profile->program_count);
    for (size_t i = 0; i < profile->process_count; i++)
        free_texts(profile->processes[i].program, profile->processes[i].program_count);
    free(profile->processes);
    profile_free_failures(profile);
    profile_free_findings(&profile->findings);
    profile_free_quotes(profile);
    free(profile);
}

uint64_t profile_excess(const struct profile *profile) {
    uint64_t excess = 0;
    for (size_t i = 0; i < profile->launch_count; i++)
        for (int op = 0; op < PROFILE_OPS; op++) {
            const struct profile_counts *counts = &profile->launches[i].totals[SITE_SHARED][op];
            excess += profile->launches[i].repeats * profile_excess_of(counts);
        }
    return excess;
}
