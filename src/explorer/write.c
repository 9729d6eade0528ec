// Answers as JSON, in the words of bankrun explain --format json. There is no package of a JSON
// library for WebAssembly, and what is written here are numbers and few texts.
#include "explorer/write.h"

#include <stdio.h>
#include <stdlib.h>

#include "explorer/lanes.h"

static void put_text(struct strbuf *out, const char *text) {
    strbuf_puts(out, "\"");
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f)
            strbuf_printf(out, "\\u%04x", byte);
        else
            strbuf_append(out, text, 1);
    }
    strbuf_puts(out, "\"");
}

void explorer_write_error(const struct diag_list *diags, struct strbuf *out) {
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        abort();
    diag_print(diags, file, false);
    fclose(file);
    strbuf_puts(out, "{\"error\": ");
    put_text(out, text);
    strbuf_puts(out, "}");
    free(text);
}

static void put_set(struct strbuf *out, const char *name, uint32_t set) {
    strbuf_printf(out, "\"%s\": [", name);
    for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        strbuf_printf(out, "%s%d", rest == set ? "" : ", ", __builtin_ctz(rest));
    strbuf_puts(out, "], ");
}

static void put_offsets(struct strbuf *out, const struct explain_request *request) {
    strbuf_puts(out, "\"offsets\": [");
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        strbuf_puts(out, lane ? ", " : "");
        if (request->mask >> lane & 1)
            strbuf_printf(out, "%u", request->offsets[lane]);
        else
            strbuf_puts(out, "null");
    }
    strbuf_puts(out, "], ");
}

static void put_cost(struct strbuf *out, unsigned arch, const struct explain_group *group) {
    const struct bankrun_cost *cost = &group->cost;
    const struct bankrun_request request = explain_bank_request(group);
    uint32_t compiled;
    if (group->status != BANKRUN_OK) {
        strbuf_puts(out, "\"certainty\": \"misaligned\"");
        return;
    }
    strbuf_printf(out,
                  "\"wavefronts\": %u, \"min\": %u, \"max\": %u, \"ideal\": %u, \"degree\": %u, "
                  "\"phases\": %u, \"cycles\": %u, \"certainty\": \"%s\"",
                  cost->wavefronts, cost->min, cost->max, cost->ideal, cost->degree, cost->phases,
                  bankrun_cycles(arch, &request, cost), bankrun_certainty_text(cost->certainty));
    const char *which = explain_compiled(arch, group, &compiled);
    if (which)
        strbuf_printf(out, ", \"as_compiled\": {\"of\": \"%s\", \"wavefronts\": %u}", which,
                      compiled);
}

// ---- Pictures, in the form that the HTML report's script draws ---------------------------------

static void put_lanes(struct strbuf *out, const uint32_t *numbers, unsigned count) {
    strbuf_puts(out, "[");
    for (unsigned i = 0; i < count; i++)
        strbuf_printf(out, "%s[%u]", i ? ", " : "", numbers[i]);
    strbuf_puts(out, "]");
}

static void put_words(struct strbuf *out, const char *name, uint32_t (*words)[BANKRUN_LANES],
                      const struct explorer_lanes *lanes) {
    strbuf_printf(out, ", \"%s\": [", name);
    for (unsigned word = 0; word < lanes->words; word++) {
        strbuf_puts(out, word ? ", " : "");
        put_lanes(out, words[word], lanes->active);
    }
    strbuf_puts(out, "]");
}

static void put_picture(struct strbuf *out, unsigned arch, const struct explain_group *group) {
    const struct bankrun_request request = explain_bank_request(group);
    struct explorer_lanes lanes;
    strbuf_puts(out, ", \"picture\": ");
    if (group->status != BANKRUN_OK || !explorer_draw(arch, &request, &lanes)) {
        strbuf_puts(out, "null");
        return;
    }
    strbuf_printf(out, "{\"banks\": %u, \"rows\": %u, \"wavefronts\": %u, \"ideal\": %u",
                  lanes.banks, lanes.rows, group->cost.wavefronts, group->cost.ideal);
    strbuf_puts(out, ", \"phases\": [");
    uint32_t phase;
    for (unsigned n = 0; (phase = bankrun_phase_lanes(arch, &request, n)) != 0; n++)
        strbuf_printf(out, "%s%u", n ? ", " : "", phase);
    strbuf_puts(out, "], \"lane\": ");
    put_lanes(out, lanes.lane, lanes.active);
    strbuf_puts(out, ", \"offset\": ");
    put_lanes(out, lanes.offset, lanes.active);
    strbuf_puts(out, ", \"row\": ");
    put_lanes(out, lanes.row, lanes.active);
    put_words(out, "bank", lanes.bank, &lanes);
    put_words(out, "mark", lanes.mark, &lanes);
    strbuf_puts(out, "}");
}

static void put_request(struct strbuf *out, unsigned arch, const struct explain_group *group,
                        bool has_picture) {
    const struct explain_request *request = &group->request;
    strbuf_printf(out, "{\"arch\": \"sm_%u\", \"bank_bytes\": %u, ", explain_plain_arch(arch),
                  bankrun_bank_bytes(arch));
    put_set(out, "warps", group->warps);
    strbuf_printf(out, "\"active_mask\": %u, \"width\": %u, \"outside\": %u, ", request->mask,
                  request->width, request->outside);
    put_offsets(out, request);
    put_cost(out, arch, group);
    if (has_picture)
        put_picture(out, arch, group);
    strbuf_puts(out, "}");
}

void explorer_write(const struct explain_answer *answer, bool has_pictures, struct strbuf *out) {
    const struct explain_question *question = answer->question;
    strbuf_printf(out, "{\"access\": \"%s\", \"block\": [%u, %u, %u], \"shared_bytes\": %llu, ",
                  explain_access_text(question->access), question->launch.block[0],
                  question->launch.block[1], question->launch.block[2],
                  (unsigned long long)answer->shared_bytes);
    strbuf_puts(out, "\"requests\": [");
    const char *between = "";
    for (size_t r = 0; r < answer->rows.length; r++) {
        const struct explain_row *row = &answer->rows.data[r];
        for (size_t g = 0; g < row->group_count; g++, between = ", ") {
            strbuf_puts(out, between);
            put_request(out, row->arch, &row->groups[g], has_pictures);
        }
    }
    strbuf_puts(out, "]}");
}
