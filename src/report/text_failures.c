// What did not run, and what the profile does not have, as text.
#include <stdlib.h>

#include "report/text.h"

enum { INDENT = 2, DEEPER = 4, REASON = 6 };

static void put_size(struct strbuf *out, const char *name, const uint32_t size[3]) {
    char number[REPORT_NUMBER];
    strbuf_puts(out, name);
    const int dimensions = size[2] != 1 ? 3 : size[1] != 1 ? 2 : 1;
    for (int i = 0; i < dimensions; i++) {
        strbuf_puts(out, i ? " x " : " ");
        strbuf_puts(out, report_number(number, size[i]));
    }
}

static void put_lines(struct report_page *page, size_t indent, enum report_style style,
                      const char *label, const char *text) {
    report_to(page, indent);
    if (label)
        report_put(page, style, label);
    report_wrap(page, label ? STYLE_PLAIN : style, text);
    report_newline(page);
}

static void put_asked(struct report_page *page, const struct profile_refused *refused) {
    struct strbuf text = {0};
    char number[REPORT_NUMBER];
    put_size(&text, "grid", refused->grid);
    put_size(&text, ", block", refused->block);
    if (refused->cluster[0] || refused->cluster[1] || refused->cluster[2])
        put_size(&text, ", cluster", refused->cluster);
    if (refused->dynamic_bytes)
        strbuf_printf(&text, ", dynamic shared %s bytes",
                      report_number(number, refused->dynamic_bytes));
    if (refused->parent)
        strbuf_printf(&text, ", launched by %s", refused->parent);
    if (refused->error)
        strbuf_printf(&text, "; %s", refused->error);
    put_lines(page, DEEPER, STYLE_PLAIN, NULL, strbuf_string(&text));
    strbuf_free(&text);
}

static void put_refused(struct report_page *page, const struct profile_refused *refused) {
    struct strbuf head = {0};
    char times[REPORT_NUMBER], after[REPORT_NUMBER];
    strbuf_puts(&head, refused->after ? "after launch " : "before the first launch");
    if (refused->after)
        strbuf_puts(&head, report_number(after, refused->after));
    if (refused->repeats > 1)
        strbuf_printf(&head, ", %s times", report_number(times, refused->repeats));
    const size_t room = page->width - INDENT - head.length - 2;
    report_to(page, INDENT);
    report_put_in(page, STYLE_BAD, room, refused->kernel);
    report_put(page, STYLE_PLAIN, ": ");
    report_put(page, STYLE_PLAIN, strbuf_string(&head));
    report_newline(page);
    put_asked(page, refused);
    for (size_t i = 0; i < refused->limit_count; i++) {
        put_lines(page, REASON, STYLE_PLAIN, NULL, refused->limits[i].text);
        if (refused->limits[i].cure)
            put_lines(page, REASON, STYLE_GOOD, "cure: ", refused->limits[i].cure);
    }
    strbuf_free(&head);
}

static void put_gap(struct report_page *page, const struct profile *profile,
                    const struct profile_gap *gap) {
    static const char *const labels[PROFILE_GAPS] = {
        [PROFILE_GAP_UNSUPPORTED] = "call: ", [PROFILE_GAP_MODULE] = "module: ",
        [PROFILE_GAP_FAULT] = "fault: ",      [PROFILE_GAP_LOST] = "lost: ",
        [PROFILE_GAP_UNSEEN] = "not seen: ",  [PROFILE_GAP_LIBRARY] = "library: ",
    };
    struct strbuf text = {0};
    char number[REPORT_NUMBER];
    strbuf_puts(&text, gap->text);
    if (gap->count > 1)
        strbuf_printf(&text, " (%s times)", report_number(number, gap->count));
    if (gap->has_process && profile->processes[gap->process].program_count)
        strbuf_printf(&text, ", in %s", profile->processes[gap->process].program[0]);
    put_lines(page, INDENT, STYLE_BAD, labels[gap->kind], strbuf_string(&text));
    strbuf_free(&text);
}

void text_failures(struct report_page *page, const struct profile *profile, bool is_verbose) {
    enum { MOST = 24 };
    const uint64_t refused = profile_failures(profile).refused;
    char note[64], number[REPORT_NUMBER];
    if (profile->refused_count) {
        snprintf(note, sizeof note, "%s did not begin", report_number(number, refused));
        report_newline(page);
        text_rule(page, "refused launches", note);
    }
    const size_t shown =
        is_verbose || profile->refused_count <= MOST ? profile->refused_count : MOST;
    for (size_t i = 0; i < shown; i++)
        put_refused(page, &profile->refused[i]);
    if (shown < profile->refused_count)
        text_rest(page, INDENT, profile->refused_count - shown, "refused launch", "");
    if (profile->gap_count) {
        report_newline(page);
        text_rule(page, "not all of the program is in this report", "");
    }
    for (size_t i = 0; i < profile->gap_count; i++)
        put_gap(page, profile, &profile->gaps[i]);
}
