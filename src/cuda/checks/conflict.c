// Operations that nothing orders, as findings.
#include <stdio.h>
#include <string.h>

#include "cuda/checks/checker.h"

static const char *verb(const struct check_operation *operation, enum check_touch touch) {
    if (operation->kind == CHECK_ALLOCATE)
        return "allocates";
    if (operation->kind == CHECK_FREE)
        return "frees";
    return touch == CHECK_WRITE || touch == CHECK_STRONG_WRITE ? "writes" : "reads";
}

static const char *kind_of(const struct check_operation *earlier,
                           const struct check_operation *later) {
    if (earlier->kind == CHECK_ALLOCATE || later->kind == CHECK_ALLOCATE)
        return "unordered-allocation";
    if (earlier->kind == CHECK_FREE || later->kind == CHECK_FREE)
        return "freed-in-use";
    return "unordered-operations";
}

static void describe(const struct check_operation *earlier, const struct check_operation *later,
                     const struct check_overlap *overlap, char *message, size_t size) {
    snprintf(message, size, "%s in %s %s what %s in %s %s, and nothing orders the two", later->what,
             later->where, verb(later, overlap->b), earlier->what, earlier->where,
             verb(earlier, overlap->a));
}

void cuda_check_conflict(void *context, const struct check_operation *earlier,
                         const struct check_operation *later, const struct check_overlap *overlap) {
    struct cuda_state *state = context;
    char key[CUDA_CHECK_TEXT], message[3 * CUDA_CHECK_TEXT], object[CUDA_CHECK_TEXT];
    const bool is_race = earlier->kind == CHECK_ACCESS && later->kind == CHECK_ACCESS;
    const enum profile_check check = is_race ? PROFILE_CHECK_RACE : PROFILE_CHECK_MEMORY;
    if (!cuda_checks(state, check) ||
        (earlier->kind == CHECK_ALLOCATE && later->kind == CHECK_FREE))
        return; // whoever uses it between these is told of
    const bool swaps = strcmp(earlier->what, later->what) > 0;
    snprintf(key, sizeof key, "%s %s / %s", kind_of(earlier, later),
             swaps ? later->what : earlier->what, swaps ? earlier->what : later->what);
    describe(earlier, later, overlap, message, sizeof message);
    cuda_check_name_bytes(state, overlap->first, overlap->last, object);
    struct profile_finding finding = {
        .check = check,
        .kind = (char *)kind_of(earlier, later),
        .message = message,
        .object = object,
        .help = (char *)"cudaEventRecord behind the one and cudaStreamWaitEvent before the other, "
                        "or one stream for both",
        .count = 1,
        .place_count = 2,
    };
    cuda_check_place(earlier, verb(earlier, overlap->a), overlap->a, overlap->first,
                     &finding.places[0]);
    cuda_check_place(later, verb(later, overlap->b), overlap->b, overlap->first,
                     &finding.places[1]);
    cuda_check_tell(state, key, &finding);
    cuda_check_free_place(&finding.places[0]);
    cuda_check_free_place(&finding.places[1]);
}
