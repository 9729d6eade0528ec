// Profiles: what was counted, for programs, files and people.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "report/report.h"
#include "run/api/api.h"

_Static_assert(BANKRUN_DEGREES == PROFILE_MAX_DEGREE + 1, "");
// Frames are handed out as they are.
#define SAME(field)                                                                                \
    _Static_assert(offsetof(struct bankrun_frame, field) == offsetof(struct profile_frame, field), \
                   "")
SAME(file);
SAME(line);
SAME(function);
_Static_assert(sizeof(struct bankrun_frame) == sizeof(struct profile_frame), "");

struct bankrun_profile *bankrun_profile_create(unsigned arch, const char *title) {
    const unsigned chip = arch & ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
    if (!bankrun_limits_of(chip))
        return NULL;
    struct bankrun_profile *profile = base_alloc(sizeof *profile);
    char *program[] = {(char *)title};
    profile->profile = profile_create(chip, program, 1);
    return profile;
}

struct bankrun_profile *bankrun_profile_load(const char *path, char **message) {
    struct diag_list diags = {0};
    struct profile *read = profile_read(path, &diags);
    if (!read) {
        api_fail_diags(message, BANKRUN_BAD_PROFILE, &diags);
        return NULL;
    }
    struct bankrun_profile *profile = base_alloc(sizeof *profile);
    profile->profile = read;
    diag_free(&diags);
    api_succeed(message);
    return profile;
}

void bankrun_profile_free(struct bankrun_profile *profile) {
    if (profile)
        profile_free(profile->profile);
    free(profile);
}

uint64_t bankrun_profile_excess(const struct bankrun_profile *profile) {
    return profile_excess(profile->profile);
}

static struct bankrun_counts counts_of(const struct profile_counts *counts) {
    return (struct bankrun_counts){counts->requests, counts->units, counts->ideal};
}

static struct bankrun_counts total(const struct profile_launch *launch, enum site_space space) {
    struct bankrun_counts sum = {0};
    for (int op = 0; op < PROFILE_OPS; op++) {
        sum.requests += launch->totals[space][op].requests;
        sum.units += launch->totals[space][op].units;
        sum.ideal += launch->totals[space][op].ideal;
    }
    return sum;
}

bool bankrun_profile_launch(const struct bankrun_profile *profile, size_t n,
                            struct bankrun_recorded_launch *launch) {
    if (n >= profile->profile->launch_count)
        return false;
    const struct profile_launch *from = &profile->profile->launches[n];
    *launch = (struct bankrun_recorded_launch){.index = from->index,
                                               .repeats = from->repeats,
                                               .kernel = from->kernel,
                                               .symbol = from->symbol,
                                               .shared_bytes = from->shared_bytes,
                                               .blocks_run = from->blocks_run,
                                               .instructions = from->instructions,
                                               .thread_instructions = from->thread_instructions,
                                               .fault = from->fault,
                                               .is_sample = from->is_sample,
                                               .shared = total(from, SITE_SHARED),
                                               .global = total(from, SITE_GLOBAL),
                                               .sites = from->site_count,
                                               .findings = from->findings.count};
    memcpy(launch->grid, from->grid, sizeof launch->grid);
    memcpy(launch->block, from->block, sizeof launch->block);
    return true;
}

bool bankrun_profile_site(const struct bankrun_profile *profile, size_t n, size_t m,
                          struct bankrun_recorded_site *site) {
    const struct profile *all = profile->profile;
    if (n >= all->launch_count || m >= all->launches[n].site_count)
        return false;
    const struct profile_site *from = &all->launches[n].sites[m];
    *site = (struct bankrun_recorded_site){
        .space = (enum bankrun_space)from->space,
        .operation = profile_op_text[from->op],
        .instruction = from->instruction,
        .file = from->file,
        .line = from->line,
        .column = from->column,
        .function = from->function,
        .inlined_at = (const struct bankrun_frame *)(const void *)from->inlined_at,
        .inlined_count = from->inlined_count,
        .array = from->array,
        .width = from->width,
        .counts = counts_of(&from->counts),
        .is_estimate = from->is_estimate,
        .degrees = from->degrees,
        .worst_degree = from->worst_degree,
        .worst_warp = from->worst_warp,
        .worst_mask = from->worst_mask,
        .worst_offsets = from->worst_degree ? from->worst_offsets : NULL,
        .why = from->why,
        .help = from->help,
        .proof = from->proof,
    };
    memcpy(site->worst_block, from->worst_block, sizeof site->worst_block);
    return true;
}

static void render(const struct bankrun_profile *profile, enum bankrun_format format,
                   const struct bankrun_print_options *options, struct strbuf *out) {
    const struct report_options text = {
        .color = options && options->color,
        .width = options ? options->width : 0,
        .verbose = options && options->verbose,
        .source_root = options ? options->source_root : NULL,
    };
    char *json;
    switch (format) {
    case BANKRUN_TEXT:
        report_text(profile->profile, &text, out);
        break;
    case BANKRUN_METRICS:
        report_metrics(profile->profile, out);
        break;
    case BANKRUN_CSV:
        report_csv(profile->profile, false, out);
        break;
    case BANKRUN_JSON:
        json = profile_to_json(profile->profile);
        strbuf_puts(out, json);
        free(json);
        break;
    }
}

enum bankrun_error bankrun_profile_print(const struct bankrun_profile *profile,
                                         enum bankrun_format format,
                                         const struct bankrun_print_options *options, FILE *out,
                                         char **message) {
    struct strbuf text = {0};
    render(profile, format, options, &text);
    const bool is_written =
        fwrite(strbuf_string(&text), 1, text.length, out) == text.length && fflush(out) == 0;
    const int why = errno;
    strbuf_free(&text);
    return is_written ? api_succeed(message)
                      : api_fail(message, BANKRUN_BAD_FILE, "%s", strerror(why));
}

enum bankrun_error bankrun_profile_save(const struct bankrun_profile *profile, const char *path,
                                        char **message) {
    char *json = profile_to_json(profile->profile);
    const bool is_written = file_write(path, json, strlen(json));
    const int why = errno;
    free(json);
    return is_written ? api_succeed(message)
                      : api_fail(message, BANKRUN_BAD_FILE, "%s: %s", path, strerror(why));
}
