// The answers of bankrun layout as text.
#include <string.h>

#include "cli/explain.h"
#include "cli/layout.h"
#include "report/text.h"

// Ends the line and empties the text.
static void put_text(struct report_page *page, size_t indent, enum report_style style,
                     struct strbuf *text) {
    report_to(page, indent);
    report_wrap(page, style, strbuf_string(text));
    report_newline(page);
    strbuf_free(text);
}

static void put_row(struct report_page *page, const char *label, const struct fix_cost *cost) {
    char numbers[4][REPORT_NUMBER];
    const uint64_t excess = cost->wavefronts - cost->ideal;
    const enum report_style style = excess ? STYLE_BAD : STYLE_PLAIN;
    report_row(page, 4, STYLE_PLAIN, label,
               (struct report_cell[REPORT_CELLS]){
                   {STYLE_PLAIN, report_number(numbers[0], cost->requests)},
                   {STYLE_PLAIN, report_number(numbers[1], cost->wavefronts)},
                   {STYLE_PLAIN, report_number(numbers[2], cost->ideal)},
                   {style, report_number(numbers[3], excess)}});
}

static void put_heading(struct report_page *page, const char *label,
                        const char *const cells[REPORT_CELLS]) {
    struct report_cell row[REPORT_CELLS];
    for (unsigned i = 0; i < REPORT_CELLS; i++)
        row[i] = (struct report_cell){STYLE_DIM, cells[i]};
    report_row(page, 2, STYLE_DIM, label, row);
}

static void put_accesses(struct report_page *page, const struct layout_question *question,
                         const struct layout_result *result) {
    static const char *const cells[] = {"requests", "wavefronts", "ideal", "excess"};
    put_heading(page, "accesses, as the array is", cells);
    for (size_t i = 0; i < question->accesses.length; i++) {
        const struct layout_access *access = &question->accesses.data[i];
        struct strbuf label = {0};
        strbuf_printf(&label, "%s  %s", access->expression, layout_access_text(access));
        put_row(page, strbuf_string(&label), &result->answers.data[0].sites[i]);
        strbuf_free(&label);
    }
    report_newline(page);
}

// What is written: the declaration where that changed alone, else the index.
static void add_name(struct strbuf *out, const struct layout_question *question,
                     const struct fix_layout *layout) {
    layout_index(question, layout, out);
    if (out->length == 0)
        layout_declaration(question, layout, out);
}

static unsigned blocks_of(const struct layout_question *question, unsigned arch, uint64_t bytes) {
    const uint32_t *block = question->launch.block;
    return bankrun_occupancy(bankrun_limits_of(explain_plain_arch(arch)),
                             block[0] * block[1] * block[2], 0, (unsigned)bytes);
}

static void put_layouts(struct report_page *page, const struct layout_question *question,
                        const struct layout_result *result) {
    static const char *const cells[] = {"wavefronts", "excess", "bytes", "blocks/SM"};
    put_heading(page, "layouts", cells);
    for (size_t i = 0; i < result->answers.length; i++) {
        const struct fix_answer *answer = &result->answers.data[i];
        const uint64_t excess = answer->total.wavefronts - answer->total.ideal;
        char numbers[4][REPORT_NUMBER];
        struct strbuf name = {0};
        add_name(&name, question, &answer->layout);
        report_row(page, 4, STYLE_PLAIN, strbuf_string(&name),
                   (struct report_cell[REPORT_CELLS]){
                       {STYLE_PLAIN, report_number(numbers[0], answer->total.wavefronts)},
                       {excess ? STYLE_BAD : STYLE_GOOD, report_number(numbers[1], excess)},
                       {STYLE_PLAIN, report_number(numbers[2], answer->bytes)},
                       {STYLE_PLAIN, report_number(numbers[3], blocks_of(question, result->arch,
                                                                         answer->bytes))}});
        strbuf_free(&name);
    }
    report_newline(page);
}

// What to paste for a layout: the declaration, and the index where that changes, too.
static void put_paste(struct report_page *page, const struct layout_question *question,
                      const struct fix_layout *layout) {
    struct strbuf text = {0};
    strbuf_puts(&text, "__shared__ ");
    layout_declaration(question, layout, &text);
    strbuf_puts(&text, ";");
    put_text(page, 4, STYLE_PLAIN, &text);
    layout_index(question, layout, &text);
    if (text.length) {
        struct strbuf swizzle = {0};
        layout_swizzle(question, layout, &swizzle);
        if (swizzle.length)
            strbuf_printf(&text, "  // %s", strbuf_string(&swizzle));
        strbuf_free(&swizzle);
        put_text(page, 4, STYLE_PLAIN, &text);
    }
    strbuf_free(&text);
}

// Why no layout helps, as far as the requests tell, and what does instead.
static void add_reason(struct strbuf *out, const struct layout_question *question) {
    bool has_atomic = false;
    unsigned widest = 0;
    for (size_t i = 0; i < question->requests.length; i++) {
        const struct fix_request *request = &question->requests.data[i];
        has_atomic |= fix_is_atomic(request);
        widest = request->banks.width > widest ? request->banks.width : widest;
    }
    if (widest < question->shape.element_bytes)
        strbuf_printf(
            out,
            "its elements are %llu bytes apart, of which a lane takes %u; an array of its "
            "own for each member would put them side by side",
            (unsigned long long)question->shape.element_bytes, widest);
    else if (has_atomic)
        strbuf_puts(out, "lanes that update one element wait for each other wherever it lies; add "
                         "up in registers or with shuffles first, or give each warp a copy");
    else
        strbuf_puts(out, "it is not the layout that these accesses suffer from");
}

static void add_verdict(struct strbuf *out, const struct layout_question *question,
                        const struct layout_result *result) {
    const struct fix_answer *answers = result->answers.data;
    const uint64_t excess = answers[0].total.wavefronts - answers[0].total.ideal;
    if (excess == 0) {
        strbuf_printf(out, "%s has no conflicts as it is", question->array);
        return;
    }
    if (result->answers.length == 1) {
        strbuf_printf(out,
                      "no row padding, XOR swizzle or mirroring of %s takes fewer wavefronts: ",
                      question->array);
        add_reason(out, question);
        return;
    }
    const struct fix_cost *best = &answers[1].total;
    if (best->wavefronts == best->ideal)
        strbuf_puts(out, "without conflicts:");
    else
        strbuf_printf(
            out,
            "no row padding, XOR swizzle or mirroring is free of conflicts; the best takes "
            "%llu wavefronts of %llu, %llu beyond the ideal:",
            (unsigned long long)best->wavefronts, (unsigned long long)answers[0].total.wavefronts,
            (unsigned long long)(best->wavefronts - best->ideal));
}

static void put_result(struct report_page *page, const struct layout_question *question,
                       const struct layout_result *result) {
    const fix_answers *answers = &result->answers;
    struct strbuf text = {0};
    if (question->results.length > 1) {
        strbuf_printf(&text, "sm_%u", explain_plain_arch(result->arch));
        text_rule(page, strbuf_string(&text), "");
        strbuf_free(&text);
    }
    put_accesses(page, question, result);
    put_layouts(page, question, result);
    add_verdict(&text, question, result);
    put_text(page, 2, answers->length == 1 ? STYLE_PLAIN : STYLE_GOOD, &text);
    for (size_t i = 1; i < answers->length &&
                       answers->data[i].total.wavefronts == answers->data[1].total.wavefronts;
         i++)
        put_paste(page, question, &answers->data[i].layout);
}

void layout_write_text(const struct layout_question *question, bool color, unsigned width,
                       struct strbuf *out) {
    uint64_t largest = 0;
    for (size_t i = 0; i < question->results.length; i++) {
        const struct fix_answer *as_is = &question->results.data[i].answers.data[0];
        largest = as_is->total.wavefronts > largest ? as_is->total.wavefronts : largest;
    }
    struct report_page page;
    report_page_begin(&page, out, color, width, largest);
    const uint32_t *block = question->launch.block;
    struct strbuf text = {0};
    layout_declaration(question, &(struct fix_layout){.kind = FIX_AS_IS}, &text);
    strbuf_printf(&text, ", block %u x %u x %u", block[0], block[1], block[2]);
    if (question->results.length == 1)
        strbuf_printf(&text, ", sm_%u", explain_plain_arch(question->results.data[0].arch));
    put_text(&page, 0, STYLE_BOLD, &text);
    report_newline(&page);
    for (size_t i = 0; i < question->results.length; i++) {
        if (i)
            report_newline(&page);
        put_result(&page, question, &question->results.data[i]);
    }
}
