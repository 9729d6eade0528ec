// Writers of profiles for people and for spreadsheets. They know the profile and nothing of the
// simulator; the JSON form is the profile room's own (profile_to_json).
#ifndef BANKRUN_REPORT_REPORT_H
#define BANKRUN_REPORT_REPORT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "profile/profile.h"

// What a text is about: each launch, with all its lines; or the lines, the kernels, or the shared
// arrays, of all launches together. As it fits: each launch while there are few of them.
enum report_by {
    REPORT_AS_FITS,
    REPORT_BY_LAUNCH,
    REPORT_BY_LINE,
    REPORT_BY_KERNEL,
    REPORT_BY_ARRAY
};

struct report_options {
    bool color;              // ANSI colours
    bool links;              // source lines of a text are links to their files (OSC 8)
    unsigned width;          // columns, 0: 100; at least 60 are used
    bool verbose;            // every line and launch, and each lane of the worst requests
    enum report_by by;       // of text
    unsigned top;            // of text: how many launches, or rows of a table; 0: what is usual
    bool metrics;            // of text: the figures that profilers have names for instead; of CSV:
                             // columns of them, too
    uint64_t allowed_excess; // of junit: wavefronts of a kernel, before it fails
    const char *source_root; // a folder: relative source paths start there, and paths below it are
                             // shown from there; NULL: the working directory, shown as they are
};

// The report for reading: plain text, no line longer than the width, no control characters from
// names or sources. Reads the source files that the profile names, to quote the lines; a file
// that cannot be read is simply not quoted. Appends to `out`. NULL options: all defaults.
void report_text(const struct profile *profile, const struct report_options *options,
                 struct strbuf *out);

// The figures that profilers have names for, old and new, of each launch; docs/metrics.md says what
// each counts.
void report_metrics(const struct profile *profile, struct strbuf *out);

// Those that are sums, by today's names, and what a site adds to each.
#define REPORT_METRIC_LIST(X)                                                                      \
    X(WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")                                \
    X(LOAD_WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                     \
    X(STORE_WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")                    \
    X(ATOMIC_WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")                 \
    X(LOAD_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")                  \
    X(STORE_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")                 \
    X(LOAD_INSTRUCTIONS, "smsp__inst_executed_op_shared_ld.sum")                                   \
    X(STORE_INSTRUCTIONS, "smsp__inst_executed_op_shared_st.sum")                                  \
    X(LOAD_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")                            \
    X(STORE_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")                           \
    X(LOAD_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")                              \
    X(STORE_SECTORS, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")

#define X(id, name) REPORT_##id,
enum report_metric { REPORT_METRIC_LIST(X) REPORT_METRICS };
#undef X
extern const char *const report_metric_names[REPORT_METRICS];
void report_metrics_of_site(const struct profile_site *site, uint64_t values[REPORT_METRICS]);
void report_metrics_of_launch(const struct profile_launch *launch, uint64_t values[REPORT_METRICS]);

// Whose accesses to shared memory are counted, where that is worth a line: by which compiler, or
// why as PTX has them, and which of these may be merged. Caller frees; NULL: it is not.
char *report_accesses(const struct profile *profile, const struct report_options *options);

// One row for each site of each launch, with a row of headings, quoted as RFC 4180 says. Where
// something was checked, report_csv_findings() behind that. has_metrics: with a column for each of
// report_metric_names, too.
void report_csv(const struct profile *profile, bool has_metrics, struct strbuf *out);
// An empty line and a table of its own: a row for each place of each finding.
void report_csv_findings(const struct profile *profile, struct strbuf *out);
// A field of such a table, quoted only where it must be; a NULL text is an empty one. The second
// puts a comma behind it.
void report_csv_field(struct strbuf *out, const char *text);
void report_csv_text(struct strbuf *out, const char *text);

// A page for browsers, in one file that loads nothing: ranked lines, sources, the worst requests on
// their banks. What the profile says is data to it, never markup.
void report_html(const struct profile *profile, const struct report_options *options,
                 struct strbuf *out);

// What is to be said, place by place: SARIF 2.1.0, workflow commands of GitHub Actions, JUnit's
// XML.
void report_sarif(const struct profile *profile, const struct report_options *options,
                  struct strbuf *out);
void report_github(const struct profile *profile, const struct report_options *options,
                   struct strbuf *out);
void report_gitlab(const struct profile *profile, const struct report_options *options,
                   struct strbuf *out);
void report_junit(const struct profile *profile, const struct report_options *options,
                  struct strbuf *out);
// The counts by file, kernel and line, as Cachegrind writes its own.
void report_cachegrind(const struct profile *profile, const struct report_options *options,
                       struct strbuf *out);

// ---- All forms of a report (formats.c) -----------------------------------------------------

// The name that --format takes, and the function that writes it.
#define REPORT_FORMATS(X)                                                                          \
    X(TEXT, "text", write_text)                                                                    \
    X(JSON, "json", write_json)                                                                    \
    X(CSV, "csv", write_csv)                                                                       \
    X(HTML, "html", report_html)                                                                   \
    X(SARIF, "sarif", report_sarif)                                                                \
    X(GITHUB, "github", report_github)                                                             \
    X(GITLAB, "gitlab", report_gitlab)                                                             \
    X(JUNIT, "junit", report_junit)                                                                \
    X(CACHEGRIND, "cachegrind", report_cachegrind)

#define X(id, name, write) REPORT_##id,
enum report_format { REPORT_FORMATS(X) REPORT_FORMAT_COUNT };
#undef X

// Appends to `out`. Options that a form has no use for are ignored; NULL: all defaults.
void report_write(const struct profile *profile, enum report_format format,
                  const struct report_options *options, struct strbuf *out);

#endif
