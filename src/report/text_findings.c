// What checkers found, as text: each with its places in the source.
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { INDENT = 2, DEEPER = 4 };

static void put_thread(struct strbuf *out, const char *name, const uint32_t at[3]) {
    strbuf_printf(out, "%s (%u,%u,%u)", name, at[0], at[1], at[2]);
}

// "line 17, column 5 of add.cu, in add(int*): thread (1,0,0) of block (0,0,0) writes by st..."
static void put_where(struct report_page *page, const struct view_finding_place *shown) {
    const struct profile_place *place = shown->place;
    struct strbuf text = {0};
    text_place(&text, shown->at);
    if (place->column)
        strbuf_printf(&text, ":%u", place->column);
    strbuf_puts(&text, ": ");
    if (place->has_thread) {
        put_thread(&text, "thread", place->thread);
        put_thread(&text, " of block", place->block);
        strbuf_puts(&text, " ");
    }
    strbuf_puts(&text, place->role);
    if (place->instruction)
        strbuf_printf(&text, ", by %s", place->instruction);
    report_to(page, DEEPER);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

static void put_finding(struct report_page *page, const struct view_finding *shown) {
    const struct profile_finding *finding = shown->finding;
    char number[REPORT_NUMBER];
    struct strbuf text = {0};
    strbuf_puts(&text, finding->message);
    if (finding->object)
        strbuf_printf(&text, ": %s", finding->object);
    if (finding->count > 1)
        strbuf_printf(&text, " (%s times)", report_number(number, finding->count));
    report_newline(page);
    report_to(page, INDENT);
    report_putf(page, finding->is_note ? STYLE_WARN : STYLE_BAD,
                "%s %s: ", profile_check_text[finding->check], finding->kind);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    for (size_t i = 0; i < finding->place_count; i++) {
        put_where(page, &shown->places[i]);
        const struct view_finding_place *place = &shown->places[i];
        text_quote(page, DEEPER, place->at.line, place->quote, &place->caret, 1);
    }
    if (finding->suppressed) {
        report_to(page, DEEPER);
        report_put(page, STYLE_DIM, "accepted: ");
        report_wrap(page, STYLE_PLAIN, finding->suppressed);
        report_newline(page);
    }
    if (finding->help) {
        report_to(page, DEEPER);
        report_put(page, STYLE_GOOD, "help: ");
        report_wrap(page, STYLE_PLAIN, finding->help);
        report_newline(page);
    }
    strbuf_free(&text);
}

void text_findings(struct report_page *page, const struct view_findings *findings,
                   bool is_verbose) {
    enum { MOST = 24 };
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const bool is_accepted = findings->data[i].finding->suppressed && !is_verbose;
        if (!is_accepted && (is_verbose || shown < MOST)) {
            put_finding(page, &findings->data[i]);
            shown++;
        } else if (!is_accepted) {
            hidden++;
        }
    }
    if (hidden)
        text_rest(page, INDENT, hidden, "finding", "");
}

void text_host_findings(struct report_page *page, const struct report_view *view, bool is_verbose) {
    if (!view->findings.count)
        return;
    report_newline(page);
    text_rule(page, "found in what the host does", "");
    text_findings(page, &view->findings, is_verbose);
}

void text_checked(struct report_page *page, const struct profile *profile) {
    const struct profile_finding_counts counts = profile_count_findings(profile);
    char number[REPORT_NUMBER];
    if (!profile->checks)
        return;
    report_newline(page);
    report_put(page, STYLE_BOLD, "checked");
    const char *separator = ": ";
    for (enum profile_check check = 0; check < PROFILE_CHECKS; check++)
        if (profile->checks & profile_check_bit(check)) {
            report_putf(page, STYLE_PLAIN, "%s%s", separator, profile_check_text[check]);
            separator = ", ";
        }
    report_put(page, STYLE_PLAIN, "; ");
    if (counts.defects)
        report_putf(page, STYLE_BAD, "%s %s", report_number(number, counts.defects),
                    counts.defects == 1 ? "finding" : "findings");
    else
        report_put(page, STYLE_GOOD, "nothing found");
    if (counts.notes)
        report_putf(page, STYLE_WARN, ", %s to note", report_number(number, counts.notes));
    if (counts.suppressed)
        report_putf(page, STYLE_PLAIN, ", %s suppressed", report_number(number, counts.suppressed));
    report_newline(page);
}
