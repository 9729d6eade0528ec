// What checkers found, with the source lines that it is about.
#include "report/build.h"

struct view_findings view_findings_of(struct view_builder *builder,
                                      const struct profile_findings *findings) {
    struct view_findings all = {
        .data = ARENA_ARRAY(builder->arena, struct view_finding, findings->count + 1),
        .count = findings->count};
    for (size_t i = 0; i < findings->count; i++) {
        const struct profile_finding *finding = &findings->list[i];
        all.data[i].finding = finding;
        for (size_t p = 0; p < finding->place_count; p++) {
            const struct profile_place *place = &finding->places[p];
            struct view_finding_place *shown = &all.data[i].places[p];
            shown->place = place;
            shown->at = view_place_of(builder, place->file, place->line);
            shown->quote = view_quote(builder, place->file, place->line);
            shown->caret =
                view_caret(builder, place->file, place->line, place->column, shown->quote);
        }
    }
    return all;
}
