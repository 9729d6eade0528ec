// Inside the report: the parts of the text, in the order in which they appear.
#ifndef BANKRUN_REPORT_TEXT_H
#define BANKRUN_REPORT_TEXT_H

#include "report/page.h"
#include "report/view.h"

// A rule across the page with a title in it, and a note at its right end.
void text_rule(struct report_page *page, const char *title, const char *note);

// Which kernel, how it was launched, its fault, and the verdict in one line.
void text_heading(struct report_page *page, const struct view_launch *launch,
                  const struct profile *profile);

// The shared-memory lines: those that conflict one by one, the others in a table. is_verbose: all
// of them, here and below.
void text_shared(struct report_page *page, const struct view_launch *launch, bool is_verbose);
// text_safety.c: whether accesses to shared memory leave their arrays, or race; where neither is
// wrong it is said to those alone who want all.
void text_safety(struct report_page *page, const struct view_launch *launch, bool is_verbose);

// One line that conflicts. `said`: the help that was given above, and becomes this one's; NULL:
// none was.
void text_conflict(struct report_page *page, const struct view_line *line,
                   const struct view_launch *launch, bool is_verbose, const char **said);

// The lanes of a site's worst request on their banks, by word. Nothing when the page is too narrow.
// is_verbose: each lane, too.
void text_banks(struct report_page *page, size_t indent, const struct view_site *site,
                bool is_verbose);

// A request on its banks, by wavefront, and which lanes collide or share a word.
void text_wavefronts(struct report_page *page, unsigned arch,
                     const struct bankrun_request *request);

// The global-memory lines that move more sectors than they need.
void text_global(struct report_page *page, const struct view_launch *launch, bool is_verbose);

// Sums by operation.
// What the launch stands for: those that differ in size only. Nothing, if there are none.
void text_smaller(struct report_page *page, const struct view_launch *launch);
void text_totals(struct report_page *page, const struct view_launch *launch, bool is_verbose);

// How sure the rules of its shared-memory accesses are.
void text_rules(struct report_page *page, const struct view_launch *launch);

// Launches that were refused, and what else the profile lacks. Nothing where there is none of it.
void text_failures(struct report_page *page, const struct profile *profile, bool is_verbose);

// What checkers found in a launch, and in what the host does; at the end which looked on.
void text_findings(struct report_page *page, const struct view_findings *findings, bool is_verbose);
void text_host_findings(struct report_page *page, const struct report_view *view, bool is_verbose);
void text_checked(struct report_page *page, const struct profile *profile);

// Over all launches: tables of the lines and of the kernels with most excess, at most `most` rows;
// the worst of these lines, which must be there, as the report of its launch shows it.
void text_worst(struct report_page *page, const struct report_view *view, size_t most,
                bool is_verbose);
void text_worst_line(struct report_page *page, const struct report_view *view, bool is_verbose);
void text_table(struct report_page *page, const struct view_table *table, size_t most,
                bool is_verbose);
void text_kernels(struct report_page *page, const struct report_view *view, size_t most,
                  bool is_verbose);

// The commands to copy: what shows the worst request, what edits the source.
void text_next(struct report_page *page, const struct profile *profile);

// ---- Told once (text_alike.c) ------------------------------------------------------------------

// Of how many lines from number `first` on, that one among them, the same is to be said.
size_t text_lines_alike(const struct view_lines *lines, size_t first);
// "lines 24 and 26-28: each as much, in the same way", of all but the first. Caller frees.
char *text_alike_lines(const struct view_lines *lines, size_t first, size_t count);

// ---- Shared by the parts ------------------------------------------------------------------

// "~1,234", "32 %", "1.5". Returns the buffer.
const char *text_cell(char buffer[REPORT_NUMBER + 1], const struct view_cell *cell);

void text_row(struct report_page *page, size_t indent, const char *label,
              const struct view_cell cells[VIEW_CELLS]);
void text_columns(struct report_page *page, size_t indent, const char *label,
                  const char *const columns[VIEW_CELLS]);

// "transpose.cu:33", "no known line". Appends.
void text_place(struct strbuf *out, struct view_place place);

// The source line as "   33 |  text", its number ending 6 columns past `indent`, and a caret under
// each of these bytes, of which VIEW_NO_CARET is none. Nothing of a NULL.
void text_quote(struct report_page *page, size_t indent, uint32_t line, const char *quote,
                const size_t *carets, size_t count);

// Headings name a kernel with its parameters, if so many columns have the room; elsewhere it is
// named without. Caller frees.
char *text_name_in(const char *kernel, size_t columns);
char *text_kernel_label(const char *kernel);

// "... and 3 more lines (--verbose shows all)"; `more` is put behind "lines".
void text_rest(struct report_page *page, size_t indent, size_t count, const char *noun,
               const char *more);

#endif
