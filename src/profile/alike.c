// Programs launch the same kernel again and again: launches that counted the same are kept once,
// so that a profile grows with what is different, not with how long the program ran.
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "profile/recorder.h"

// How many kept launches are looked at for one that is alike, the last ones first: programs repeat
// their latest steps.
enum { LOOK_BACK = 256 };

static bool same_counts(const struct profile_counts *a, const struct profile_counts *b) {
    return a->requests == b->requests && a->units == b->units && a->ideal == b->ideal;
}

static bool same_frames(const struct profile_site *a, const struct profile_site *b) {
    if (a->inlined_count != b->inlined_count)
        return false;
    for (uint32_t i = 0; i < a->inlined_count; i++)
        if (a->inlined_at[i].line != b->inlined_at[i].line ||
            !text_is_same(a->inlined_at[i].file, b->inlined_at[i].file) ||
            !text_is_same(a->inlined_at[i].function, b->inlined_at[i].function))
            return false;
    return true;
}

static bool same_worst(const struct profile_site *a, const struct profile_site *b) {
    if (a->worst_degree != b->worst_degree)
        return false;
    return a->worst_degree == 0 ||
           (a->worst_warp == b->worst_warp && a->worst_mask == b->worst_mask &&
            memcmp(a->worst_block, b->worst_block, sizeof a->worst_block) == 0 &&
            memcmp(a->worst_offsets, b->worst_offsets, sizeof a->worst_offsets) == 0);
}

static bool same_request(const struct profile_site *a, const struct profile_site *b) {
    return a->is_modelled == b->is_modelled && a->request.access == b->request.access &&
           a->request.width == b->request.width && a->request.matrices == b->request.matrices &&
           a->request.is_scanned == b->request.is_scanned &&
           a->request.is_copy == b->request.is_copy;
}

// The same access, of which the same is said but for how often it was.
static bool site_is_told_alike(const struct profile_site *a, const struct profile_site *b) {
    return a->space == b->space && a->op == b->op && a->line == b->line && a->column == b->column &&
           text_is_same(a->file, b->file) && text_is_same(a->instruction, b->instruction) &&
           text_is_same(a->array, b->array) && text_is_same(a->verdict, b->verdict) &&
           text_is_same(a->proof, b->proof) && text_is_same(a->why, b->why) && a->fit == b->fit &&
           text_is_same(a->bounds, b->bounds) && text_is_same(a->suppressed, b->suppressed);
}

static bool site_looks_alike(const struct profile_site *a, const struct profile_site *b) {
    return site_is_told_alike(a, b) && same_counts(&a->counts, &b->counts) &&
           memcmp(a->degrees, b->degrees, sizeof a->degrees) == 0;
}

static bool site_differs_in_size(const struct profile_site *a, const struct profile_site *b) {
    return site_is_told_alike(a, b) && a->worst_degree == b->worst_degree &&
           a->is_estimate == b->is_estimate &&
           !profile_excess_of(&a->counts) == !profile_excess_of(&b->counts);
}

static bool are_blocks_alike(const struct profile_blocks *a, const struct profile_blocks *b) {
    return a->is_asked == b->is_asked && a->is_proved == b->is_proved &&
           a->is_work_estimate == b->is_work_estimate &&
           a->is_sectors_estimate == b->is_sectors_estimate &&
           a->has_partial_input == b->has_partial_input;
}

bool profile_launches_look_alike(const struct profile_launch *a, const struct profile_launch *b) {
    if (a->instructions != b->instructions || a->site_count != b->site_count ||
        a->shared_bytes != b->shared_bytes || a->blocks_run != b->blocks_run ||
        memcmp(a->grid, b->grid, sizeof a->grid) != 0 ||
        memcmp(a->block, b->block, sizeof a->block) != 0 || a->bank_bytes != b->bank_bytes ||
        a->is_of_several != b->is_of_several || a->device != b->device ||
        a->is_sample != b->is_sample || a->may_differ != b->may_differ ||
        !are_blocks_alike(&a->blocks, &b->blocks) ||
        !text_is_same(a->whole_reason, b->whole_reason) || !text_is_same(a->symbol, b->symbol) ||
        a->freedom != b->freedom || !text_is_same(a->races, b->races) ||
        !text_is_same(a->kernel, b->kernel) || !text_is_same(a->fault, b->fault) ||
        a->cut != b->cut || !profile_faults_are_same(a, b) ||
        !profile_findings_are_same(&a->findings, &b->findings))
        return false;
    for (size_t i = 0; i < a->site_count; i++)
        if (!site_looks_alike(&a->sites[i], &b->sites[i]))
            return false;
    return true;
}

bool profile_launches_differ_in_size(const struct profile_launch *a,
                                     const struct profile_launch *b) {
    if (a->site_count != b->site_count || a->bank_bytes != b->bank_bytes ||
        a->device != b->device || a->is_sample || b->is_sample || a->may_differ != b->may_differ ||
        a->blocks.is_asked || b->blocks.is_asked || a->fault || b->fault || a->passed_count ||
        b->passed_count || !text_is_same(a->symbol, b->symbol) || a->freedom != b->freedom ||
        !text_is_same(a->races, b->races) || !text_is_same(a->kernel, b->kernel) ||
        !profile_findings_are_same(&a->findings, &b->findings))
        return false;
    for (size_t i = 0; i < a->site_count; i++)
        if (!site_differs_in_size(&a->sites[i], &b->sites[i]))
            return false;
    return true;
}

// And all that the report leaves out, too.
static bool are_alike(const struct profile_launch *a, const struct profile_launch *b) {
    if (a->thread != b->thread || a->thread_instructions != b->thread_instructions ||
        a->barriers != b->barriers || a->error[0] != b->error[0] || a->error[1] != b->error[1] ||
        a->cut_signal != b->cut_signal || !profile_launches_look_alike(a, b))
        return false;
    for (size_t i = 0; i < a->site_count; i++) {
        const struct profile_site *x = &a->sites[i], *y = &b->sites[i];
        if (x->width != y->width || x->is_estimate != y->is_estimate || !same_request(x, y) ||
            !text_is_same(x->function, y->function) || !same_worst(x, y) || !same_frames(x, y))
            return false;
    }
    return true;
}

// The launch that stands for the last one from now on, which may be itself.
static size_t fold(struct profile *profile) {
    struct profile_launch *last = &profile->launches[profile->launch_count - 1];
    for (size_t back = 1; back < profile->launch_count && back <= LOOK_BACK; back++) {
        struct profile_launch *kept = last - back;
        if (!are_alike(kept, last))
            continue;
        profile_repeat_launch(kept, last->index);
        profile_free_launch(last);
        profile->launch_count--;
        return (size_t)(kept - profile->launches);
    }
    return profile->launch_count - 1;
}

void profile_fold_last(struct profile *profile) {
    const size_t before = profile->launch_count, kept = fold(profile);
    if (profile->on_launch)
        profile->on_launch(profile, kept, profile->launch_count < before);
}
