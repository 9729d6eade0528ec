// Proofs as text: of each kernel what may conflict, line by line, then what does not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/prove.h"

enum { INDENT = 2, DEEPER = 4, MOST_LINES = 20, MOST_FREE = 8, GAP = 2 };

struct writer {
    struct report_page page;
    struct view_builder builder;
    const struct prove_report *report;
    size_t verdicts; // the column where they stand
};

// ---- What is known of a kernel, in one line -------------------------------------------------

static bool is_proved(const struct prove_row *row) {
    return row->site.verdict == PROVE_EXACT || row->site.verdict == PROVE_FULL;
}

static uint64_t count_of(const struct prove_proof *proof, enum prove_verdict verdict) {
    uint64_t count = 0;
    for (size_t i = 0; i < proof->rows.length; i++)
        if (proof->rows.data[i].site.verdict == verdict)
            count += proof->rows.data[i].count;
    return count;
}

static void put_count(struct report_page *page, const char **between, enum report_style style,
                      uint64_t count, const char *what) {
    char number[REPORT_NUMBER];
    if (!count)
        return;
    report_number(number, count);
    report_put(page, STYLE_PLAIN, *between);
    if (page->column + strlen(" ") + strlen(number) + strlen(what) + strlen(", ") > page->width) {
        report_newline(page);
        report_to(page, DEEPER);
    }
    report_putf(page, style, "%s %s", number, what);
    *between = ", ";
}

// "3 proved free, 1 proved 32-way", or of several degrees "4 proved up to 32-way".
static void put_proved(struct report_page *page, const struct prove_proof *proof,
                       const char **between) {
    uint64_t free_ones = 0, others = 0, single = 0;
    uint64_t degrees = 0;
    uint32_t most = 0;
    char words[64];
    for (size_t i = 0; i < proof->rows.length; i++) {
        const struct prove_row *row = &proof->rows.data[i];
        if (!row->site.has_excess)
            free_ones += row->count;
        if (!row->site.has_excess || !is_proved(row))
            continue;
        if (row->site.degree == 1) {
            single += row->count;
            continue;
        }
        others += row->count;
        degrees |= row->site.degrees;
        most = row->site.degree > most ? row->site.degree : most;
    }
    snprintf(words, sizeof words, "proved %s%u-way", degrees & (degrees - 1) ? "up to " : "", most);
    put_count(page, between, STYLE_GOOD, free_ones, "proved free");
    put_count(page, between, STYLE_WARN, single, "proved 1-way");
    put_count(page, between, STYLE_BAD, others, words);
}

static void put_summary(struct report_page *page, const struct prove_proof *proof) {
    const char *between = "";
    const struct prove_sums sums = prove_sums_of(proof);
    char number[REPORT_NUMBER];
    if (!sums.all) {
        report_put(page, STYLE_PLAIN, "no accesses to shared memory");
        return;
    }
    report_putf(page, STYLE_PLAIN, "%s %s: ", report_number(number, sums.all),
                sums.all == 1 ? "access" : "accesses");
    put_proved(page, proof, &between);
    const uint64_t depend = count_of(proof, PROVE_DEPENDS);
    put_count(page, &between, STYLE_WARN, depend, depend == 1 ? "depends on s" : "depend on s");
    put_count(page, &between, STYLE_WARN, count_of(proof, PROVE_BOUNDED), "bounded");
    put_count(page, &between, STYLE_WARN, count_of(proof, PROVE_OBSERVED), "not proved");
}

// "bounds: 5 proved, 1 leaves its array".
static void put_bounds_summary(struct report_page *page, const struct prove_proof *proof) {
    const struct prove_sums sums = prove_sums_of(proof);
    const char *between = "";
    char words[80];
    if (!sums.all)
        return;
    report_newline(page);
    report_to(page, INDENT);
    report_put(page, STYLE_PLAIN, "bounds: ");
    put_count(page, &between, STYLE_GOOD,
              sums.all - sums.misfits - sums.conditional - sums.not_placed, "proved");
    put_count(page, &between, STYLE_BAD, sums.misfits,
              sums.misfits == 1 ? "can leave its array" : "can leave their arrays");
    put_count(page, &between, STYLE_WARN, sums.conditional, "under a condition");
    put_count(page, &between, STYLE_WARN, sums.not_placed - sums.no_size, "not proved");
    snprintf(words, sizeof words, "proved if dynamic shared memory has %llu bytes",
             (unsigned long long)sums.wanted_bytes);
    put_count(page, &between, STYLE_WARN, sums.no_size, words);
    between = "; ";
    put_count(page, &between, STYLE_BAD, sums.misaligned, "can be misaligned");
    put_count(page, &between, STYLE_WARN, sums.not_aligned, "not proved aligned");
}

// "block 32 x 8, 16 x 16".
static void put_shapes(struct strbuf *out, const struct prove_proof *proof) {
    strbuf_puts(out, "block ");
    for (size_t i = 0; i < proof->shapes.length; i++) {
        const uint32_t *block = proof->shapes.data[i].block;
        strbuf_printf(out, "%s%u", i ? ", " : "", block[0]);
        if (block[1] > 1 || block[2] > 1)
            strbuf_printf(out, " x %u", block[1]);
        if (block[2] > 1)
            strbuf_printf(out, " x %u", block[2]);
    }
    if (proof->choice == PROVE_REQUIRED)
        strbuf_puts(out, " (.reqntid)");
    if (proof->choice == PROVE_DECLARED)
        strbuf_puts(out, " (__launch_bounds__)");
    if (proof->choice == PROVE_USUAL)
        strbuf_puts(out, proof->is_fitting ? " (usual, for its arrays)" : " (usual)");
}

// ---- Rows -----------------------------------------------------------------------------------

// It may conflict, or is made where it must not be.
static bool is_worth(const struct prove_row *row) {
    return row->site.has_excess || prove_is_misfit(row);
}

// Something of the kernel is not as it should be, or not known: it has rows.
static bool has_worth(const struct prove_proof *proof) {
    for (size_t i = 0; i < proof->rows.length; i++) {
        const struct prove_row *row = &proof->rows.data[i];
        const struct prove_bounds *bounds = &row->site.bounds;
        if (is_worth(row) || (bounds->fit > PROVE_FITS && !bounds->lacks_size) ||
            (row->alignment && row->site.alignment.fit > PROVE_FITS))
            return true;
    }
    return false;
}

static enum report_style style_of(const struct prove_row *row) {
    if (!row->site.has_excess)
        return STYLE_GOOD;
    return is_proved(row) && row->site.degree > 1 ? STYLE_BAD : STYLE_WARN;
}

static struct view_place place_of(struct writer *writer, const struct prove_row *row) {
    return view_place_of(&writer->builder, row->about.file, row->about.line);
}

// "ld.shared.f32 from tile  x4", in the table with the place in front.
static char *label_of(struct writer *writer, const struct prove_row *row, bool is_placed) {
    struct strbuf label = {0};
    if (is_placed) {
        struct strbuf place = {0};
        text_place(&place, place_of(writer, row));
        strbuf_printf(&label, "%s  ", text_file_name(strbuf_string(&place)));
        strbuf_free(&place);
    }
    strbuf_puts(&label, view_access(&writer->builder, &row->about));
    if (row->count > 1)
        strbuf_printf(&label, "  x%u", row->count);
    return strbuf_take(&label);
}

static void put_detail(struct writer *writer, const struct prove_row *row) {
    struct report_page *page = &writer->page;
    if (row->site.verdict == PROVE_FULL && page->column + 1 + strlen(row->detail) <= page->width) {
        report_to(page, page->column + 1);
    } else {
        report_newline(page);
        report_to(page, writer->verdicts);
    }
    report_wrap(page, STYLE_PLAIN, row->detail);
}

static void put_fit(struct writer *writer, const char *words, enum prove_fit fit) {
    struct report_page *page = &writer->page;
    report_to(page, writer->verdicts);
    report_wrap(page, fit == PROVE_MISFITS ? STYLE_BAD : STYLE_PLAIN, words);
    report_newline(page);
}

static void put_bounds(struct writer *writer, const struct prove_row *row) {
    struct strbuf words = {0};
    strbuf_puts(&words, row->bounds);
    prove_put_reach(&words, &row->site);
    put_fit(writer, strbuf_string(&words), row->site.bounds.fit);
    strbuf_free(&words);
}

// Where its accesses lie, unless all is well. One reason is enough, and the size of dynamic shared
// memory is one that the summary has.
static void put_fits(struct writer *writer, const struct prove_row *row) {
    const struct prove_bounds *bounds = &row->site.bounds;
    const struct prove_alignment *alignment = &row->site.alignment;
    const bool is_unknown = bounds->fit == PROVE_FIT_UNKNOWN;
    if (is_unknown && row->site.verdict >= PROVE_DEPENDS && row->site.what &&
        row->reason_line == row->bounds_line && !strcmp(row->site.what, bounds->what))
        put_fit(writer, "nor to stay in its array", bounds->fit);
    else if (bounds->fit > PROVE_FITS && !bounds->lacks_size)
        put_bounds(writer, row);
    if (alignment->fit == PROVE_MISFITS ||
        (alignment->fit == PROVE_FIT_UNKNOWN && row->alignment &&
         !(is_unknown && !strcmp(bounds->what, alignment->what))))
        put_fit(writer, row->alignment, alignment->fit);
}

// Which calls it was inlined into, the innermost first.
static void put_calls(struct writer *writer, const struct profile_site *about) {
    struct report_page *page = &writer->page;
    for (uint32_t i = 0; i < about->inlined_count; i++) {
        const struct profile_frame *frame = &about->inlined_at[i];
        struct strbuf text = {0};
        text_place(&text, view_place_of(&writer->builder, frame->file, frame->line));
        if (frame->function)
            strbuf_printf(&text, " in %s", frame->function);
        report_to(page, DEEPER + GAP);
        report_putf(page, STYLE_DIM, "%s at %s", i ? "       " : "inlined", strbuf_string(&text));
        report_newline(page);
        strbuf_free(&text);
    }
}

static void put_row(struct writer *writer, const struct prove_row *row, bool is_placed) {
    struct report_page *page = &writer->page;
    char *label = label_of(writer, row, is_placed);
    report_to(page, DEEPER);
    report_put(page, STYLE_PLAIN, label);
    if (page->column + GAP > writer->verdicts)
        report_newline(page);
    report_to(page, writer->verdicts);
    report_put(page, style_of(row), row->verdict);
    if (row->detail)
        put_detail(writer, row);
    report_newline(page);
    put_fits(writer, row);
    if (!is_placed)
        put_calls(writer, &row->about);
    free(label);
}

// Verdicts stand behind the longest label, if that leaves them half of the page.
static size_t place_verdicts(struct writer *writer) {
    const struct prove_report *report = writer->report;
    const size_t most = writer->page.width / 2 + DEEPER;
    size_t column = 0;
    for (size_t i = 0; i < report->proofs.length; i++)
        for (size_t r = 0; r < report->proofs.data[i].rows.length; r++) {
            const struct prove_row *row = &report->proofs.data[i].rows.data[r];
            if (!report->options->verbose && !has_worth(&report->proofs.data[i]))
                break;
            char *label = label_of(writer, row, !is_worth(row));
            const size_t end = DEEPER + strlen(label) + GAP;
            column = end > column && end <= most ? end : column;
            free(label);
        }
    return column ? column : most;
}

static bool same_line(const struct prove_row *a, const struct prove_row *b) {
    return a->about.line == b->about.line && a->about.file && b->about.file &&
           !strcmp(a->about.file, b->about.file);
}

// The row's line with all that may conflict there, as no row before it did.
static void put_line(struct writer *writer, const struct prove_proof *proof, size_t first) {
    enum { MOST_CARETS = 32 };
    struct report_page *page = &writer->page;
    const struct prove_row *rows = proof->rows.data, *row = &rows[first];
    const struct view_place at = place_of(writer, row);
    const char *quote = view_quote(&writer->builder, row->about.file, row->about.line);
    size_t carets[MOST_CARETS], count = 0;
    for (size_t i = first; i < proof->rows.length; i++)
        for (uint32_t c = 0; same_line(row, &rows[i]) && is_worth(&rows[i]) &&
                             c < rows[i].column_count && count < MOST_CARETS;
             c++)
            carets[count++] = view_caret(&writer->builder, row->about.file, row->about.line,
                                         rows[i].columns[c], quote);
    struct strbuf place = {0};
    text_place(&place, at);
    report_newline(page);
    report_to(page, INDENT);
    report_put(page, STYLE_BOLD, strbuf_string(&place));
    report_newline(page);
    text_quote(page, INDENT, at.line, quote, carets, count);
    put_row(writer, row, false);
    for (size_t i = first + 1; i < proof->rows.length; i++)
        if (same_line(row, &rows[i]) && is_worth(&rows[i]))
            put_row(writer, &rows[i], false);
    strbuf_free(&place);
}

static void put_conflicts(struct writer *writer, const struct prove_proof *proof) {
    size_t lines = 0;
    for (size_t i = 0; i < proof->rows.length; i++) {
        bool is_said = !is_worth(&proof->rows.data[i]);
        for (size_t before = 0; before < i && !is_said; before++)
            is_said = is_worth(&proof->rows.data[before]) &&
                      same_line(&proof->rows.data[before], &proof->rows.data[i]);
        if (is_said)
            continue;
        if (lines++ < MOST_LINES || writer->report->options->verbose)
            put_line(writer, proof, i);
    }
    if (lines > MOST_LINES && !writer->report->options->verbose) {
        report_newline(&writer->page);
        text_rest(&writer->page, INDENT, lines - MOST_LINES, "line", " that may conflict");
    }
}

static void put_title(struct report_page *page, const char *title) {
    report_newline(page);
    report_to(page, INDENT);
    report_put(page, STYLE_DIM, title);
    report_newline(page);
}

// Of a kernel in which all is free the summary has said so.
static void put_free(struct writer *writer, const struct prove_proof *proof) {
    const bool is_verbose = writer->report->options->verbose;
    size_t all = 0, shown = 0;
    if (!is_verbose && !has_worth(proof))
        return;
    for (size_t i = 0; i < proof->rows.length; i++)
        all += !is_worth(&proof->rows.data[i]);
    const size_t most = is_verbose || all <= MOST_FREE + 1 ? all : MOST_FREE;
    if (all)
        put_title(&writer->page, "accesses without conflicts");
    for (size_t i = 0; i < proof->rows.length && shown < most; i++)
        if (!is_worth(&proof->rows.data[i])) {
            put_row(writer, &proof->rows.data[i], true);
            shown++;
        }
    if (shown < all)
        text_rest(&writer->page, DEEPER, all - shown, "line", "");
}

static void put_unseen(struct writer *writer, const struct prove_proof *proof) {
    if (!writer->report->options->verbose || !proof->unseen.length)
        return;
    put_title(&writer->page, "accesses that no warp reaches");
    for (size_t i = 0; i < proof->unseen.length; i++)
        put_row(writer, &proof->unseen.data[i], true);
}

// ---- The whole ------------------------------------------------------------------------------

static void put_proof(struct writer *writer, const struct prove_proof *proof, bool is_first) {
    struct report_page *page = &writer->page;
    struct strbuf shapes = {0};
    put_shapes(&shapes, proof);
    report_newline(page);
    if (is_first)
        text_rule(page, proof->kernel, "");
    report_to(page, INDENT);
    report_putf(page, is_first ? STYLE_PLAIN : STYLE_BOLD, "%s", strbuf_string(&shapes));
    report_newline(page);
    report_to(page, INDENT);
    put_summary(page, proof);
    put_bounds_summary(page, proof);
    report_newline(page);
    if (proof->trouble) {
        report_to(page, INDENT);
        report_put(page, STYLE_WARN, "nothing is proved: ");
        report_wrap(page, STYLE_PLAIN, proof->trouble);
        report_newline(page);
    }
    prove_show_races(page, &writer->builder, &proof->races);
    put_conflicts(writer, proof);
    put_free(writer, proof);
    put_unseen(writer, proof);
    strbuf_free(&shapes);
}

static void put_heading(struct report_page *page, const struct prove_report *report) {
    char arch[16];
    snprintf(arch, sizeof arch, " on sm_%u", report->options->arch);
    report_put(page, STYLE_BOLD, "bankrun prove");
    report_put(page, STYLE_PLAIN, ": ");
    report_put_in(page, STYLE_PLAIN, page->width - page->column - strlen(arch), report->name);
    report_put(page, STYLE_PLAIN, arch);
    report_newline(page);
}

// Once for all kernels.
static void put_note(struct report_page *page, const struct prove_report *report) {
    bool has_usual = false;
    for (size_t i = 0; i < report->proofs.length; i++)
        has_usual |= report->proofs.data[i].choice == PROVE_USUAL;
    if (!has_usual)
        return;
    report_newline(page);
    report_put(page, STYLE_DIM, "(usual): the kernel names no block; --block has others");
    report_newline(page);
}

void prove_write_text(const struct prove_report *report, bool color, unsigned width,
                      struct strbuf *out) {
    char folder[4096];
    struct writer writer = {
        .builder = {.arena = report->arena, .source_root = getcwd(folder, sizeof folder)},
        .report = report};
    report_page_begin(&writer.page, out, color, width, 0);
    writer.verdicts = place_verdicts(&writer);
    put_heading(&writer.page, report);
    for (size_t i = 0; i < report->proofs.length; i++) {
        const struct prove_proof *proof = &report->proofs.data[i];
        put_proof(&writer, proof, i == 0 || strcmp(proof[-1].symbol, proof->symbol) != 0);
    }
    put_note(&writer.page, report);
    view_free_sources(&writer.builder);
}
