// The counts as Cachegrind writes its own, for cg_annotate, cg_diff, cg_merge and KCachegrind.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "report/notes.h"

enum { UNITS, IDEAL, EXCESS, REQUESTS, EVENTS = 2 * (REQUESTS + 1) };
static const char names[] = "Wavefronts Ideal Excess Requests "
                            "Sectors SectorsIdeal SectorsExcess SectorRequests";

// Names end with the line, and "???" is nobody's.
static void put_name(struct strbuf *out, const char *key, const char *name) {
    struct strbuf clean = {0};
    utf8_clean(&clean, name && *name ? name : "???");
    strbuf_printf(out, "%s", key);
    for (const char *at = strbuf_string(&clean); *at; at++)
        strbuf_append(out, *at == '\n' ? "?" : at, 1);
    strbuf_puts(out, "\n");
    strbuf_free(&clean);
}

static void add_row(uint64_t counts[EVENTS], const struct report_row *row) {
    uint64_t *to = counts + (row->space == SITE_SHARED ? 0 : REQUESTS + 1);
    to[UNITS] += row->counts.units;
    to[IDEAL] += row->counts.ideal;
    to[EXCESS] += report_row_excess(row);
    to[REQUESTS] += row->counts.requests;
}

static void put_counts(struct strbuf *out, const uint64_t counts[EVENTS]) {
    for (int i = 0; i < EVENTS; i++)
        strbuf_printf(out, " %" PRIu64, counts[i]);
    strbuf_puts(out, "\n");
}

static int by_line(const void *left, const void *right) {
    const struct report_row *a = *(const struct report_row *const *)left;
    const struct report_row *b = *(const struct report_row *const *)right;
    const int files = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (files)
        return files;
    return a->line != b->line ? (a->line < b->line ? -1 : 1) : a < b ? -1 : a > b;
}

// A line of both spaces is one.
static void put_kernel(struct strbuf *out, const char *kernel, const struct report_row **rows,
                       size_t count, uint64_t sums[EVENTS]) {
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t counts[EVENTS] = {0};
        if (i == 0 || !text_is_same(rows[i - 1]->file, rows[i]->file)) {
            put_name(out, "fl=", rows[i]->file);
            put_name(out, "fn=", kernel);
        }
        for (end = i; end < count; end++) {
            if (rows[end]->line != rows[i]->line || !text_is_same(rows[end]->file, rows[i]->file))
                break;
            add_row(counts, rows[end]);
            add_row(sums, rows[end]);
        }
        strbuf_printf(out, "%u", rows[i]->line);
        put_counts(out, counts);
    }
}

static void put_heading(struct strbuf *out, const struct profile *profile) {
    strbuf_printf(out, "desc: bankrun, sm_%u%s\n", profile->arch,
                  profile->is_as_compiled ? " as compiled" : "");
    struct strbuf command = {0};
    for (size_t i = 0; i < profile->program_count; i++)
        strbuf_printf(&command, "%s%s", i ? " " : "", profile->program[i]);
    put_name(out, "cmd: ", strbuf_string(&command));
    strbuf_printf(out, "events: %s\n", names);
    strbuf_free(&command);
}

void report_cachegrind(const struct profile *profile, const struct report_options *options,
                       struct strbuf *out) {
    (void)options;
    struct arena *arena = arena_create();
    const struct report_rows rows = report_rows_of(arena, profile);
    const struct report_row **order = ARENA_ARRAY(arena, const struct report_row *, rows.count + 1);
    uint64_t sums[EVENTS] = {0};
    put_heading(out, profile);
    for (size_t i = 0; i < rows.count; i++)
        order[i] = &rows.data[i];
    for (size_t k = 0; k < rows.kernel_count; k++) {
        const size_t begin = rows.begins[k], count = rows.begins[k + 1] - begin;
        if (count)
            qsort(order + begin, count, sizeof *order, by_line);
        put_kernel(out, rows.kernels[k].name, order + begin, count, sums);
    }
    strbuf_puts(out, "summary:");
    put_counts(out, sums);
    arena_destroy(arena);
}
