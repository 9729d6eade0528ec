// Lines of which the same is to be said, such as those of a loop that was unrolled by hand. One of
// them is shown for all.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/text.h"

static bool same_counts(const struct profile_counts *a, const struct profile_counts *b) {
    return a->requests == b->requests && a->units == b->units && a->ideal == b->ideal;
}

static size_t help_of(const char *help) { // what cures it, without what that is worth
    return help ? strcspn(help, "\n") : 0;
}

// Where lanes go may differ, but not how, nor how often.
static bool sites_alike(const struct profile_site *a, const struct profile_site *b) {
    const size_t help = help_of(a->help);
    return a->space == b->space && text_is_same(a->file, b->file) &&
           text_is_same(a->instruction, b->instruction) && text_is_same(a->array, b->array) &&
           same_counts(&a->counts, &b->counts) && a->worst_degree == b->worst_degree &&
           memcmp(a->degrees, b->degrees, sizeof a->degrees) == 0 &&
           text_is_same(a->verdict, b->verdict) && text_is_same(a->proof, b->proof) &&
           a->is_estimate == b->is_estimate && a->moved_behind == b->moved_behind &&
           text_is_same(a->function, b->function) && text_is_same(a->suppressed, b->suppressed) &&
           !a->help == !b->help && help == help_of(b->help) &&
           (!help || !memcmp(a->help, b->help, help));
}

static bool lines_alike(const struct view_line *a, const struct view_line *b) {
    if (a->count != b->count || !a->at.file || !b->at.file)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->sites[i].site->inlined_count || b->sites[i].site->inlined_count ||
            !sites_alike(a->sites[i].site, b->sites[i].site))
            return false;
    return true;
}

size_t text_lines_alike(const struct view_lines *lines, size_t first) {
    size_t end = first + 1;
    while (end < lines->count && lines_alike(&lines->data[first], &lines->data[end]))
        end++;
    return end - first;
}

// "24", "24 and 31", "24, 26-28 and 31": in ascending order.
static void put_numbers(struct strbuf *out, const uint32_t *numbers, size_t count) {
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && numbers[end] == numbers[end - 1] + 1; end++) {
        }
        end = end - i < 3 ? i + 1 : end;
        strbuf_printf(out, "%s%u", i == 0 ? "" : end == count ? " and " : ", ", numbers[i]);
        if (end - i > 1)
            strbuf_printf(out, "-%u", numbers[end - 1]);
    }
}

char *text_alike_lines(const struct view_lines *lines, size_t first, size_t count) {
    uint32_t *numbers = base_alloc(count * sizeof *numbers);
    struct strbuf text = {0};
    for (size_t i = 1; i < count; i++)
        numbers[i - 1] = lines->data[first + i].at.line;
    strbuf_puts(&text, count == 2 ? "line " : "lines ");
    put_numbers(&text, numbers, count - 1);
    strbuf_puts(&text,
                count == 2 ? ": as much, in the same way" : ": each as much, in the same way");
    free(numbers);
    return strbuf_take(&text);
}
