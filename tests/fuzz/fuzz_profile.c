// Any bytes as a saved profile: it is refused with messages, or it is written as one that reads the
// same, shown in every form, compared with itself and held against nothing.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/against.h"
#include "report/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct profile *profile) {
    struct diag_list diags = {0};
    char *text = profile_to_json(profile);
    struct profile *again = profile_parse("<again>", text, strlen(text), &diags);
    char *second = again ? profile_to_json(again) : NULL;
    if (!second || strcmp(text, second) != 0)
        abort();
    profile_free(again);
    free(second);
    free(text);
    diag_free(&diags);
}

static void show(const struct profile *profile) {
    for (int format = 0; format < REPORT_FORMAT_COUNT; format++)
        for (int more = 0; more < 2; more++) {
            struct report_options options = {
                .verbose = more, .metrics = more, .color = more, .links = more};
            struct strbuf out = {0};
            report_write(profile, (enum report_format)format, &options, &out);
            strbuf_free(&out);
        }
    for (enum report_by by = REPORT_BY_LAUNCH; by <= REPORT_BY_ARRAY; by++) {
        struct strbuf out = {0};
        report_text(profile, &(struct report_options){.by = by, .width = 60}, &out);
        strbuf_free(&out);
    }
}

static void compare(const struct profile *profile) {
    struct strbuf out = {0};
    if (!diff_problem(profile, profile)) {
        struct diff *diff = diff_create(profile, profile);
        if (diff->counts[DIFF_WORSE] || diff->counts[DIFF_BETTER])
            abort();
        const struct diff_names names = {"<old>", "<new>"};
        diff_text(diff, &names, NULL, &out);
        diff_json(diff, &names, &out);
        diff_csv(diff, &out);
        diff_free(diff);
    }
    const ncu_launches none = {0};
    struct against *against = against_create(profile, &none);
    against_write_text(against, "<none>", &(struct report_options){0}, &out);
    against_free(against);
    strbuf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diag_list diags = {0};
    struct profile *profile = profile_parse("<fuzz>", (const char *)data, size, &diags);
    if (!profile == !diags.errors)
        abort();
    if (profile) {
        write_again(profile);
        show(profile);
        compare(profile);
    }
    profile_free(profile);
    diag_free(&diags);
    return 0;
}
