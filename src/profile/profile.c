// The profile as a value: created, grown, freed.
#include "profile/profile.h"

#include <stdlib.h>

#include "base/alloc.h"
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

void profile_free_launch(struct profile_launch *launch) {
    for (size_t i = 0; i < launch->site_count; i++)
        profile_free_site(&launch->sites[i]);
    free(launch->sites);
    free(launch->runs);
    free(launch->kernel);
    free(launch->symbol);
    free(launch->fault);
}

void profile_free(struct profile *profile) {
    if (!profile)
        return;
    for (size_t i = 0; i < profile->launch_count; i++)
        profile_free_launch(&profile->launches[i]);
    free(profile->launches);
    for (size_t i = 0; i < profile->program_count; i++)
        free(profile->program[i]);
    free(profile->program);
    free(profile);
}
