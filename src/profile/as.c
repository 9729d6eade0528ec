#include "profile/as.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

void profile_note_compiled(struct profile *profile, const char *by) {
    profile->is_as_compiled = true;
    if (profile->compiled_by && strstr(profile->compiled_by, by))
        return;
    struct strbuf all = {0};
    if (profile->compiled_by)
        strbuf_printf(&all, "%s, ", profile->compiled_by);
    strbuf_puts(&all, by);
    free(profile->compiled_by);
    profile->compiled_by = strbuf_take(&all);
}

void profile_note_written(struct profile *profile, const char *reason) {
    profile->is_as_compiled &= profile->compiled_by != NULL;
    if (!profile->as_reason)
        profile->as_reason = base_strdup(reason);
}

void profile_join_as(struct profile *to, const struct profile *from) {
    to->is_as_compiled &= from->is_as_compiled;
    if (from->compiled_by)
        profile_note_compiled(to, from->compiled_by);
    if (from->as_reason)
        profile_note_written(to, from->as_reason);
    to->is_as_compiled |= to->compiled_by != NULL;
}

bool profile_accesses_shared(const struct profile *profile) {
    for (size_t l = 0; l < profile->launch_count; l++)
        for (int op = 0; op < PROFILE_OPS; op++)
            if (profile->launches[l].totals[SITE_SHARED][op].requests)
                return true;
    return false;
}

char *profile_as_text(const struct profile *profile) {
    struct strbuf out = {0};
    if (profile->is_as_compiled) {
        strbuf_puts(&out, "accesses as compiled");
        if (profile->compiled_by)
            strbuf_printf(&out, " by %s", profile->compiled_by);
        strbuf_printf(&out, " for sm_%u", profile->arch);
        if (profile->as_reason)
            strbuf_printf(&out, "; some as written in PTX: %s", profile->as_reason);
    } else if (profile->as_reason) {
        strbuf_printf(&out, "accesses as written in PTX: %s", profile->as_reason);
    }
    return out.data ? strbuf_take(&out) : NULL;
}
