// The same lanes, elsewhere in their array: what the bank model says of them.
#include "explorer/redraw.h"

#include "fix/layout.h"

// Whether no two elements come to lie at one place: no bit may decide about itself.
static bool is_permutation(const struct fix_layout *layout) {
    if (layout->kind == FIX_SWIZZLE)
        return layout->bits == 0 || layout->shift != layout->base;
    if (layout->kind == FIX_MIRROR)
        return layout->shift < layout->base || layout->shift >= layout->base + layout->bits;
    return true;
}

static enum redraw_status move(const struct redraw_question *question, uint32_t *moved) {
    const struct fix_layout elements = {.kind = (enum fix_kind)question->kind,
                                        .pitch = question->pitch,
                                        .pad = question->pad,
                                        .bits = question->bits,
                                        .base = question->base,
                                        .shift = question->shift};
    const uint64_t bytes = question->bytes ? question->bytes : UINT32_MAX;
    struct fix_layout layout;
    if (question->kind > FIX_MIRROR || question->width == 0 ||
        !fix_of_elements(&elements, question->element, &layout) || !is_permutation(&layout))
        return REDRAW_NO_LAYOUT;
    if (question->bytes && !fix_fits(&layout, bytes))
        return REDRAW_LEAVES;
    switch (fix_move_lanes(&layout, question->start, bytes, question->mask, question->width,
                           question->offsets, moved)) {
    case FIX_OUTSIDE:
        return REDRAW_OUTSIDE;
    case FIX_TORN:
        return REDRAW_TORN;
    case FIX_MOVED:
        break;
    }
    return REDRAW_OK;
}

void explorer_redraw(const struct redraw_question *question, struct redraw_answer *answer) {
    uint32_t moved[BANKRUN_LANES] = {0};
    struct bankrun_cost cost;
    *answer = (struct redraw_answer){.status = move(question, moved)};
    const struct bankrun_request request = {.access = (enum bankrun_access)question->access,
                                            .width = question->width,
                                            .matrices = question->matrices,
                                            .mask = question->mask,
                                            .offsets = moved};
    if (answer->status != REDRAW_OK)
        return;
    if (bankrun_count(question->arch, &request, &cost) != BANKRUN_OK ||
        !explorer_draw(question->arch, &request, &answer->lanes)) {
        answer->status = REDRAW_NO_REQUEST;
        return;
    }
    answer->wavefronts = cost.wavefronts;
    answer->ideal = cost.ideal;
    answer->degree = cost.degree;
}
