// Test results as JUnit's XML has them: a test case for each kernel.
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "report/build.h"
#include "report/notes.h"

// XML knows no control characters, not even escaped ones, but for three, and neither of two others.
static void put_escaped(struct strbuf *out, const char *text) {
    struct strbuf clean = {0};
    utf8_clean(&clean, text);
    uint32_t code;
    for (const char *at = strbuf_string(&clean); *at;) {
        const size_t length = utf8_decode(at, &code);
        if (code == 0xfffe || code == 0xffff)
            strbuf_puts(out, "?");
        else if (strchr("<>&\"'\n\t", *at))
            strbuf_printf(out, "&#%d;", *at);
        else
            strbuf_append(out, at, length);
        at += length;
    }
    strbuf_free(&clean);
}

struct junit_case { // of a kernel, or of what is about none
    const struct report_notes *notes;
    const char *kernel; // NULL
    uint64_t excess, allowed;
    bool has_problem, has_failure;
    size_t accepted;
};

static bool is_about(const struct junit_case *one, const struct report_note *note) {
    return text_is_same(one->kernel, note->kernel);
}

static bool is_failure(const struct junit_case *one, const struct report_note *note) {
    return is_about(one, note) && !note->suppressed &&
           (note->level == NOTE_ERROR ||
            (note->kind == NOTE_CONFLICT && one->excess > one->allowed));
}

// The conflicts of a kernel count together, as --fail-on excess counts them.
static struct junit_case case_of(const struct report_notes *notes, const char *kernel,
                                 uint64_t allowed) {
    struct junit_case one = {.notes = notes, .kernel = kernel, .allowed = allowed};
    for (size_t i = 0; i < notes->count; i++)
        if (is_about(&one, &notes->data[i]) && notes->data[i].kind == NOTE_CONFLICT)
            one.excess += notes->data[i].suppressed ? 0 : report_row_excess(notes->data[i].row);
    for (size_t i = 0; i < notes->count; i++) {
        one.has_failure |= is_failure(&one, &notes->data[i]);
        one.has_problem |= is_failure(&one, &notes->data[i]) && notes->data[i].kind == NOTE_PROBLEM;
        one.accepted += is_about(&one, &notes->data[i]) && notes->data[i].suppressed;
    }
    return one;
}

static void put_note(struct strbuf *out, const struct report_note *note, const char *more) {
    if (note->file && note->line) {
        put_escaped(out, note->file);
        strbuf_printf(out, ":%u: ", note->line);
    }
    put_escaped(out, note->title);
    strbuf_puts(out, ": ");
    put_escaped(out, more ? more : note->message);
    strbuf_puts(out, "\n");
}

static void put_failure(struct strbuf *out, const struct junit_case *one) {
    const char *element = one->has_problem ? "error" : "failure";
    const struct report_note *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < one->notes->count; i++)
        if (is_failure(one, &one->notes->data[i]) && count++ == 0)
            first = &one->notes->data[i];
    strbuf_printf(out, "      <%s type=\"", element);
    put_escaped(out, first->rule);
    strbuf_puts(out, "\" message=\"");
    put_escaped(out, first->title);
    if (count > 1)
        strbuf_printf(out, ", and %zu more", count - 1);
    strbuf_puts(out, "\">");
    for (size_t i = 0; i < one->notes->count; i++)
        if (is_failure(one, &one->notes->data[i]))
            put_note(out, &one->notes->data[i], NULL);
    strbuf_printf(out, "</%s>\n", element);
}

static void put_accepted(struct strbuf *out, const struct junit_case *one) {
    strbuf_puts(out, "      <system-out>");
    for (size_t i = 0; i < one->notes->count; i++) {
        const struct report_note *note = &one->notes->data[i];
        if (is_about(one, note) && note->suppressed)
            put_note(out, note, note->suppressed);
    }
    strbuf_puts(out, "</system-out>\n");
}

static void put_case(struct strbuf *out, const struct junit_case *one) {
    strbuf_puts(out, "    <testcase classname=\"bankrun\" name=\"");
    put_escaped(out, one->kernel ? one->kernel : "the host side");
    strbuf_puts(out, "\" time=\"0\">\n");
    if (one->has_failure)
        put_failure(out, one);
    if (one->accepted)
        put_accepted(out, one);
    strbuf_puts(out, "    </testcase>\n");
}

struct junit_sums {
    size_t tests, failures, errors;
    struct strbuf cases;
};

static void add_case(struct junit_sums *sums, const struct report_notes *notes, const char *kernel,
                     uint64_t allowed) {
    const struct junit_case one = case_of(notes, kernel, allowed);
    sums->tests++;
    sums->errors += one.has_problem;
    sums->failures += one.has_failure && !one.has_problem;
    put_case(&sums->cases, &one);
}

static bool was_launched(const struct report_notes *notes, const char *kernel) {
    for (size_t k = 0; k < notes->rows.kernel_count; k++)
        if (text_is_same(notes->rows.kernels[k].name, kernel))
            return true;
    return false;
}

// Of kernels, of those that were refused at every launch, and of the host.
static void add_cases(struct junit_sums *sums, const struct report_notes *notes, uint64_t allowed) {
    for (size_t k = 0; k < notes->rows.kernel_count; k++)
        add_case(sums, notes, notes->rows.kernels[k].name, allowed);
    for (size_t i = 0; i < notes->count; i++) {
        const char *kernel = notes->data[i].kernel;
        bool is_known = was_launched(notes, kernel);
        for (size_t before = 0; before < i && !is_known; before++)
            is_known = text_is_same(notes->data[before].kernel, kernel);
        if (!is_known)
            add_case(sums, notes, kernel, allowed);
    }
}

void report_junit(const struct profile *profile, const struct report_options *options,
                  struct strbuf *out) {
    struct arena *arena = arena_create();
    const struct report_notes notes = report_notes_of(arena, profile, options);
    struct junit_sums sums = {0};
    add_cases(&sums, &notes, options ? options->allowed_excess : 0);
    strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    strbuf_printf(out, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", sums.tests,
                  sums.failures, sums.errors);
    strbuf_puts(out, "  <testsuite name=\"");
    for (size_t i = 0; i < profile->program_count; i++) {
        strbuf_puts(out, i ? " " : "");
        put_escaped(out, profile->program[i]);
    }
    strbuf_printf(out,
                  "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n%s",
                  sums.tests, sums.failures, sums.errors, strbuf_string(&sums.cases));
    strbuf_puts(out, "  </testsuite>\n</testsuites>\n");
    strbuf_free(&sums.cases);
    arena_destroy(arena);
}
