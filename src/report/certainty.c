// How sure the bank rules of a launch are.
#include <string.h>

#include "report/parts.h"

// Was an earlier site of the same instruction named already?
static bool is_named(const struct profile_launch *launch, size_t before) {
    for (size_t i = 0; i < before; i++) {
        if (launch->sites[i].space == SITE_SHARED &&
            !strcmp(launch->sites[i].instruction, launch->sites[before].instruction)) {
            return true;
        }
    }
    return false;
}

static void put_class(struct report_page *page, const struct profile_launch *launch,
                      enum bankrun_certainty certainty, bool *has_heading) {
    struct strbuf text = {0};
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *site = &launch->sites[i];
        if (site->space != SITE_SHARED || profile_certainty(page->arch, site) != certainty ||
            is_named(launch, i)) {
            continue;
        }
        strbuf_puts(&text, text.length ? ", " : "");
        strbuf_puts(&text, site->instruction);
    }
    if (text.length > 0) {
        if (!*has_heading) {
            report_newline(page);
            report_to(page, 2);
            report_put(page, STYLE_DIM, "bank rules");
            report_newline(page);
        }
        *has_heading = true;
        report_to(page, 4);
        report_put(page, STYLE_PLAIN, bankrun_certainty_text(certainty));
        report_to(page, 16);
        report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
        report_newline(page);
    }
    strbuf_free(&text);
}

void report_certainties(struct report_page *page, const struct report_launches *run) {
    bool has_heading = false;
    for (int c = BANKRUN_MEASURED; c <= BANKRUN_UNKNOWN; c++) {
        put_class(page, run->first, (enum bankrun_certainty)c, &has_heading);
    }
}
