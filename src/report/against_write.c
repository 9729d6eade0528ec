// A profile beside a profiler's counts: text, CSV and JSON (schema bankrun-against/1).
#include <stdlib.h>
#include <string.h>

#include "profile/json_make.h"
#include "report/against.h"
#include "report/text.h"

static bool is_shown(const struct against_sum *sum) {
    return sum->is_there && (sum->here || sum->there);
}

static void put_sum(struct report_page *page, const char *label, const struct against_sum *sum) {
    char here[REPORT_NUMBER], there[REPORT_NUMBER], more[REPORT_NUMBER + 1];
    const bool is_less = sum->there < sum->here;
    const enum report_style style = sum->reason == AGAINST_EQUAL ? STYLE_GOOD : STYLE_WARN;
    more[0] = is_less ? '-' : '+';
    report_number(more + (sum->reason != AGAINST_EQUAL),
                  is_less ? sum->here - sum->there : sum->there - sum->here);
    const struct report_cell cells[REPORT_CELLS] = {{STYLE_PLAIN, report_number(here, sum->here)},
                                                    {STYLE_PLAIN, report_number(there, sum->there)},
                                                    {style, more}};
    report_row(page, 4, STYLE_PLAIN, label, cells);
    if (against_reason_text[sum->reason]) {
        report_to(page, 6);
        report_wrap(page, STYLE_DIM, against_reason_text[sum->reason]);
        report_newline(page);
    }
}

static void put_kernel(struct report_page *page, const struct against_kernel *kernel) {
    static const struct report_cell columns[REPORT_CELLS] = {
        {STYLE_DIM, "bankrun"}, {STYLE_DIM, "GPU"}, {STYLE_DIM, "more there"}};
    char number[REPORT_NUMBER], note[REPORT_NUMBER + 16];
    bool has_any = false;
    snprintf(note, sizeof note, "%s launch%s", report_number(number, kernel->launches),
             kernel->launches == 1 ? "" : "es");
    report_newline(page);
    text_rule(page, kernel->name, note);
    report_row(page, 4, STYLE_DIM, "", columns);
    for (int what = 0; what < NCU_HELD; what++)
        if (is_shown(&kernel->sums[what])) {
            put_sum(page, against_text[what], &kernel->sums[what]);
            has_any = true;
        }
    if (!has_any) {
        report_to(page, 4);
        report_put(page, STYLE_PLAIN, "zero on both sides");
        report_newline(page);
    }
}

static void put_left(struct report_page *page, const struct against *against) {
    char number[REPORT_NUMBER];
    if (against->only_here) {
        report_putf(page, STYLE_DIM, "%s more launch%s of these kernels in the profile alone",
                    report_number(number, against->only_here), against->only_here == 1 ? "" : "es");
        report_newline(page);
    }
    if (against->only_there) {
        report_putf(page, STYLE_WARN, "%s launch%s of the GPU not in the profile, first: ",
                    report_number(number, against->only_there),
                    against->only_there == 1 ? "" : "es");
        report_wrap(page, STYLE_WARN, against->first_there);
        report_newline(page);
    }
}

static uint64_t largest_of(const struct against *against) {
    uint64_t largest = 0;
    for (size_t k = 0; k < against->count; k++)
        for (int what = 0; what < NCU_HELD; what++) {
            const struct against_sum *sum = &against->kernels[k].sums[what];
            largest = sum->here > largest ? sum->here : largest;
            largest = sum->there > largest ? sum->there : largest;
        }
    return largest;
}

void against_write_text(const struct against *against, const char *export,
                        const struct report_options *options, struct strbuf *out) {
    struct report_page page;
    report_page_begin(&page, out, options->color, options->width, largest_of(against));
    report_put(&page, STYLE_BOLD, "bankrun");
    report_putf(&page, STYLE_PLAIN, " on sm_%u%s against %s", against->profile->arch,
                against->profile->is_as_compiled ? " as compiled" : " as written", export);
    report_newline(&page);
    for (size_t k = 0; k < against->count; k++)
        put_kernel(&page, &against->kernels[k]);
    report_newline(&page);
    report_putf(&page, STYLE_PLAIN, "%llu of %llu sums agree.", (unsigned long long)against->agreed,
                (unsigned long long)against->held);
    report_newline(&page);
    put_left(&page, against);
}

void against_write_csv(const struct against *against, struct strbuf *out) {
    strbuf_puts(out, "kernel,launches,what,bankrun,gpu,reason\n");
    for (size_t k = 0; k < against->count; k++)
        for (int what = 0; what < NCU_HELD; what++) {
            const struct against_kernel *kernel = &against->kernels[k];
            const struct against_sum *sum = &kernel->sums[what];
            if (!sum->is_there)
                continue;
            report_csv_text(out, kernel->name);
            strbuf_printf(out, "%llu,", (unsigned long long)kernel->launches);
            report_csv_text(out, against_text[what]);
            strbuf_printf(out, "%llu,%llu,%s\n", (unsigned long long)sum->here,
                          (unsigned long long)sum->there, against_reason_key[sum->reason]);
        }
}

static json_t *kernel_of(const struct against_kernel *kernel) {
    json_t *object = json_object(), *sums = json_array();
    set(object, "kernel", text(kernel->name));
    set(object, "launches", number(kernel->launches));
    for (int what = 0; what < NCU_HELD; what++) {
        const struct against_sum *sum = &kernel->sums[what];
        if (!sum->is_there)
            continue;
        json_t *one = json_object();
        set(one, "what", text(against_text[what]));
        set(one, "bankrun", number(sum->here));
        set(one, "gpu", number(sum->there));
        set(one, "reason", text(against_reason_key[sum->reason]));
        append(sums, one);
    }
    set(object, "sums", sums);
    return object;
}

void against_write_json(const struct against *against, const char *export, struct strbuf *out) {
    json_t *root = json_object(), *kernels = json_array();
    for (size_t k = 0; k < against->count; k++)
        append(kernels, kernel_of(&against->kernels[k]));
    set(root, "schema", json_string("bankrun-against/1"));
    set(root, "export", text(export));
    set(root, "as_compiled", json_boolean(against->profile->is_as_compiled));
    set(root, "held", number(against->held));
    set(root, "agreed", number(against->agreed));
    set(root, "only_here", number(against->only_here));
    set(root, "only_there", number(against->only_there));
    set(root, "kernels", kernels);
    profile_put_json(out, root, JSON_PRESERVE_ORDER);
}
