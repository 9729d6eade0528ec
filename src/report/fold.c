// Launches that differ in size only: one stands for all of them.
#include "report/build.h"

static bool has_less(const struct view_launch *a, const struct view_launch *b) {
    const uint64_t x = profile_excess_of(&a->sums[SITE_SHARED]),
                   y = profile_excess_of(&b->sums[SITE_SHARED]);
    return x != y ? x < y : a->sums[SITE_SHARED].units < b->sums[SITE_SHARED].units;
}

static void stand_for(struct view_launch *larger, struct view_launch *smaller) {
    smaller->like = larger;
    larger->smaller += smaller->count + smaller->smaller;
    profile_add_counts(&larger->smaller_shared, &smaller->sums[SITE_SHARED], smaller->count);
    profile_add_counts(&larger->smaller_shared, &smaller->smaller_shared, 1);
    smaller->smaller = 0;
    smaller->smaller_shared = (struct profile_counts){0};
}

void view_fold(struct report_view *view) {
    enum { LOOK_BACK = 256 }; // programs repeat their latest steps
    for (size_t i = 1; i < view->count; i++) {
        struct view_launch *now = &view->launches[i], *known = NULL;
        for (size_t k = i; k > 0 && i - k < LOOK_BACK && !known; k--)
            if (!view->launches[k - 1].like &&
                profile_launches_differ_in_size(view->launches[k - 1].launch, now->launch))
                known = &view->launches[k - 1];
        if (known && has_less(known, now))
            stand_for(now, known);
        else if (known)
            stand_for(known, now);
    }
    for (size_t i = 0; i < view->count; i++)
        while (view->launches[i].like && view->launches[i].like->like)
            view->launches[i].like = view->launches[i].like->like;
}
