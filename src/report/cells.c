// Figures of tables, with how loud they are.
#include "report/build.h"

const char *const view_columns[SITE_SPACES][VIEW_CELLS] = {
    [SITE_SHARED] = {"requests", "wavefronts", "ideal", "excess"},
    [SITE_GLOBAL] = {"requests", "sectors", "ideal", "efficient"},
};

enum report_style view_excess_style(uint64_t excess, uint64_t units) {
    if (excess == 0)
        return STYLE_GOOD;
    return excess * 10 >= units ? STYLE_BAD : STYLE_WARN;
}

// Under half of what was moved was asked for.
static enum report_style efficiency_style(const struct profile_counts *counts) {
    if (counts->units <= counts->ideal)
        return STYLE_GOOD;
    return counts->ideal * 2 < counts->units ? STYLE_BAD : STYLE_WARN;
}

void view_fill_cells(struct view_cell cells[VIEW_CELLS], enum site_space space,
                     const struct profile_counts *counts, bool is_about, uint64_t all_units) {
    uint64_t excess = profile_excess_of(counts);
    cells[0] = (struct view_cell){.value = counts->requests};
    cells[1] = (struct view_cell){.value = counts->units, .is_about = is_about};
    cells[2] = (struct view_cell){.value = counts->ideal};
    if (space == SITE_SHARED)
        cells[3] = (struct view_cell){
            .value = excess, .is_about = is_about, .style = view_excess_style(excess, all_units)};
    else
        cells[3] = (struct view_cell){.unit = VIEW_PERCENT,
                                      .value = counts->ideal,
                                      .whole = counts->units,
                                      .style = efficiency_style(counts)};
}
