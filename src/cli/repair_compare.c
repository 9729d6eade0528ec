// What two runs have in common: what the program did must be the same, and so must the wavefronts
// of all arrays but the one that was changed.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/repair.h"

typedef unsigned long long number;

// ---- Wavefronts -----------------------------------------------------------------------------

const struct repair_count *repair_find_count(const repair_counts *counts, const char *kernel,
                                             const char *array) {
    for (size_t i = 0; i < counts->length; i++)
        if (text_is_same(counts->data[i].kernel, kernel) &&
            text_is_same(counts->data[i].array, array))
            return &counts->data[i];
    return NULL;
}

static struct repair_count *count_of(repair_counts *counts, const char *kernel, const char *array) {
    const struct repair_count *known = repair_find_count(counts, kernel, array);
    if (known)
        return &counts->data[known - counts->data];
    vec_push(counts, (struct repair_count){.kernel = kernel, .array = array});
    return &counts->data[counts->length - 1];
}

void repair_count_arrays(const struct profile *profile, repair_counts *counts) {
    for (size_t l = 0; l < profile->launch_count; l++) {
        const struct profile_launch *launch = &profile->launches[l];
        for (size_t s = 0; s < launch->site_count; s++) {
            const struct profile_site *site = &launch->sites[s];
            if (site->space != SITE_SHARED)
                continue;
            struct repair_count *count = count_of(counts, launch->kernel, site->array);
            count->requests += site->counts.requests * launch->repeats;
            count->wavefronts += site->counts.units * launch->repeats;
            count->ideal += site->counts.ideal * launch->repeats;
        }
    }
}

static char *other_arrays(const struct repair *repair, const struct repair_result *counted) {
    repair_counts before = {0}, after = {0};
    struct strbuf out = {0};
    repair_count_arrays(repair->before.profile, &before);
    repair_count_arrays(repair->after.profile, &after);
    for (size_t i = 0; i < before.length && !out.length; i++) {
        const struct repair_count *old = &before.data[i];
        const struct repair_count *new = repair_find_count(&after, old->kernel, old->array);
        const bool is_counted = text_is_same(old->array, counted->name);
        if (is_counted && new &&new->wavefronts <= old->wavefronts)
            continue; // the compiler may join its accesses otherwise than before
        if (!new || (!is_counted && new->requests != old->requests))
            strbuf_printf(&out, "%s of %s is accessed %llu times in place of %llu",
                          old->array ? old->array : "shared memory", old->kernel,
                          (number)(new ? new->requests : 0), (number)old->requests);
        else if (is_counted)
            strbuf_printf(&out, "in %s it takes %llu wavefronts in place of %llu", old->kernel,
                          (number) new->wavefronts, (number)old->wavefronts);
        else if (new->wavefronts != old->wavefronts)
            strbuf_printf(&out, "%s of %s takes %llu wavefronts in place of %llu",
                          old->array ? old->array : "shared memory", old->kernel,
                          (number) new->wavefronts, (number)old->wavefronts);
    }
    vec_free(&before);
    vec_free(&after);
    return out.length ? strbuf_take(&out) : NULL;
}

// ---- Output ---------------------------------------------------------------------------------

static size_t line_bytes(const char *at, const char *end) {
    const char *last = memchr(at, '\n', (size_t)(end - at));
    return last ? (size_t)(last - at) + 1 : (size_t)(end - at);
}

static bool is_like(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    return a_bytes == b_bytes && !memcmp(a, b, a_bytes);
}

// The first line in which the edited program's output differs, 1, 2, ...; lines that differ between
// two runs of the program as it is do not count, such as times. 0: none.
static unsigned long different_line(const struct repair_run *before, const struct repair_run *again,
                                    const struct repair_run *after) {
    const char *a = before->output, *b = again->output, *c = after->output;
    const char *a_end = a + before->output_length, *b_end = b + again->output_length,
               *c_end = c + after->output_length;
    for (unsigned long line = 1;; line++) {
        const size_t a_bytes = line_bytes(a, a_end), b_bytes = line_bytes(b, b_end),
                     c_bytes = line_bytes(c, c_end);
        if (a == a_end || c == c_end)
            return a == a_end && c == c_end ? 0 : line;
        if (!is_like(a, a_bytes, c, c_bytes) && is_like(a, a_bytes, b, b_bytes))
            return line;
        a += a_bytes;
        b += b_bytes;
        c += c_bytes;
    }
}

static bool is_same_run(const struct repair_run *a, const struct repair_run *b) {
    return a->status == b->status && !memcmp(&a->returned, &b->returned, sizeof a->returned) &&
           is_like(a->output, a->output_length, b->output, b->output_length);
}

static char *other_output(const struct repair_run *before, const struct repair_run *again,
                          const struct repair_run *after) {
    struct strbuf out = {0};
    if (after->status != before->status)
        strbuf_printf(&out, "the program ends with status %d in place of %d", after->status,
                      before->status);
    else if (after->returned.copies != before->returned.copies ||
             after->returned.bytes != before->returned.bytes)
        strbuf_puts(&out, "the program copies other amounts back");
    else if (after->returned.sum != before->returned.sum &&
             again->returned.sum == before->returned.sum)
        strbuf_puts(&out, "bytes that the program copies back differ");
    else if (different_line(before, again, after))
        strbuf_printf(&out, "line %lu of the program's output differs",
                      different_line(before, again, after));
    return out.length ? strbuf_take(&out) : NULL;
}

// ---- Findings -------------------------------------------------------------------------------

static char *new_findings(const struct profile *before, const struct profile *after) {
    const struct profile_finding_counts old = profile_count_findings(before),
                                        now = profile_count_findings(after);
    struct strbuf out = {0};
    if (now.defects > old.defects)
        strbuf_printf(&out, "bankrun check finds %llu defects in place of %llu",
                      (number)now.defects, (number)old.defects);
    else if (profile_has_failed(after))
        strbuf_puts(&out, "the program no longer runs to its end");
    return out.length ? strbuf_take(&out) : NULL;
}

char *repair_difference(struct repair *repair, const struct repair_result *counted) {
    const struct repair_run *before = &repair->before, *after = &repair->after;
    if (!after->profile)
        return base_strdup("the edited source does not compile, or does not run");
    char *difference = new_findings(before->profile, after->profile);
    if (!difference && !is_same_run(before, after)) {
        // Some programs never do the same twice: what differs in another run of it does not count.
        if (!repair->again.output && !repair_measure(repair, REPAIR_AS_IS, &repair->again))
            return base_strdup("a second run of the source failed");
        difference = other_output(before, &repair->again, after);
    }
    return difference ? difference : other_arrays(repair, counted);
}
