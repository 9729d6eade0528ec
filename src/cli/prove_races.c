// Races in shared memory: what was proved, kept as data and said as text.
#include <string.h>

#include "base/text.h"
#include "cli/prove.h"
#include "ptx/ptx.h"

enum { INDENT = 2, DEEPER = 4 };

// ---- Keeping --------------------------------------------------------------------------------

static const char *keep(struct arena *arena, const char *text) {
    return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

// Of a module that does not say what it was made of, in the PTX.
static void find_place(struct prove_report *report, const struct source *source,
                       const struct ir_function *function, uint32_t number,
                       struct prove_place *place) {
    const struct ir_instruction *instruction = &function->instructions[number];
    const struct ir_source_place at = ir_source_place(function, instruction->location);
    *place = (struct prove_place){keep(report->arena, at.file), at.line, at.column};
    if (at.file || source->name != report->name)
        return;
    place->file = keep(report->arena, source->name);
    source_position(source, instruction->ptx->range.begin, &place->line, &place->column);
}

void prove_fill_races(struct prove_report *report, const struct source *source,
                      const uint32_t block[3], const struct prove_races *found,
                      struct prove_proof *proof) {
    struct prove_race_rows *races = &proof->races;
    *races = (struct prove_race_rows){
        .freedom = found->freedom, .is_asked = found->has_shared, .why = found->why};
    if (found->function)
        find_place(report, source, found->function, found->instruction, &races->reason);
    for (int i = 0; i < 2; i++) {
        const struct prove_race_side *side = &found->sides[i];
        struct prove_race_row *row = &races->rows[i];
        if (!side->function)
            return;
        const struct ir_instruction *instruction = &side->function->instructions[side->instruction];
        find_place(report, source, side->function, side->instruction, &row->place);
        row->instruction = keep(report->arena, side->function->sites[instruction->site].text);
        row->is_write = side->is_write;
        row->thread[0] = side->thread % block[0];
        row->thread[1] = side->thread / block[0] % block[1];
        row->thread[2] = side->thread / block[0] / block[1];
        races->count++;
    }
}

static bool is_same_place(const struct prove_place *a, const struct prove_place *b) {
    return a->line == b->line && a->column == b->column && text_is_same(a->file, b->file);
}

bool prove_races_say_same(const struct prove_race_rows *a, const struct prove_race_rows *b) {
    bool is_same = a->is_asked == b->is_asked && a->freedom == b->freedom && a->count == b->count &&
                   text_is_same(a->why, b->why) && is_same_place(&a->reason, &b->reason);
    for (unsigned i = 0; is_same && i < a->count; i++)
        is_same = is_same_place(&a->rows[i].place, &b->rows[i].place) &&
                  !memcmp(a->rows[i].thread, b->rows[i].thread, sizeof a->rows[i].thread);
    return is_same;
}

// ---- Saying ---------------------------------------------------------------------------------

static void put_row(struct report_page *page, struct view_builder *builder,
                    const struct prove_race_row *row) {
    const struct prove_place *at = &row->place;
    struct strbuf text = {0};
    const struct view_place place = view_place_of(builder, at->file, at->line);
    text_place(&text, place);
    if (at->column)
        strbuf_printf(&text, ":%u", at->column);
    strbuf_printf(&text, ": thread (%u,%u,%u) %s, by %s", row->thread[0], row->thread[1],
                  row->thread[2], row->is_write ? "writes" : "reads", row->instruction);
    report_to(page, DEEPER);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    const char *quote = view_quote(builder, at->file, at->line);
    const size_t caret = view_caret(builder, at->file, at->line, at->column, quote);
    text_quote(page, DEEPER, place.line, quote, &caret, 1);
    strbuf_free(&text);
}

static void put_reason(struct report_page *page, struct view_builder *builder,
                       const struct prove_race_rows *races) {
    struct strbuf text = {0};
    strbuf_puts(&text, races->why);
    if (races->reason.line) {
        strbuf_puts(&text, ", ");
        text_place(&text, view_place_of(builder, races->reason.file, races->reason.line));
    }
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    strbuf_free(&text);
}

void prove_show_races(struct report_page *page, struct view_builder *builder,
                      const struct prove_race_rows *races) {
    if (!races->is_asked)
        return;
    report_to(page, INDENT);
    switch (races->freedom) {
    case PROVE_FREE:
        report_put(page, STYLE_GOOD, "free of races: ");
        report_put(page, STYLE_PLAIN, "proved for every block and input");
        break;
    case PROVE_RACE:
        report_put(page, STYLE_BOLD, "a race");
        report_put(page, STYLE_PLAIN, " in every block, for every input:");
        break;
    case PROVE_NOT_FREE:
        report_put(page, STYLE_WARN, "not proved free of races: ");
        put_reason(page, builder, races);
        break;
    }
    report_newline(page);
    for (unsigned i = 0; i < races->count; i++)
        put_row(page, builder, &races->rows[i]);
}
