// How a view is made, and what others need who quote source lines on a page.
#ifndef BANKRUN_REPORT_BUILD_H
#define BANKRUN_REPORT_BUILD_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "report/view.h"

struct view_source { // a source file that was looked for
    char *name;
    char *text; // NULL: it could not be read
    const char **lines;
    size_t line_count;
};

struct view_builder {
    struct arena *arena;
    const struct profile *profile; // whose own quotes come first; NULL: none
    const char *source_root;       // NULL: none
    VEC(struct view_source) sources;
};

const char *view_take(struct view_builder *builder, struct strbuf *text); // into the arena

// source.c: the text of a source line; NULL when it cannot be read.
const char *view_quote(struct view_builder *builder, const char *file, uint32_t line);
// All of the line, *length bytes; borrowed from the builder.
const char *view_source_line(struct view_builder *builder, const char *file, uint32_t line,
                             size_t *length);
// The byte of the quote that `column` (from 1 on, 0: unknown) of the line is; or VIEW_NO_CARET.
size_t view_caret(struct view_builder *builder, const char *file, uint32_t line, uint32_t column,
                  const char *quote);
void view_free_sources(struct view_builder *builder);

// cells.c
// How loud an excess is where all took `units`.
enum report_style view_excess_style(uint64_t excess, uint64_t units);
// all_units: of the launch.
void view_fill_cells(struct view_cell cells[VIEW_CELLS], enum site_space space,
                     const struct profile_counts *counts, bool is_about, uint64_t all_units);

// findings.c
struct view_findings view_findings_of(struct view_builder *builder,
                                      const struct profile_findings *findings);

// lines.c: a place as it is shown.
struct view_place view_place_of(const struct view_builder *builder, const char *file,
                                uint32_t line);
// "ld.shared.f32 from tile"
const char *view_access(struct view_builder *builder, const struct profile_site *site);
// The lines of one space with an excess, or without.
struct view_lines view_lines_of(struct view_builder *builder, const struct view_launch *launch,
                                enum site_space space, bool with_excess);

// worst.c, where the launches are filled; kernels.c.
void view_fill_worst(struct view_builder *builder, struct report_view *view);
// fold.c
void view_fold(struct report_view *view);

// pictures.c: NULL when there is nothing to draw.
struct view_banks *view_banks_of(struct view_builder *builder, unsigned arch,
                                 const struct profile_site *site);

// launch.c: all but the launches that are alike.
void view_fill_launch(struct view_builder *builder, struct view_launch *launch, bool is_counted);

// kernels.c
void view_fill_kernels(struct view_builder *builder, struct report_view *view);

#endif
