// A cure as a value: its names, copied, freed.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/cure.h"

const char *const profile_layout_text[PROFILE_LAYOUTS] = {
    [PROFILE_PAD] = "pad",
    [PROFILE_SWIZZLE] = "swizzle",
    [PROFILE_MIRROR] = "mirror",
};

const char *const profile_no_layout_text[PROFILE_NO_LAYOUTS] = {
    [PROFILE_NO_LAYOUT] = "no layout",
    [PROFILE_ONE_ELEMENT] = "atomics on one element",
};

void profile_free_cure(struct profile_cure *cure) {
    for (size_t i = 0; i < cure->line_count; i++)
        free(cure->lines[i].file);
    free(cure->lines);
    free(cure->layouts);
    free(cure->array);
}

struct profile_cure profile_copy_cure(const struct profile_cure *cure) {
    struct profile_cure copy = *cure;
    copy.array = base_strdup(cure->array);
    copy.layouts = base_alloc((cure->layout_count + 1) * sizeof *copy.layouts);
    if (cure->layout_count)
        memcpy(copy.layouts, cure->layouts, cure->layout_count * sizeof *copy.layouts);
    copy.lines = base_alloc((cure->line_count + 1) * sizeof *copy.lines);
    for (size_t i = 0; i < cure->line_count; i++)
        copy.lines[i] =
            (struct profile_cure_line){base_strdup(cure->lines[i].file), cure->lines[i].line};
    return copy;
}
