// The forms that a report can take: each its row of REPORT_FORMATS, and a function here.
#include <assert.h>
#include <stdlib.h>

#include "report/report.h"

static void write_text(const struct profile *profile, const struct report_options *options,
                       struct strbuf *out) {
    if (options && options->metrics)
        report_metrics(profile, out);
    else
        report_text(profile, options, out);
}

static void write_json(const struct profile *profile, const struct report_options *options,
                       struct strbuf *out) {
    char *json = profile_to_json(profile);
    (void)options;
    strbuf_puts(out, json);
    free(json);
}

static void write_csv(const struct profile *profile, const struct report_options *options,
                      struct strbuf *out) {
    report_csv(profile, options && options->metrics, out);
}

void report_write(const struct profile *profile, enum report_format format,
                  const struct report_options *options, struct strbuf *out) {
    static void (*const writers[])(const struct profile *, const struct report_options *,
                                   struct strbuf *) = {
#define X(id, name, write) [REPORT_##id] = write,
        REPORT_FORMATS(X)
#undef X
    };
    assert(format < REPORT_FORMAT_COUNT);
    writers[format](profile, options, out);
}
