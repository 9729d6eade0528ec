// Prints the first requests of a source line as they happen.
#include "profile/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/say.h"
#include "base/strbuf.h"

enum { DEFAULT_REQUESTS = 8 };

struct profile_trace {
    char *file;
    uint32_t line;
    uint64_t left, printed;
    unsigned launches; // started so far
    bool has_matched, is_csv;
    FILE *out;
};

// The number behind the last colon, which is cut off. False: there is none.
static bool take_number(char *text, uint64_t *number) {
    char *colon = strrchr(text, ':'), *end;
    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
        return false;
    *number = strtoull(colon + 1, &end, 10);
    if (*end || *number > INT32_MAX)
        return false;
    *colon = '\0';
    return true;
}

struct profile_trace *profile_trace_create(const char *place, FILE *out, bool is_csv) {
    char *file = base_strdup(place);
    uint64_t last, first;
    if (!take_number(file, &last) || last == 0) {
        free(file);
        return NULL;
    }
    struct profile_trace *trace = base_alloc(sizeof *trace);
    bool has_count = take_number(file, &first) && first != 0;
    *trace = (struct profile_trace){.file = file,
                                    .line = (uint32_t)(has_count ? first : last),
                                    .left = has_count ? last : DEFAULT_REQUESTS,
                                    .is_csv = is_csv,
                                    .out = out};
    if (is_csv && out)
        fputs("instruction,active_mask,byte_offsets,file,line,launch,block_x,block_y,block_z,warp,"
              "wavefronts\n",
              out);
    return trace;
}

void profile_trace_free(struct profile_trace *trace) {
    if (trace)
        free(trace->file);
    free(trace);
}

bool profile_trace_has_matched(const struct profile_trace *trace) {
    return trace->has_matched;
}

// "transpose.cu" is the end of "/src/transpose.cu", not of "/src/mytranspose.cu".
static bool is_line(const struct profile_trace *trace, const char *file, uint32_t line) {
    if (!file || line != trace->line)
        return false;
    const char *wanted = trace->file;
    while (strncmp(wanted, "./", 2) == 0)
        wanted += 2;
    size_t length = strlen(file), end = strlen(wanted);
    return length >= end && strcmp(file + length - end, wanted) == 0 &&
           (length == end || file[length - end - 1] == '/' || wanted[0] == '/');
}

static bool is_of_line(const struct profile_trace *trace, const struct recorded_site *recorded) {
    struct profile_site site = {0};
    profile_describe_site(recorded, NULL, &site);
    bool matches = is_line(trace, site.file, site.line);
    for (uint32_t i = 0; i < site.inlined_count && !matches; i++)
        matches = is_line(trace, site.inlined_at[i].file, site.inlined_at[i].line);
    profile_free_site(&site);
    return matches;
}

bool *profile_trace_begin(struct profile_trace *trace, const struct profile_recorder *recorder) {
    bool *flags = base_alloc(recorder->site_count + 1), has_any = false;
    trace->launches++;
    for (uint32_t i = 0; i < recorder->site_count && trace->left; i++)
        has_any |= flags[i] = is_of_line(trace, &recorder->sites[i]);
    if (has_any)
        return flags;
    free(flags);
    return NULL;
}

// As explain --requests reads it: with what the mnemonic alone does not say in brackets.
static void put_instruction(struct strbuf *out, const struct ir_site *site, uint32_t mask) {
    strbuf_puts(out, site->text);
    if (site->atomic == SITE_ATOMIC_NATIVE_SUMMED ||
        (site->atomic == SITE_ATOMIC_NATIVE_SCANNED && mask == UINT32_MAX))
        strbuf_puts(out, "(1)");
    if (site->op == SITE_ASYNC_COPY)
        strbuf_printf(out, "(%u)", site->width);
}

static void put_csv(const struct profile_trace *trace, const struct ir_site *site,
                    const struct event_access *event, const struct bankrun_cost *cost,
                    struct strbuf *out) {
    put_instruction(out, site, event->mask);
    strbuf_printf(out, ",0x%08x,", event->mask);
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        strbuf_printf(out, "%s%u", lane ? " " : "",
                      event->mask >> lane & 1 ? event->offsets[lane] : 0);
    strbuf_puts(out, strchr(trace->file, ',') || strchr(trace->file, '"') ? ",," : ",");
    if (!strchr(trace->file, ',') && !strchr(trace->file, '"'))
        strbuf_printf(out, "%s,", trace->file);
    strbuf_printf(out, "%u,%u,%u,%u,%u,%u,", trace->line, trace->launches - 1, event->block[0],
                  event->block[1], event->block[2], event->warp);
    if (cost)
        strbuf_printf(out, "%u", cost->wavefronts);
    strbuf_puts(out, "\n");
}

// Four lanes a row.
static void put_text(const struct profile_trace *trace, const struct profile_recorder *recorder,
                     const struct ir_site *site, const struct event_access *event,
                     const struct bankrun_cost *cost, struct strbuf *out) {
    unsigned arch = recorder->info.arch, shown = 0;
    strbuf_printf(out, "%s:%u, request %llu: launch %u, block (%u, %u, %u), warp %u, mask 0x%08x\n",
                  trace->file, trace->line, (unsigned long long)trace->printed, trace->launches - 1,
                  event->block[0], event->block[1], event->block[2], event->warp, event->mask);
    strbuf_puts(out, "  ");
    put_instruction(out, site, event->mask);
    if (cost)
        strbuf_printf(out, ": %u wavefront%s, ideal %u", cost->wavefronts,
                      cost->wavefronts == 1 ? "" : "s", cost->ideal);
    strbuf_puts(out, "\n  lane   byte  word bank\n");
    for (unsigned row = 0; row < WARP_LANES / 4; row++, shown = 0) {
        for (unsigned lane = row; lane < WARP_LANES; lane += WARP_LANES / 4) {
            strbuf_puts(out, shown++ ? "  |" : " ");
            if (event->mask >> lane & 1)
                strbuf_printf(out, " %4u %6u %5u  %3u", lane, event->offsets[lane],
                              event->offsets[lane] / 4, bankrun_bank(arch, event->offsets[lane]));
            else
                strbuf_printf(out, " %4u      -     -    -", lane);
        }
        strbuf_puts(out, "\n");
    }
}

void profile_trace_request(struct profile_trace *trace, const struct profile_recorder *recorder,
                           const struct event_access *event) {
    if (trace->left == 0 || !trace->out)
        return;
    trace->left--;
    trace->printed++;
    trace->has_matched = true;
    const struct recorded_site *recorded = &recorder->sites[event->site];
    const struct counter_rule *rule = &recorded->rules[SITE_SHARED];
    struct bankrun_cost cost;
    bool is_counted = profile_cost(rule, event, &cost);
    struct strbuf text = {0};
    if (trace->is_csv) {
        put_csv(trace, recorded->site, event, is_counted ? &cost : NULL, &text);
        fwrite(text.data, 1, text.length, trace->out);
    } else {
        put_text(trace, recorder, recorded->site, event, is_counted ? &cost : NULL, &text);
        say_text(trace->out, text.data);
    }
    fflush(trace->out);
    strbuf_free(&text);
}
