// The heading of a launch, and its sums, as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/columns.h"
#include "report/text.h"

static void put_dashes(struct report_page *page, size_t end) {
    size_t count = end > page->column ? end - page->column : 0;
    char *dashes = base_alloc(count + 1);
    memset(dashes, '-', count);
    report_put(page, STYLE_DIM, dashes);
    free(dashes);
}

void text_rule(struct report_page *page, const char *title, const char *note) {
    enum { LEAD = 3, LEAST_TAIL = 3 };
    size_t note_columns = note[0] ? report_columns(note) + 2 : 0;
    const size_t room = page->width - LEAD - 2 - LEAST_TAIL - note_columns;
    char *label = text_name_in(title, room);
    report_put(page, STYLE_DIM, "---");
    report_to(page, LEAD + 1);
    report_put_in(page, STYLE_BOLD, room, label);
    free(label);
    report_to(page, page->column + 1);
    put_dashes(page, page->width - note_columns);
    if (note[0]) {
        report_to(page, page->width - note_columns + 1);
        report_put(page, STYLE_PLAIN, note);
    }
    report_newline(page);
}

// "125 x 125" for {125, 125, 1}.
static void put_dimensions(struct strbuf *out, const char *name, const uint32_t size[3]) {
    char number[REPORT_NUMBER];
    int dimensions = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    strbuf_puts(out, name);
    for (int i = 0; i < dimensions; i++) {
        strbuf_puts(out, i ? " x " : " ");
        strbuf_puts(out, report_number(number, size[i]));
    }
}

static void put_configuration(struct report_page *page, const struct profile_launch *launch) {
    struct strbuf text = {0};
    char number[REPORT_NUMBER], whole[REPORT_NUMBER];
    if (launch->is_of_several)
        strbuf_printf(&text, "device %u, ", launch->device);
    put_dimensions(&text, "grid", launch->grid);
    put_dimensions(&text, ", block", launch->block);
    if (launch->shared_bytes > 0)
        strbuf_printf(&text, ", shared %s bytes", report_number(number, launch->shared_bytes));
    if (launch->bank_bytes == 8)
        strbuf_puts(&text, ", banks of 8 bytes");
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    strbuf_printf(&text, "; %s", report_number(number, launch->blocks_run));
    if (launch->blocks_run < blocks)
        strbuf_printf(&text, " of %s", report_number(whole, blocks));
    strbuf_printf(&text, blocks == 1 ? " block" : " blocks");
    if (launch->is_sample)
        strbuf_printf(&text, " sampled");
    strbuf_printf(&text, ", %s%s instructions", launch->blocks.is_work_estimate ? "~" : "",
                  report_number(number, launch->instructions));
    report_to(page, 2);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

static void put_sample(struct report_page *page, const struct profile_launch *launch) {
    report_to(page, 2);
    report_putf(page, STYLE_PLAIN,
                "Counts are scaled to the whole grid: wavefronts +-%.2f %%, sectors +-%.2f %% "
                "(95 %% sure).",
                100 * launch->error[SITE_SHARED], 100 * launch->error[SITE_GLOBAL]);
    report_newline(page);
}

static void put_proved_blocks(struct report_page *page, const struct profile_launch *launch) {
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const bool has_sectors = launch->blocks.is_sectors_estimate;
    char ran[REPORT_NUMBER], all[REPORT_NUMBER];
    struct strbuf text = {0};
    strbuf_printf(&text, "Proved for all blocks: %s of %s %s run; shared-memory counts are exact",
                  report_number(ran, launch->blocks_run), report_number(all, blocks),
                  launch->blocks_run == 1 ? "was" : "were");
    if (has_sectors || launch->blocks.is_work_estimate)
        strbuf_printf(&text, ", those of %s%s%s are estimates", has_sectors ? "global memory" : "",
                      has_sectors && launch->blocks.is_work_estimate ? " and " : "",
                      launch->blocks.is_work_estimate ? "instructions" : "");
    strbuf_puts(&text, ". What other blocks would have written is not there.");
    report_to(page, 2);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

// All blocks were run, or would have been but for a fault.
static void put_whole(struct report_page *page, const struct profile_launch *launch) {
    struct strbuf text = {0};
    if (launch->whole_reason)
        strbuf_printf(&text, "All blocks were run: %s.", launch->whole_reason);
    if (launch->blocks.has_partial_input)
        strbuf_printf(&text,
                      "%sCounts may be others, as earlier launches left out blocks that would have "
                      "written what this one reads.",
                      text.length ? " " : "");
    report_to(page, 2);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

// What cut a launch short says so itself; the fault of one that ran too long says where it was.
static void put_fault(struct report_page *page, const struct profile_launch *launch) {
    report_newline(page);
    report_to(page, 2);
    if (!launch->cut)
        report_put(page, STYLE_BAD, "fault: ");
    else if (launch->fault_count)
        report_put(page, STYLE_BAD, "cut short: ");
    report_wrap(page, STYLE_BAD, launch->fault);
    report_newline(page);
    report_to(page, 2);
    report_put(page, STYLE_PLAIN, "The counts are of what ran before it");
    report_put(page, STYLE_PLAIN,
               launch->may_differ ? ", and may differ with the number of threads." : ".");
    report_newline(page);
}

static void put_lost_order(struct report_page *page) {
    report_to(page, 2);
    report_put(page, STYLE_BAD, "Counts may differ with the number of threads: ");
    report_wrap(page, STYLE_PLAIN,
                "a block ran so long that those behind it did not wait for it, as they do where "
                "their order matters.");
    report_newline(page);
}

// Faults end in lines that are indented on their own.
static void put_passed(struct report_page *page, const struct profile_passed *passed) {
    char number[REPORT_NUMBER];
    report_newline(page);
    report_to(page, 2);
    report_put(page, STYLE_BAD, "let pass: ");
    report_wrap(page, STYLE_BAD, passed->first.message);
    report_newline(page);
    report_to(page, 2);
    if (passed->count == 1)
        report_put(page, STYLE_PLAIN, "A GPU lets it pass; it is the only one of this line.");
    else
        report_putf(page, STYLE_PLAIN,
                    "A GPU lets it pass; %s accesses of this line are beyond "
                    "their allocation.",
                    report_number(number, passed->count));
    report_newline(page);
}

static void put_sums(struct report_page *page, const struct view_launch *launch) {
    const struct profile_counts *shared = &launch->sums[SITE_SHARED];
    char a[REPORT_NUMBER], b[REPORT_NUMBER], percent[REPORT_NUMBER + 1];
    const char *about = launch->is_about ? "~" : "";
    const char *each = launch->count > 1 ? ", in each launch" : "";
    if (launch->verdict == VIEW_NO_CONFLICT) {
        report_put(page, STYLE_GOOD, "no bank conflicts: ");
        report_putf(page, STYLE_PLAIN, "%s requests took %s%s wavefronts%s",
                    report_number(a, shared->requests), about, report_number(b, shared->units),
                    each);
        return;
    }
    report_putf(page, launch->excess.style, "%s %s: ", report_number(a, launch->conflicts.count),
                launch->conflicts.count == 1 ? "line conflicts" : "lines conflict");
    report_putf(page, STYLE_PLAIN, "%s%s of %s%s wavefronts are excess (%s)%s", about,
                report_number(a, launch->excess.value), about, report_number(b, shared->units),
                text_cell(percent, &launch->excess), each);
}

// "an H200", "a V100"
static const char *article_of(const char *name) {
    return strchr("AEFHILMNORSX", name[0]) ? "an" : "a";
}

static void put_worth(struct report_page *page, const struct view_worth *worth) {
    struct strbuf text = {0};
    if (!worth->machine)
        return;
    if (worth->is_worth)
        strbuf_printf(&text,
                      "Without them about %.1f times as fast on %s %s: %s is the bottleneck.",
                      worth->gain, article_of(worth->machine), worth->machine, worth->bottleneck);
    else
        strbuf_printf(&text, "Without them hardly faster on %s %s: %s is the bottleneck.",
                      article_of(worth->machine), worth->machine, worth->bottleneck);
    strbuf_puts(&text, " (An estimate.)");
    report_to(page, 2);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

static void put_verdict(struct report_page *page, const struct view_launch *launch) {
    if (launch->verdict == VIEW_UNCOUNTED)
        return;
    report_newline(page);
    report_to(page, 2);
    switch (launch->verdict) {
    case VIEW_UNCOUNTED:
    case VIEW_NO_ACCESS:
        report_put(page, STYLE_PLAIN, "no accesses to shared or global memory");
        break;
    case VIEW_ONLY_EFFICIENT:
        report_put(page, STYLE_PLAIN,
                   "no shared-memory accesses; global memory is 100 % efficient");
        break;
    case VIEW_ONLY_GLOBAL:
        report_put(page, STYLE_PLAIN, "no shared-memory accesses");
        break;
    case VIEW_NO_CONFLICT:
    case VIEW_CONFLICTS:
        put_sums(page, launch);
        break;
    }
    report_newline(page);
    put_worth(page, &launch->worth);
}

void text_heading(struct report_page *page, const struct view_launch *launch,
                  const struct profile *profile) {
    const struct profile_launch *one = launch->launch;
    const uint64_t all_launches = profile->launched, refused = profile_failures(profile).refused;
    char note[160], first[REPORT_NUMBER], last[REPORT_NUMBER], all[REPORT_NUMBER];
    char others[REPORT_NUMBER];
    report_number(first, (uint64_t)one->index + 1);
    report_number(last, (uint64_t)launch->last_index + 1);
    report_number(all, all_launches);
    report_number(others, launch->count - 1);
    if (launch->last_index - one->index >= launch->count)
        snprintf(note, sizeof note, "launch %s of %s, and %s alike later", first, all, others);
    else if (launch->count > 1)
        snprintf(note, sizeof note, "launches %s to %s of %s, alike", first, last, all);
    else if (all_launches > 1 || refused)
        snprintf(note, sizeof note, "launch %s of %s", first, all);
    else
        note[0] = '\0';
    if (refused) {
        const size_t length = strlen(note);
        snprintf(note + length, sizeof note - length, ", %s refused",
                 report_number(others, refused));
    }
    text_rule(page, one->kernel ? one->kernel : one->symbol, note);
    put_configuration(page, one);
    if (one->is_sample)
        put_sample(page, one);
    if (one->blocks.is_proved)
        put_proved_blocks(page, one);
    else if (one->whole_reason || one->blocks.has_partial_input)
        put_whole(page, one);
    if (one->fault)
        put_fault(page, one);
    else if (one->may_differ)
        put_lost_order(page);
    for (size_t i = 0; i < one->passed_count; i++)
        put_passed(page, &one->passed[i]);
    put_verdict(page, launch);
}

void text_smaller(struct report_page *page, const struct view_launch *launch) {
    const struct profile_counts *shared = &launch->smaller_shared;
    const uint64_t excess = profile_excess_of(shared);
    const char *about = launch->is_about ? "~" : "";
    char count[REPORT_NUMBER], a[REPORT_NUMBER], b[REPORT_NUMBER];
    struct strbuf text = {0};
    if (!launch->smaller)
        return;
    strbuf_printf(&text, "%s more launch%s, of other sizes, %s the same",
                  report_number(count, launch->smaller), launch->smaller == 1 ? "" : "es",
                  launch->smaller == 1 ? "does" : "do");
    if (excess)
        strbuf_printf(&text, ": %s%s of %s%s wavefronts are excess", about,
                      report_number(a, excess), about, report_number(b, shared->units));
    else if (shared->units)
        strbuf_printf(&text, ": %s%s wavefronts", about, report_number(b, shared->units));
    report_to(page, 2);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

void text_totals(struct report_page *page, const struct view_launch *launch, bool is_verbose) {
    bool says_it_all = launch->verdict == VIEW_NO_ACCESS || launch->verdict == VIEW_ONLY_EFFICIENT;
    for (int space = 0; space < SITE_SPACES; space++) {
        const struct view_table *table = &launch->totals[space];
        if (table->count == 0 || (says_it_all && !is_verbose))
            continue;
        report_newline(page);
        text_columns(page, 2, table->label, table->columns);
        for (size_t i = 0; i < table->count; i++)
            text_row(page, 4, table->rows[i].label, table->rows[i].cells);
    }
}

void text_rules(struct report_page *page, const struct view_launch *launch) {
    bool has_heading = false;
    for (int c = BANKRUN_MEASURED; c <= BANKRUN_UNKNOWN; c++) {
        if (!launch->rules[c])
            continue;
        if (!has_heading) {
            report_newline(page);
            report_to(page, 2);
            report_put(page, STYLE_DIM, "bank rules");
            report_newline(page);
        }
        has_heading = true;
        report_to(page, 4);
        report_put(page, STYLE_PLAIN, bankrun_certainty_text((enum bankrun_certainty)c));
        report_to(page, 16);
        report_wrap(page, STYLE_PLAIN, launch->rules[c]);
        report_newline(page);
    }
}
