// What the parts of the report have in common: lines, places, styles.
#include <stdio.h>
#include <string.h>

#include "report/parts.h"

uint64_t report_excess(const struct profile_counts *counts) {
    return counts->units > counts->ideal ? counts->units - counts->ideal : 0;
}

enum report_style report_excess_style(uint64_t excess, uint64_t units) {
    if (excess == 0) {
        return STYLE_GOOD;
    }
    return excess * 10 >= units ? STYLE_BAD : STYLE_WARN;
}

static bool same_line(const struct profile_site *a, const struct profile_site *b) {
    return a->space == b->space && a->file && b->file && a->line > 0 && a->line == b->line &&
           strcmp(a->file, b->file) == 0;
}

static int by_excess(const void *left, const void *right) {
    const struct report_line *a = left, *b = right;
    if (a->excess != b->excess) {
        return a->excess < b->excess ? 1 : -1;
    }
    return a->sites < b->sites ? -1 : a->sites > b->sites;
}

struct report_lines report_lines_of(const struct profile_launch *launch, enum site_space space,
                                    bool with_excess) {
    struct report_lines lines = {0};
    for (size_t i = 0; i < launch->site_count;) {
        struct report_line line = {.sites = &launch->sites[i]};
        do {
            line.excess += report_excess(&launch->sites[i].counts);
            line.count++;
            i++;
        } while (i < launch->site_count && same_line(line.sites, &launch->sites[i]));
        if (line.sites->space == space && (line.excess > 0) == with_excess) {
            vec_push(&lines, line);
        }
    }
    if (lines.length > 0) {
        qsort(lines.data, lines.length, sizeof *lines.data, by_excess);
    }
    return lines;
}

void report_place(struct strbuf *out, const struct report_page *page, const char *file,
                  uint32_t line) {
    if (!file || line == 0) {
        strbuf_puts(out, "no known line");
        return;
    }
    const char *root = page->options.source_root;
    size_t length = root ? strlen(root) : 0;
    if (length > 0 && strncmp(file, root, length) == 0 && file[length] == '/') {
        file += length + 1;
    }
    // "cub/agent/agent_reduce.cuh": as the toolkit's libraries are included.
    static const char libraries[] = "/include/cccl/";
    const char *library = strstr(file, libraries);
    strbuf_printf(out, "%s:%u", library ? library + strlen(libraries) : file, line);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Is there the same access in another column of the line?
static bool is_in_columns(const struct report_line *line, const struct profile_site *site) {
    for (size_t i = 0; i < line->count; i++) {
        const struct profile_site *other = &line->sites[i];
        if (other->column != site->column && same_text(other->instruction, site->instruction) &&
            same_text(other->array, site->array)) {
            return true;
        }
    }
    return false;
}

void report_column(struct strbuf *out, const char *before, const struct report_line *line,
                   const struct profile_site *site) {
    if (is_in_columns(line, site)) {
        strbuf_printf(out, "%s%u", before, site->column);
    }
}

void report_site_label(struct strbuf *out, const struct report_page *page,
                       const struct report_line *line, const struct profile_site *site) {
    struct strbuf place = {0};
    report_place(&place, page, site->file, site->line);
    const char *name = strrchr(strbuf_string(&place), '/');
    strbuf_puts(out, name ? name + 1 : strbuf_string(&place));
    report_column(out, ":", line, site);
    strbuf_puts(out, "  ");
    report_access(out, site);
    strbuf_free(&place);
}

void report_access(struct strbuf *out, const struct profile_site *site) {
    static const char *const words[PROFILE_OPS] = {
        [PROFILE_LOAD] = "from",        [PROFILE_STORE] = "to",        [PROFILE_ATOMIC] = "on",
        [PROFILE_MATRIX_LOAD] = "from", [PROFILE_MATRIX_STORE] = "to", [PROFILE_ASYNC_COPY] = "to",
    };
    strbuf_puts(out, site->instruction);
    if (site->array) {
        strbuf_printf(out, " %s %s", words[site->op], site->array);
    }
}

void report_quote(struct report_page *page, size_t indent, const char *file, uint32_t line) {
    char *text = report_source_line(page, file, line);
    if (!text) {
        return;
    }
    char number[REPORT_NUMBER];
    snprintf(number, sizeof number, "%u", line);
    report_put_right(page, STYLE_DIM, indent + 6, number);
    report_put(page, STYLE_DIM, " | ");
    report_put(page, STYLE_PLAIN, text);
    report_newline(page);
    free(text);
}
