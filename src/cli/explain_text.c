// The answers of bankrun explain as text, CSV and JSON.
#include <string.h>

#include "cli/explain.h"
#include "profile/profile.h"

static unsigned plain_arch(unsigned arch) {
    return arch & ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
}

static const char *mode_text(unsigned arch) {
    return arch & BANKRUN_EIGHT_BYTE_BANKS ? " with banks of 8 bytes" : "";
}

static const char *access_text(const struct cli_options *options) {
    static const char *const texts[] = {"load", "store", "atomic"};
    return texts[options->explain.access];
}

static void put_lanes(struct strbuf *out, const char *word, uint32_t set) {
    strbuf_printf(out, "%s%s ", word, set & (set - 1) ? "s" : "");
    strbuf_set(out, set);
}

// What is wrong with a group's lanes, a line each.
static void put_problems(const struct explain_group *group, const char *indent,
                         struct strbuf *out) {
    const struct explain_request *request = &group->request;
    if (group->status == BANKRUN_MISALIGNED) {
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            if ((request->mask >> lane & 1) && request->offsets[lane] % request->width) {
                strbuf_printf(out, "%smisaligned: lane %u accesses byte %u, no multiple of %u\n",
                              indent, lane, request->offsets[lane], request->width);
                break;
            }
    } else if (group->status != BANKRUN_OK) {
        strbuf_printf(out, "%s%s\n", indent, bankrun_status_text(group->status));
    }
    if (!request->outside)
        return;
    unsigned first = (unsigned)__builtin_ctz(request->outside);
    strbuf_printf(out, "%sout of bounds: ", indent);
    put_lanes(out, "lane", request->outside);
    strbuf_printf(out, "; lane %u accesses byte %lld of ", first,
                  (long long)request->places[first]);
    if (request->array)
        strbuf_printf(out, "%s, which has %llu\n", request->array,
                      (unsigned long long)request->array_bytes);
    else
        strbuf_puts(out, "what is declared\n");
}

static void put_interval(struct strbuf *out, const struct bankrun_cost *cost) {
    strbuf_printf(out, "%u", cost->wavefronts);
    if (cost->min != cost->max)
        strbuf_printf(out, " (%u to %u)", cost->min, cost->max);
}

static void put_verdict(const struct explain_group *group, bool color, struct strbuf *out) {
    const struct bankrun_cost *cost = &group->cost;
    const char *on = !color ? "" : cost->wavefronts > cost->ideal ? "\033[1;31m" : "\033[32m";
    put_interval(out, cost);
    strbuf_printf(out, " wavefront%s, ideal %u, degree %u: %s", cost->wavefronts == 1 ? "" : "s",
                  cost->ideal, cost->degree, on);
    if (cost->wavefronts <= cost->ideal)
        strbuf_puts(out, "no conflict");
    else if (cost->degree > 1)
        strbuf_printf(out, "%u-way conflict, %u excess", cost->degree,
                      cost->wavefronts - cost->ideal);
    else
        strbuf_printf(out, "%u excess", cost->wavefronts - cost->ideal);
    strbuf_puts(out, *on ? "\033[0m\n" : "\n");
}

static void put_group(const struct explain_row *row, const struct explain_group *group, bool color,
                      struct strbuf *out) {
    strbuf_puts(out, "\n");
    put_lanes(out, "warp", group->warps);
    if (group->request.mask != UINT32_MAX) {
        strbuf_puts(out, ", ");
        put_lanes(out, "lane", group->request.mask);
    }
    strbuf_puts(out, ": ");
    if (group->status == BANKRUN_OK)
        put_verdict(group, color, out);
    else
        strbuf_puts(out, "no answer\n");
    put_problems(group, "  ", out);
    if (group->status != BANKRUN_OK)
        return;
    struct bankrun_request request = explain_bank_request(group);
    char *why =
        group->cost.wavefronts > group->cost.ideal ? profile_why(row->arch, &request, false) : NULL;
    if (why)
        explain_put_wrapped(out, "  ", why);
    free(why);
    strbuf_puts(out, "\n");
    explain_picture(row->arch, group, color, out);
}

static void put_heading(const struct explain_answer *answer, struct strbuf *out) {
    const struct explain_row *row = &answer->rows.data[0];
    const uint32_t *block = answer->launch.block;
    strbuf_printf(out, "%s: ", answer->expression);
    if (row->group_count)
        strbuf_printf(out, "%s of %u byte%s a lane (%s), ", access_text(answer->options),
                      row->groups[0].request.width, row->groups[0].request.width == 1 ? "" : "s",
                      row->groups[0].request.type);
    strbuf_printf(out, "block %ux%ux%u", block[0], block[1], block[2]);
    if (answer->options->arch) {
        const struct bankrun_limits *limits = bankrun_limits_of(row->arch);
        strbuf_printf(out, ", sm_%u%s", plain_arch(row->arch), mode_text(row->arch));
        if (row->group_count && row->groups[0].status == BANKRUN_OK)
            strbuf_printf(out, " (%s)", bankrun_certainty_text(row->groups[0].cost.certainty));
        strbuf_puts(out, "\n");
        if (limits && answer->shared_bytes > limits->shared_block_bytes)
            strbuf_printf(out,
                          "note: %llu bytes of shared memory are declared; sm_%u has %u for "
                          "one block\n",
                          (unsigned long long)answer->shared_bytes, plain_arch(row->arch),
                          limits->shared_block_bytes);
        return;
    }
    strbuf_puts(out, "\n");
}

// ---- Tables -------------------------------------------------------------------------------

struct totals { // over the warps of the block
    uint64_t wavefronts, ideal;
    const struct explain_group *worst; // NULL: no group was counted
    bool has_problem;
};

static struct totals sum_up(const struct explain_row *row) {
    struct totals totals = {0};
    for (size_t i = 0; i < row->group_count; i++) {
        const struct explain_group *group = &row->groups[i];
        unsigned warps = (unsigned)__builtin_popcount(group->warps);
        totals.has_problem |= group->status != BANKRUN_OK || group->request.outside != 0;
        if (group->status != BANKRUN_OK)
            continue;
        totals.wavefronts += (uint64_t)group->cost.wavefronts * warps;
        totals.ideal += (uint64_t)group->cost.ideal * warps;
        if (!totals.worst || group->cost.wavefronts > totals.worst->cost.wavefronts)
            totals.worst = group;
    }
    return totals;
}

static void put_arch(struct strbuf *out, unsigned arch) {
    if (arch == 90)
        strbuf_printf(out, "%-6s", "9.0");
    else
        strbuf_printf(out, "%2u.x  ", plain_arch(arch) / 10);
}

static void put_table_row(const struct explain_answer *answer, const struct explain_row *row,
                          bool color, struct strbuf *out) {
    struct totals totals = sum_up(row);
    for (size_t i = 0; i < answer->sweep_count; i++)
        strbuf_printf(out, "%*lld  ",
                      (int)(strlen(answer->sweeps[i]) > 6 ? strlen(answer->sweeps[i]) : 6),
                      (long long)row->values[i]);
    if (!answer->options->arch)
        put_arch(out, row->arch);
    if (!totals.worst) {
        strbuf_puts(out, row->group_count ? "  " : "  no lane takes part\n");
        if (row->group_count)
            put_problems(&row->groups[0], "", out);
        return;
    }
    const struct bankrun_cost *cost = &totals.worst->cost;
    struct strbuf wavefronts = {0};
    put_interval(&wavefronts, cost);
    const char *on = !color ? "" : cost->wavefronts > cost->ideal ? "\033[31m" : "\033[32m";
    strbuf_printf(out, "  %s%14s%s", on, strbuf_string(&wavefronts), *on ? "\033[0m" : "");
    strbuf_printf(
        out, "  %5u  %6u  %10llu  %9llu  %s%s\n", cost->ideal, cost->degree,
        (unsigned long long)totals.wavefronts,
        (unsigned long long)(totals.wavefronts > totals.ideal ? totals.wavefronts - totals.ideal
                                                              : 0),
        bankrun_certainty_text(cost->certainty), totals.has_problem ? "  out of bounds" : "");
    strbuf_free(&wavefronts);
}

static void put_table(const struct explain_answer *answer, bool color, struct strbuf *out) {
    strbuf_puts(out, "\n");
    for (size_t i = 0; i < answer->sweep_count; i++)
        strbuf_printf(out, "%6s  ", answer->sweeps[i]);
    if (!answer->options->arch)
        strbuf_puts(out, "arch  ");
    strbuf_puts(out, "      wavefronts  ideal  degree   the block     excess  certainty\n");
    for (size_t i = 0; i < answer->rows.length; i++)
        put_table_row(answer, &answer->rows.data[i], color, out);
}

void explain_write_text(const struct explain_answer *answer, bool color, struct strbuf *out) {
    put_heading(answer, out);
    if (answer->rows.length > 1) {
        put_table(answer, color, out);
        return;
    }
    const struct explain_row *row = &answer->rows.data[0];
    for (size_t i = 0; i < row->group_count; i++)
        put_group(row, &row->groups[i], color, out);
    if (row->group_count == 0)
        strbuf_puts(out, "\nno lane takes part\n");
}

// ---- For other programs -------------------------------------------------------------------

static const char *const number_names[] = {"wavefronts", "min",    "max",   "ideal",
                                           "degree",     "phases", "cycles"};
enum { NUMBERS = sizeof number_names / sizeof *number_names };

static void list_numbers(unsigned arch, const struct explain_group *group, uint32_t *numbers) {
    const struct bankrun_cost *cost = &group->cost;
    struct bankrun_request request = explain_bank_request(group);
    const uint32_t values[NUMBERS] = {cost->wavefronts,
                                      cost->min,
                                      cost->max,
                                      cost->ideal,
                                      cost->degree,
                                      cost->phases,
                                      bankrun_cycles(arch, &request, cost)};
    memcpy(numbers, values, sizeof values);
}

void explain_write_csv(const struct explain_answer *answer, struct strbuf *out) {
    for (size_t i = 0; i < answer->sweep_count; i++)
        strbuf_printf(out, "%s,", answer->sweeps[i]);
    strbuf_puts(out, "arch,warps,active_mask,width,");
    for (size_t i = 0; i < NUMBERS; i++)
        strbuf_printf(out, "%s,", number_names[i]);
    strbuf_puts(out, "certainty,outside\n");
    for (size_t r = 0; r < answer->rows.length; r++) {
        const struct explain_row *row = &answer->rows.data[r];
        for (size_t g = 0; g < row->group_count; g++) {
            const struct explain_group *group = &row->groups[g];
            uint32_t numbers[NUMBERS];
            list_numbers(row->arch, group, numbers);
            for (size_t i = 0; i < answer->sweep_count; i++)
                strbuf_printf(out, "%lld,", (long long)row->values[i]);
            strbuf_printf(out, "sm_%u,%d,0x%08x,%u,", plain_arch(row->arch),
                          __builtin_popcount(group->warps), group->request.mask,
                          group->request.width);
            for (size_t i = 0; i < NUMBERS; i++)
                if (group->status == BANKRUN_OK)
                    strbuf_printf(out, "%u,", numbers[i]);
                else
                    strbuf_puts(out, ",");
            strbuf_printf(out, "%s,0x%08x\n",
                          group->status == BANKRUN_OK
                              ? bankrun_certainty_text(group->cost.certainty)
                              : "misaligned",
                          group->request.outside);
        }
    }
}

static void put_json_string(struct strbuf *out, const char *text) {
    strbuf_puts(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            strbuf_printf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            strbuf_printf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            strbuf_append(out, text, 1);
    }
    strbuf_puts(out, "\"");
}

static void put_json_group(const struct explain_answer *answer, const struct explain_row *row,
                           const struct explain_group *group, struct strbuf *out) {
    uint32_t numbers[NUMBERS];
    list_numbers(row->arch, group, numbers);
    strbuf_printf(out, "{\"arch\": \"sm_%u\", \"bank_bytes\": %u, \"let\": {",
                  plain_arch(row->arch), bankrun_bank_bytes(row->arch));
    for (size_t i = 0; i < answer->sweep_count; i++)
        strbuf_printf(out, "%s\"%s\": %lld", i ? ", " : "", answer->sweeps[i],
                      (long long)row->values[i]);
    strbuf_puts(out, "}, \"warps\": [");
    for (uint32_t rest = group->warps; rest != 0; rest &= rest - 1)
        strbuf_printf(out, "%d%s", __builtin_ctz(rest), rest & (rest - 1) ? ", " : "");
    strbuf_printf(out, "], \"active_mask\": %u, \"width\": %u, \"outside\": %u, \"offsets\": [",
                  group->request.mask, group->request.width, group->request.outside);
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        strbuf_puts(out, lane ? ", " : "");
        if (group->request.mask >> lane & 1)
            strbuf_printf(out, "%u", group->request.offsets[lane]);
        else
            strbuf_puts(out, "null");
    }
    strbuf_puts(out, "]");
    for (size_t i = 0; i < NUMBERS && group->status == BANKRUN_OK; i++)
        strbuf_printf(out, ", \"%s\": %u", number_names[i], numbers[i]);
    strbuf_puts(out, ", \"certainty\": ");
    strbuf_printf(out, "\"%s\"}",
                  group->status == BANKRUN_OK ? bankrun_certainty_text(group->cost.certainty)
                                              : "misaligned");
}

void explain_write_json(const struct explain_answer *answer, struct strbuf *out) {
    const char *separator = "\n";
    strbuf_puts(out, "{\"schema\": \"bankrun-explain/1\", \"expression\": ");
    put_json_string(out, answer->expression);
    strbuf_printf(out, ", \"access\": \"%s\", \"block\": [%u, %u, %u], \"requests\": [",
                  access_text(answer->options), answer->launch.block[0], answer->launch.block[1],
                  answer->launch.block[2]);
    for (size_t r = 0; r < answer->rows.length; r++)
        for (size_t g = 0; g < answer->rows.data[r].group_count; g++) {
            strbuf_puts(out, separator);
            put_json_group(answer, &answer->rows.data[r], &answer->rows.data[r].groups[g], out);
            separator = ",\n";
        }
    strbuf_puts(out, "\n]}\n");
}
