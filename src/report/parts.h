// The parts of the text report, in the order in which they appear.
#ifndef BANKRUN_REPORT_PARTS_H
#define BANKRUN_REPORT_PARTS_H

#include "report/page.h"

// Launches of one kernel that counted the same, one after the other or not: shown once.
struct report_launches {
    const struct profile_launch *first;
    uint32_t last_index;
    uint64_t count;
    struct profile_counts shared, global; // of one launch, over all operations
};

// A rule across the page with a title in it, and a note at its right end.
void report_rule(struct report_page *page, const char *title, const char *note);

// Which kernel, how it was launched, its fault, and the verdict in one line.
void report_launch_heading(struct report_page *page, const struct report_launches *run,
                           uint64_t all_launches);

// The shared-memory lines: those that conflict one by one, the others in a table.
void report_shared(struct report_page *page, const struct report_launches *run);

// The lanes of a site's worst request on their banks. Nothing when the page is too narrow or the
// architecture has no model.
void report_picture(struct report_page *page, size_t indent, const struct profile_site *site);

// The global-memory lines that move more sectors than they need.
void report_global(struct report_page *page, const struct report_launches *run);

// No shared memory, and no sector in vain: the verdict is all there is to say.
bool report_has_nothing_to_win(const struct report_launches *run);

// Sums by operation.
void report_totals(struct report_page *page, const struct report_launches *run);

// How sure the rules of its shared-memory accesses are.
void report_certainties(struct report_page *page, const struct report_launches *run);

// Sums over all launches by kernel.
void report_summary(struct report_page *page, const struct profile *profile);

// ---- Shared by the parts ------------------------------------------------------------------

// Consecutive sites of one source line; each site without a line is its own group.
struct report_line {
    const struct profile_site *sites;
    size_t count;
    uint64_t excess; // wavefronts or sectors beyond the ideal
};
struct report_lines {
    struct report_line *data;
    size_t length, capacity;
};

// The lines of one space with (or without) excess; those with most excess first, then as sorted
// in the profile. Caller frees ->data.
struct report_lines report_lines_of(const struct profile_launch *launch, enum site_space space,
                                    bool with_excess);

uint64_t report_excess(const struct profile_counts *counts);

// How loud an excess is on a launch that took `units` in all.
enum report_style report_excess_style(uint64_t excess, uint64_t units);

// "transpose.cu:33", "at no known line". Appends.
void report_place(struct strbuf *out, const struct report_page *page, const char *file,
                  uint32_t line);

// "ld.shared.f32 from tile", "st.shared.f32 to tile", "atom.shared.add.u32 on counts". Appends.
void report_access(struct strbuf *out, const struct profile_site *site);

// The site's column behind `before`, only where the line has the same access in another. Appends.
void report_column(struct strbuf *out, const char *before, const struct report_line *line,
                   const struct profile_site *site);

// "transpose.cu:28  st.shared.f32 to tile", for a row of a table. Appends.
void report_site_label(struct strbuf *out, const struct report_page *page,
                       const struct report_line *line, const struct profile_site *site);

// The source line as "   33 |  text". Nothing when the file cannot be read.
void report_quote(struct report_page *page, size_t indent, const char *file, uint32_t line);

#endif
