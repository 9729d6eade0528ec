// One launch, or several that are alike: its verdict, lines, totals, and how sure its rules are.
#include <string.h>

#include "base/map.h"
#include "profile/cost.h"
#include "report/build.h"

static bool has_estimate(const struct profile_launch *launch, int op) { // op < 0: of any
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *site = &launch->sites[i];
        if (site->space == SITE_SHARED && (op < 0 || (int)site->op == op) && site->is_estimate)
            return true;
    }
    return false;
}

static enum view_verdict verdict_of(const struct view_launch *launch) {
    const struct profile_counts *shared = &launch->sums[SITE_SHARED];
    const struct profile_counts *global = &launch->sums[SITE_GLOBAL];
    if (shared->requests > 0)
        return profile_excess_of(shared) > 0 ? VIEW_CONFLICTS : VIEW_NO_CONFLICT;
    if (profile_excess_of(global) > 0)
        return VIEW_ONLY_GLOBAL;
    return global->requests > 0 ? VIEW_ONLY_EFFICIENT : VIEW_NO_ACCESS;
}

static struct view_table totals_of(struct view_builder *builder, const struct view_launch *launch,
                                   enum site_space space) {
    static const char *const spaces[SITE_SPACES] = {
        [SITE_SHARED] = "shared memory",
        [SITE_GLOBAL] = "global memory",
    };
    static const char *const ops[PROFILE_OPS] = {
        [PROFILE_LOAD] = "loads",
        [PROFILE_STORE] = "stores",
        [PROFILE_ATOMIC] = "atomics",
        [PROFILE_MATRIX_LOAD] = "matrix loads",
        [PROFILE_MATRIX_STORE] = "matrix stores",
        [PROFILE_ASYNC_COPY] = "asynchronous copies",
    };
    struct view_table table = {.label = spaces[space],
                               .rows = ARENA_ARRAY(builder->arena, struct view_row, PROFILE_OPS)};
    memcpy(table.columns, view_columns[space], sizeof table.columns);
    for (int op = 0; op < PROFILE_OPS; op++) {
        const struct profile_counts *counts = &launch->launch->totals[space][op];
        if (counts->requests == 0)
            continue;
        struct view_row *row = &table.rows[table.count++];
        row->label = ops[op];
        view_fill_cells(row->cells, space, counts,
                        space == SITE_SHARED ? has_estimate(launch->launch, op)
                                             : launch->launch->blocks.is_sectors_estimate,
                        launch->sums[SITE_SHARED].units);
    }
    return table;
}

static void fill_rules(struct view_builder *builder, struct view_launch *launch) {
    struct strbuf texts[BANKRUN_UNKNOWN + 1] = {0};
    struct map named[BANKRUN_UNKNOWN + 1] = {0};
    for (size_t i = 0; i < launch->launch->site_count; i++) {
        const struct profile_site *site = &launch->launch->sites[i];
        if (site->space != SITE_SHARED)
            continue;
        enum bankrun_certainty certainty = profile_certainty(launch->arch, site);
        if (map_get_string(&named[certainty], site->instruction))
            continue;
        map_put(&named[certainty], site->instruction, strlen(site->instruction), launch);
        strbuf_puts(&texts[certainty], texts[certainty].length ? ", " : "");
        strbuf_puts(&texts[certainty], site->instruction);
    }
    for (int c = BANKRUN_MEASURED; c <= BANKRUN_UNKNOWN; c++) {
        launch->rules[c] = texts[c].length ? view_take(builder, &texts[c]) : NULL;
        map_free(&named[c]);
    }
}

static void fill_worth(struct view_launch *launch) {
    struct profile_cost cost;
    if (!profile_cost_of(launch->arch, launch->launch, &cost))
        return;
    const double gain = profile_cost_gain(&cost, cost.excess);
    launch->worth = (struct view_worth){.machine = cost.machine->name,
                                        .bottleneck = cost_bound_text[cost.time.bottleneck],
                                        .gain = gain,
                                        .is_worth = cost_is_worth(gain)};
    for (size_t i = 0; i < launch->conflicts.count; i++) {
        struct view_line *line = &launch->conflicts.data[i];
        line->gain = profile_cost_gain(&cost, line->excess);
        line->is_worth = cost_is_worth(line->gain);
    }
}

void view_fill_launch(struct view_builder *builder, struct view_launch *launch, bool is_counted) {
    const struct profile_counts *shared = &launch->sums[SITE_SHARED];
    launch->verdict = is_counted ? verdict_of(launch) : VIEW_UNCOUNTED;
    launch->is_about = launch->launch->is_sample || launch->launch->blocks.has_partial_input ||
                       has_estimate(launch->launch, -1);
    launch->excess =
        (struct view_cell){.unit = VIEW_PERCENT,
                           .value = profile_excess_of(shared),
                           .whole = shared->units,
                           .style = view_excess_style(profile_excess_of(shared), shared->units)};
    launch->conflicts = view_lines_of(builder, launch, SITE_SHARED, true);
    fill_worth(launch);
    launch->clean = view_lines_of(builder, launch, SITE_SHARED, false);
    launch->wasteful = view_lines_of(builder, launch, SITE_GLOBAL, true);
    for (int space = 0; space < SITE_SPACES; space++)
        launch->totals[space] = totals_of(builder, launch, (enum site_space)space);
    fill_rules(builder, launch);
    launch->findings = view_findings_of(builder, &launch->launch->findings);
}
