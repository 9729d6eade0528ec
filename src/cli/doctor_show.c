// What bankrun doctor found, as text and as JSON (schema bankrun-doctor/1).
#include <stdlib.h>

#include "cli/doctor.h"
#include "cli/environment.h"
#include "profile/json_make.h"
#include "report/text.h"

enum { NAME_COLUMN = 11, FOUND_COLUMN = 25 };

static const struct {
    const char *word;
    enum report_style style;
} states[] = {[DOCTOR_OK] = {"ok", STYLE_GOOD},
              [DOCTOR_LIMITED] = {"limited", STYLE_WARN},
              [DOCTOR_MISSING] = {"missing", STYLE_BAD}};

static void put_words(struct report_page *page, enum report_style style, const char *words) {
    if (!words)
        return;
    report_to(page, FOUND_COLUMN);
    report_wrap(page, style, words);
    report_newline(page);
}

void doctor_write_text(const struct doctor *doctor, bool has_color, unsigned width,
                       struct strbuf *out) {
    struct report_page page;
    struct strbuf own = {0};
    environment_own_folder(&own);
    report_page_begin(&page, out, has_color, width, 0);
    report_putf(&page, STYLE_BOLD, "bankrun %s in %s", BANKRUN_VERSION, strbuf_string(&own));
    report_newline(&page);
    report_newline(&page);
    for (size_t i = 0; i < doctor->rows.length; i++) {
        const struct doctor_row *row = &doctor->rows.data[i];
        report_to(&page, 2);
        report_put(&page, states[row->state].style, states[row->state].word);
        report_to(&page, NAME_COLUMN);
        report_put(&page, STYLE_PLAIN, row->name);
        put_words(&page, STYLE_PLAIN, row->found);
        put_words(&page, STYLE_PLAIN, row->lacks);
        put_words(&page, STYLE_BOLD, row->cure);
    }
    report_newline(&page);
    report_put(&page, STYLE_PLAIN,
               doctor_has(doctor, DOCTOR_MISSING)   ? "Programs cannot be compiled and run yet."
               : doctor_has(doctor, DOCTOR_LIMITED) ? "Programs can be compiled and run. What is "
                                                      "limited they do not need."
                                                    : "Programs can be compiled and run.");
    report_newline(&page);
    strbuf_free(&own);
}

void doctor_write_json(const struct doctor *doctor, struct strbuf *out) {
    json_t *root = json_object(), *checks = json_array();
    struct strbuf own = {0};
    environment_own_folder(&own);
    for (size_t i = 0; i < doctor->rows.length; i++) {
        const struct doctor_row *row = &doctor->rows.data[i];
        json_t *check = json_object();
        set(check, "name", json_string(row->name));
        set(check, "state", json_string(states[row->state].word));
        set(check, "found", text(row->found));
        set(check, "lacks", text(row->lacks));
        set(check, "cure", text(row->cure));
        append(checks, check);
    }
    set(root, "schema", json_string("bankrun-doctor/1"));
    set(root, "bankrun", json_string(BANKRUN_VERSION));
    set(root, "folder", text(strbuf_string(&own)));
    set(root, "is_ready", json_boolean(!doctor_has(doctor, DOCTOR_MISSING)));
    set(root, "checks", checks);
    profile_put_json(out, root, JSON_PRESERVE_ORDER);
    strbuf_free(&own);
}
