// What an edit is worth in time: the cost model on the profile before and on the one after, whose
// index expressions may be longer.
#include <string.h>

#include "cli/repair.h"
#include "profile/cost.h"

// Of all launches of the kernel. 0: unknown for one of them.
static double time_of(const struct repair *repair, const struct profile *profile,
                      const char *kernel, const struct cost_machine **machine) {
    double all = 0;
    for (size_t l = 0; l < profile->launch_count; l++) {
        const struct profile_launch *launch = &profile->launches[l];
        struct profile_cost cost;
        if (strcmp(launch->kernel, kernel) != 0)
            continue;
        if (!profile_time_of(repair->options->arch, launch, &cost))
            return 0;
        all += cost.time.all * (double)launch->repeats;
        *machine = cost.machine;
    }
    return all;
}

void repair_weigh(const struct repair *repair, struct repair_result *result) {
    const struct cost_machine *machine = NULL;
    const double before = time_of(repair, repair->before.profile, result->kernel, &machine),
                 after = time_of(repair, repair->after.profile, result->kernel, &machine);
    result->gain = before > 0 && after > 0 ? before / after : 0;
    result->is_felt =
        result->gain > 0 && (cost_is_worth(result->gain) || cost_is_worth(1 / result->gain));
    result->machine = machine ? machine->name : NULL;
}
